package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// framing is the frame of one answer while it is being stored.
type framing struct {
	root   session.ID
	texts  [3]*string
	hashes [3][]byte // nil for an empty text
}

// frameOf prepares to store the frame of an answer; nil stores none.
func frameOf(r *lineage.Receipt) *framing {
	if r == nil || r.Frame == (lineage.Frame{}) {
		return nil
	}
	f := &framing{root: r.RootID, texts: r.Frame.Texts()}
	for i, text := range f.texts {
		if *text != "" {
			sum := sha256.Sum256([]byte(*text))
			f.hashes[i] = sum[:]
		}
	}
	return f
}

// keepFrame stores the texts that are new to the lineage, and returns the value for the
// answer's row: the ids of the texts, 0 for an empty one.
func (t *tx) keepFrame(o owner.Owner, f *framing) (any, error) {
	if f == nil {
		return nil, nil // stored as null
	}
	known, err := t.knownTexts(o, f)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(f.texts))
	for i, hash := range f.hashes {
		if hash == nil {
			continue
		}
		text, found := known[string(hash)]
		if !found {
			const insert = `INSERT INTO texts (owner_id, hash, content) VALUES (?,?,?) RETURNING id`
			if err := t.row(insert, o.ID(), hash, *f.texts[i]).Scan(&text.id); err != nil {
				return nil, fmt.Errorf("keep text: %w", err)
			}
		}
		if ids[i] = text.id; !text.used {
			t.send("keep the use of a text", `INSERT INTO text_uses (owner_id, root_id, text_id) VALUES (?,?,?)`, o.ID(), string(f.root), text.id)
		}
		known[string(hash)] = knownText{text.id, true}
	}
	return ids, nil
}

// knownText is a stored text. used says that the lineage was sent it before.
type knownText struct {
	id   int64
	used bool
}

// knownTexts are the texts of a frame that are stored, by their hash.
func (t *tx) knownTexts(o owner.Owner, f *framing) (map[string]knownText, error) {
	const find = `SELECT t.hash, t.id, u.text_id IS NOT NULL FROM texts t
		LEFT JOIN text_uses u ON u.owner_id = t.owner_id AND u.root_id = ? AND u.text_id = t.id WHERE t.owner_id = ? AND t.hash = ANY(?)`
	known := make(map[string]knownText, len(f.texts))
	err := t.rows(func(rows *rows) error {
		var hash []byte
		var text knownText
		err := rows.Scan(&hash, &text.id, &text.used)
		known[string(hash)] = text
		return err
	}, find, string(f.root), o.ID(), f.hashes[:])
	if err != nil {
		return nil, fmt.Errorf("find texts: %w", err)
	}
	return known, nil
}

// readFrame reads the texts of an answer's row.
func (db *DB) readFrame(ctx context.Context, o owner.Owner, ids []int64) (f lineage.Frame, err error) {
	for i, text := range f.Texts() {
		if i >= len(ids) {
			break
		}
		err := db.row(ctx, `SELECT content FROM texts WHERE owner_id = ? AND id = ?`, o.ID(), ids[i]).Scan(text)
		if err != nil && !isNoRows(err) {
			return f, fmt.Errorf("read text: %w", err)
		}
	}
	return f, nil
}

// dropTexts removes a lineage's uses of texts, and the texts without other uses.
func (t *tx) dropTexts(o owner.Owner, root session.ID) {
	t.send("drop texts", `DELETE FROM texts WHERE owner_id = ?1 AND id IN (SELECT text_id FROM text_uses WHERE owner_id = ?1 AND root_id = ?2)
		AND NOT EXISTS (SELECT 1 FROM text_uses u WHERE u.owner_id = ?1 AND u.text_id = texts.id AND u.root_id <> ?2)`, o.ID(), string(root))
	t.send("drop texts", `DELETE FROM text_uses WHERE owner_id = ?1 AND root_id = ?2`, o.ID(), string(root))
}
