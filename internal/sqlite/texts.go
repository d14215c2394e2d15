package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// frameIDs are the ids of a frame's texts; 0 for one that is empty.
type frameIDs [3]int64

// textKey is a text that a lineage was sent.
type textKey struct {
	owner string
	root  session.ID
	hash  [sha256.Size]byte
}

// knownTexts holds the ids of texts that lineages were sent lately, so that a turn
// with the system prompt of the turn before asks the store for nothing. It may be
// emptied at any time.
type knownTexts struct {
	mu  sync.Mutex
	ids map[textKey]int64
	era int // how often it was emptied
}

// maxKnownTexts bounds what is held: about 100 bytes each.
const maxKnownTexts = 1024

// look returns the ids of texts, 0 for those not known, and the era they are of.
func (k *knownTexts) look(keys []textKey) (ids frameIDs, era int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range keys {
		ids[i] = k.ids[keys[i]]
	}
	return ids, k.era
}

// keep takes in what was stored, unless texts were changed since the era.
func (k *knownTexts) keep(keys []textKey, ids frameIDs, era int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if era != k.era {
		return
	}
	if k.ids == nil || len(k.ids) > maxKnownTexts {
		k.ids = make(map[textKey]int64)
	}
	for i := range keys {
		if ids[i] != 0 {
			k.ids[keys[i]] = ids[i]
		}
	}
}

// empty forgets everything: texts were changed, or went.
func (k *knownTexts) empty() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ids, k.era = nil, k.era+1
}

// framing is the frame of one answer on its way to the store.
type framing struct {
	texts [3]*string
	keys  []textKey
	known frameIDs // before the write
	era   int      // of known
	ids   frameIDs // as they are stored
}

// frame begins to store the frame of an answer; nil stores none.
func (db *DB) frame(o owner.Owner, r *lineage.Receipt) *framing {
	if r == nil || r.Frame == (lineage.Frame{}) {
		return nil
	}
	f := &framing{texts: r.Frame.Texts(), keys: make([]textKey, 3)}
	for i, text := range f.texts {
		if *text != "" {
			f.keys[i] = textKey{o.ID(), r.RootID, sha256.Sum256([]byte(*text))}
		}
	}
	f.known, f.era = db.known.look(f.keys)
	return f
}

// keepFrame stores the texts that the lineage was not sent before, and returns what
// the answer's row says of all.
func (t *tx) keepFrame(f *framing) (any, error) {
	if f == nil {
		return nil, nil //nolint:nilnil // null is what is stored
	}
	f.ids = f.known // whatever an earlier attempt, rolled back since, has stored
	for i, text := range f.texts {
		if *text == "" || f.ids[i] != 0 {
			continue
		}
		id, err := t.keepText(&f.keys[i], *text)
		if err != nil {
			return nil, err
		}
		f.ids[i] = id
	}
	list, err := json.Marshal(f.ids)
	return string(list), err
}

func (t *tx) keepText(k *textKey, text string) (id int64, err error) {
	if _, err := t.exec(`INSERT OR IGNORE INTO texts (owner_id, hash, content) VALUES (?,?,?)`, k.owner, k.hash[:], text); err != nil {
		return 0, fmt.Errorf("keep text: %w", err)
	}
	if err := t.row(`SELECT id FROM texts WHERE owner_id = ? AND hash = ?`, k.owner, k.hash[:]).Scan(&id); err != nil {
		return 0, fmt.Errorf("find text: %w", err)
	}
	if _, err := t.exec(`INSERT OR IGNORE INTO text_uses (owner_id, root_id, text_id) VALUES (?,?,?)`, k.owner, string(k.root), id); err != nil {
		return 0, fmt.Errorf("keep use of a text: %w", err)
	}
	return id, nil
}

// readFrame reads the texts that an answer's row names.
func (db *DB) readFrame(ctx context.Context, o owner.Owner, list string) (f lineage.Frame, err error) {
	var ids frameIDs
	if err := json.Unmarshal([]byte(list), &ids); err != nil {
		return f, fmt.Errorf("decode frame: %w", err)
	}
	for i, text := range f.Texts() {
		err := db.read.QueryRowContext(ctx, `SELECT content FROM texts WHERE owner_id = ? AND id = ?`, o.ID(), ids[i]).Scan(text)
		if err != nil && !isNoRows(err) {
			return f, fmt.Errorf("read text: %w", err)
		}
	}
	return f, nil
}

// dropTexts lets go of what a lineage was sent, and of texts that no other was sent.
func (t *tx) dropTexts(o owner.Owner, root session.ID) error {
	for _, query := range []string{
		`DELETE FROM texts WHERE owner_id = ?1 AND id IN (SELECT text_id FROM text_uses WHERE owner_id = ?1 AND root_id = ?2)
			AND NOT EXISTS (SELECT 1 FROM text_uses u WHERE u.text_id = texts.id AND NOT (u.owner_id = ?1 AND u.root_id = ?2))`,
		`DELETE FROM text_uses WHERE owner_id = ?1 AND root_id = ?2`,
	} {
		if _, err := t.exec(query, o.ID(), string(root)); err != nil {
			return fmt.Errorf("drop texts: %w", err)
		}
	}
	return nil
}
