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

// frameIDs are the ids of a frame's texts; 0 for an empty text.
type frameIDs [3]int64

// textKey identifies a text that was sent in a lineage.
type textKey struct {
	owner string
	root  session.ID
	hash  [sha256.Size]byte
}

// knownTexts caches the ids of texts that were sent in lineages recently, so that a
// turn with the previous turn's system prompt needs no query. It may be emptied at any
// time.
type knownTexts struct {
	mu  sync.Mutex
	ids map[textKey]int64
	era int // counts how often it was emptied
}

// maxKnownTexts bounds the cache; an entry takes about 100 bytes.
const maxKnownTexts = 1024

// look returns the ids of texts, 0 for unknown ones, and their era.
func (k *knownTexts) look(keys []textKey) (ids frameIDs, era int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range keys {
		ids[i] = k.ids[keys[i]]
	}
	return ids, k.era
}

// keep adds stored texts, unless the cache was emptied since the era.
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

// empty clears the cache, because texts were changed or deleted.
func (k *knownTexts) empty() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ids, k.era = nil, k.era+1
}

// framing is the frame of one answer while it is being stored.
type framing struct {
	texts [3]*string
	keys  []textKey
	known frameIDs // before the write
	era   int      // of known
	ids   frameIDs // as they are stored
}

// frame prepares to store the frame of an answer; nil stores none.
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

// keepFrame stores the texts that are new to the lineage, and returns the value for the
// answer's row.
func (t *tx) keepFrame(f *framing) (any, error) {
	if f == nil {
		return nil, nil // stored as null
	}
	f.ids = f.known // discards the ids of an attempt that was rolled back
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

// readFrame reads the texts of an answer's row.
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

// dropTexts removes a lineage's uses of texts, and the texts without other uses.
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
