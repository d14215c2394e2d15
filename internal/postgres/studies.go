package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// unstudied lists the tips of lineages with work, by the requested kinds.
const unstudied = `SELECT t.root_id FROM sessions t LEFT JOIN studies s ON s.owner_id = t.owner_id AND s.root_id = t.root_id
	WHERE t.owner_id = ?1 AND t.is_tip AND (?2::text = '' OR t.root_id = ?2) AND (
		?3::boolean AND t.generation > coalesce(s.summarized, 0)
		OR ?4::boolean AND t.title_source = 'derived' AND t.next_seq > 1 AND NOT coalesce(s.titled, false)
		OR ?5::text <> '' AND t.next_seq > CASE WHEN s.vectors_by = ?5 THEN s.vectors_to ELSE 0 END)
	ORDER BY t.last_active DESC, t.root_id LIMIT ?6`

// Unstudied implements curate.Studies.
func (db *DB) Unstudied(ctx context.Context, o owner.Owner, want curate.Want) ([]session.ID, error) {
	list, err := rowsOf(ctx, db, func(rows *rows) (id session.ID, err error) {
		err = rows.Scan(&id)
		return id, err
	}, unstudied, o.ID(), string(want.Root), want.Summaries, want.Titles, want.Embeddings, want.Limit)
	if err != nil {
		return nil, fmt.Errorf("list unstudied lineages: %w", err)
	}
	return list, nil
}

// Marks implements curate.Studies.
func (db *DB) Marks(ctx context.Context, o owner.Owner, root session.ID) (curate.Marks, error) {
	var m curate.Marks
	var by sql.NullString
	err := db.row(ctx, `SELECT summarized, titled, vectors_to, vectors_by FROM studies WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)).Scan(&m.Summarized, &m.Titled, &m.VectorsTo, &by)
	if err != nil && !isNoRows(err) {
		return m, fmt.Errorf("read marks: %w", err)
	}
	m.VectorsBy = by.String
	return m, nil
}

// KeepStudy implements curate.Studies.
func (db *DB) KeepStudy(ctx context.Context, o owner.Owner, s curate.Study) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.w.submit(ctx, o, func(t *tx) error {
		if err := t.hasLineage(o, s.Root); err != nil {
			return err
		}
		if err := t.holds(o, &s.Task); err != nil {
			return err
		}
		t.keepMarks(o, s.Root, &s.Marks)
		t.keepSummary(o, &s)
		t.keepVectors(o, &s)
		return t.retitle(o, s.Root, s.Title)
	})
}

// hasLineage fails if a lineage has been deleted.
func (t *tx) hasLineage(o owner.Owner, root session.ID) error {
	var there bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM sessions WHERE owner_id = ? AND root_id = ?)`, o.ID(), string(root)).Scan(&there); err != nil {
		return fmt.Errorf("look for lineage: %w", err)
	}
	if !there {
		return errNoSession()
	}
	return nil
}

// keepMarks stores how far the models have come with a lineage.
func (t *tx) keepMarks(o owner.Owner, root session.ID, m *curate.Marks) {
	const mark = `INSERT INTO studies (owner_id, root_id, summarized, titled, vectors_to, vectors_by) VALUES (?,?,?,?,?,?)
		ON CONFLICT (owner_id, root_id) DO UPDATE SET summarized = excluded.summarized, titled = excluded.titled,
		vectors_to = excluded.vectors_to, vectors_by = excluded.vectors_by`
	t.send("keep marks", mark, o.ID(), string(root), m.Summarized, m.Titled, m.VectorsTo, null(m.VectorsBy))
}

// keepSummary stores a model's summary in place of the one that the session has.
func (t *tx) keepSummary(o owner.Owner, s *curate.Study) {
	if s.Summary == nil {
		return
	}
	const swap = `UPDATE sessions SET summary = ? WHERE owner_id = ? AND id = ? AND root_id = ?`
	t.send("keep a summary", swap, null(s.Summary.Text), o.ID(), string(s.Summary.Session), string(s.Root))
}

// retitle replaces the derived titles of a lineage's sessions by a model's title,
// numbered if it is taken.
func (t *tx) retitle(o owner.Owner, root session.ID, title string) error {
	if title == "" {
		return nil
	}
	const first = `SELECT id FROM sessions WHERE owner_id = ? AND root_id = ? AND title_source = 'derived' ORDER BY generation LIMIT 1`
	const give = `UPDATE sessions SET title = ?, title_source = 'model' WHERE owner_id = ? AND id = ?`
	for {
		var id string
		if err := t.row(first, o.ID(), string(root)).Scan(&id); isNoRows(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("look for a derived title: %w", err)
		}
		free, err := t.freeTitle(o, title)
		if err != nil {
			return err
		}
		t.send("keep a title", give, free, o.ID(), id)
	}
}

// untitled lets a model be asked for a title again, after a lineage has lost its title.
func (t *tx) untitled(o owner.Owner, id session.ID) {
	const again = `UPDATE studies SET titled = false WHERE owner_id = ?1 AND root_id = (SELECT root_id FROM sessions WHERE owner_id = ?1 AND id = ?2)`
	t.send("lower a mark", again, o.ID(), string(id))
}

// keepVectors stores new vectors, and deletes those of other models.
func (t *tx) keepVectors(o owner.Owner, s *curate.Study) {
	if s.Marks.VectorsBy == "" {
		return
	}
	t.send("empty vectors", `DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND model <> ?`, o.ID(), string(s.Root), s.Marks.VectorsBy)
	const insert = `INSERT INTO vectors (owner_id, root_id, seq, session_key, message_id, model, scale, parts)
		SELECT m.owner_id, m.root_id, m.seq, m.session_key, m.id, ?::text, ?::float8, ?::bytea FROM messages m
		WHERE m.owner_id = ? AND m.root_id = ? AND m.seq = ?
		ON CONFLICT (owner_id, root_id, seq) DO UPDATE SET session_key = excluded.session_key, message_id = excluded.message_id,
		model = excluded.model, scale = excluded.scale, parts = excluded.parts`
	for i := range s.Vectors {
		v := &s.Vectors[i]
		t.send("insert a vector", insert, s.Marks.VectorsBy, v.Scale, bytesOf(v.Parts), o.ID(), string(s.Root), v.Seq)
	}
}

// dropVector deletes the vector of a changed message; it is computed again.
func (t *tx) dropVector(o owner.Owner, m *session.Message) {
	t.send("erase a vector", `DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(m.RootID), m.Seq)
	t.send("lower a mark", `UPDATE studies SET vectors_to = least(vectors_to, ?) WHERE owner_id = ? AND root_id = ?`, m.Seq, o.ID(), string(m.RootID))
}

// dropVectors deletes the vectors of a part of a lineage.
func (t *tx) dropVectors(o owner.Owner, root session.ID, from, to int64) {
	t.send("drop vectors", `DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ?`, o.ID(), string(root), from, to)
}

// Vectors implements memory.Store.
func (db *DB) Vectors(ctx context.Context, o owner.Owner, scope memory.Scope, model string, each func(ranking.Vector) bool) error {
	const columns = `SELECT v.root_id, v.seq, v.message_id, m.session_id, v.scale, v.parts FROM vectors v JOIN messages m ON m.owner_id = v.owner_id AND m.id = v.message_id `
	const standing = ` AND v.model = ? AND m.recorded_at <= ? AND m.undone_at IS NULL ORDER BY `
	query, arg := ofScope(scope, columns+`WHERE v.owner_id = ? AND v.session_key = ?`+standing+`v.message_id DESC`,
		columns+`WHERE v.owner_id = ? AND v.root_id = ? AND v.session_key IS NULL`+standing+`v.seq DESC`,
		columns+`WHERE v.owner_id = ? AND v.root_id = ?`+standing+`v.seq DESC`)
	rows, err := db.query(ctx, query, o.ID(), arg, model, until(scope.AsOf))
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var v ranking.Vector
		var parts []byte
		if err := rows.Scan(&v.Root, &v.Seq, &v.MessageID, &v.SessionID, &v.Scale, &parts); err != nil {
			return fmt.Errorf("read vector: %w", err)
		}
		v.Parts = partsOf(parts)
		if !each(v) {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	return nil
}

// bytesOf and partsOf turn the parts of a vector into bytes, and back.
func bytesOf(parts []int8) []byte {
	b := make([]byte, len(parts))
	for i, p := range parts {
		b[i] = byte(p)
	}
	return b
}

func partsOf(b []byte) []int8 {
	parts := make([]int8, len(b))
	for i, p := range b {
		parts[i] = int8(p)
	}
	return parts
}
