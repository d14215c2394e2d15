package sqlite

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
	WHERE t.owner_id = ?1 AND t.is_tip = 1 AND (?2 = '' OR t.root_id = ?2) AND (
		?3 AND t.generation > coalesce(s.summarized, 0)
		OR ?4 AND t.title_source = 'derived' AND t.next_seq > 1 AND coalesce(s.titled, 0) = 0
		OR ?5 <> '' AND t.next_seq > CASE WHEN s.vectors_by = ?5 THEN s.vectors_to ELSE 0 END)
	ORDER BY t.last_active DESC, t.root_id LIMIT 0+?6`

// Unstudied implements curate.Studies.
func (db *DB) Unstudied(ctx context.Context, o owner.Owner, want curate.Want) ([]session.ID, error) {
	st, err := db.read.stmt(ctx, unstudied)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), string(want.Root), want.Summaries, want.Titles, want.Embeddings, want.Limit)
	if err != nil {
		return nil, fmt.Errorf("list unstudied lineages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []session.ID
	for rows.Next() {
		var id session.ID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("list unstudied lineages: %w", err)
		}
		out = append(out, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list unstudied lineages: %w", err)
	}
	return out, nil
}

// Marks implements curate.Studies.
func (db *DB) Marks(ctx context.Context, o owner.Owner, root session.ID) (curate.Marks, error) {
	var m curate.Marks
	st, err := db.read.stmt(ctx, `SELECT summarized, titled, vectors_to, vectors_by FROM studies WHERE owner_id = ? AND root_id = ?`)
	if err != nil {
		return m, err
	}
	var by sql.NullString
	err = st.QueryRowContext(ctx, o.ID(), string(root)).Scan(&m.Summarized, &m.Titled, &m.VectorsTo, &by)
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
	return db.w.submit(ctx, func(t *tx) error {
		if err := t.hasLineage(o, s.Root); err != nil {
			return err
		}
		if err := t.holds(o, &s.Task); err != nil {
			return err
		}
		if err := t.keepMarks(o, s.Root, &s.Marks); err != nil {
			return err
		}
		if err := t.keepSummary(o, &s); err != nil {
			return err
		}
		if err := t.retitle(o, s.Root, s.Title); err != nil {
			return err
		}
		return t.keepVectors(o, &s)
	})
}

// hasLineage fails if a lineage has been deleted.
func (t *tx) hasLineage(o owner.Owner, root session.ID) error {
	var sessions int
	if err := t.row(`SELECT count(*) FROM sessions WHERE owner_id = ? AND root_id = ?`, o.ID(), string(root)).Scan(&sessions); err != nil {
		return fmt.Errorf("look for lineage: %w", err)
	}
	if sessions == 0 {
		return errNoSession()
	}
	return nil
}

// keepMarks stores how far the models have come with a lineage.
func (t *tx) keepMarks(o owner.Owner, root session.ID, m *curate.Marks) error {
	const mark = `INSERT OR REPLACE INTO studies (owner_id, root_id, summarized, titled, vectors_to, vectors_by) VALUES (?,?,?,?,?,?)`
	if _, err := t.exec(mark, o.ID(), string(root), m.Summarized, m.Titled, m.VectorsTo, null(m.VectorsBy)); err != nil {
		return fmt.Errorf("keep marks: %w", err)
	}
	return nil
}

// keepSummary stores a model's summary in place of the one that the session has.
func (t *tx) keepSummary(o owner.Owner, s *curate.Study) error {
	if s.Summary == nil {
		return nil
	}
	const swap = `UPDATE sessions SET summary = ? WHERE owner_id = ? AND id = ? AND root_id = ?`
	if _, err := t.exec(swap, null(s.Summary.Text), o.ID(), string(s.Summary.Session), string(s.Root)); err != nil {
		return fmt.Errorf("keep summary: %w", err)
	}
	return nil
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
		if _, err := t.exec(give, free, o.ID(), id); err != nil {
			return fmt.Errorf("keep title: %w", err)
		}
		t.transcriptChanged(o, session.ID(id), false)
	}
}

// untitled lets a model be asked for a title again, after a lineage has lost its title.
func (t *tx) untitled(o owner.Owner, id session.ID) error {
	const again = `UPDATE studies SET titled = 0 WHERE owner_id = ?1 AND root_id = (SELECT root_id FROM sessions WHERE owner_id = ?1 AND id = ?2)`
	if _, err := t.exec(again, o.ID(), string(id)); err != nil {
		return fmt.Errorf("lower mark: %w", err)
	}
	return nil
}

// keepVectors stores new vectors, and deletes those of other models.
func (t *tx) keepVectors(o owner.Owner, s *curate.Study) error {
	if s.Marks.VectorsBy == "" {
		return nil
	}
	if _, err := t.exec(`DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND model <> ?`, o.ID(), string(s.Root), s.Marks.VectorsBy); err != nil {
		return fmt.Errorf("empty vectors: %w", err)
	}
	const insert = `INSERT OR REPLACE INTO vectors (owner_id, root_id, seq, session_key, message_id, model, scale, parts)
		SELECT m.owner_id, m.root_id, m.seq, m.session_key, m.id, ?, ?, ? FROM messages m WHERE m.owner_id = ? AND m.root_id = ? AND m.seq = ?`
	for i := range s.Vectors {
		v := &s.Vectors[i]
		if _, err := t.exec(insert, s.Marks.VectorsBy, v.Scale, bytesOf(v.Parts), o.ID(), string(s.Root), v.Seq); err != nil {
			return fmt.Errorf("insert vector: %w", err)
		}
	}
	return nil
}

// dropVector deletes the vector of a changed message; it is computed again.
func (t *tx) dropVector(o owner.Owner, m *session.Message) error {
	if _, err := t.exec(`DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND seq = ?`, o.ID(), string(m.RootID), m.Seq); err != nil {
		return fmt.Errorf("erase vector: %w", err)
	}
	const lower = `UPDATE studies SET vectors_to = min(vectors_to, ?) WHERE owner_id = ? AND root_id = ?`
	if _, err := t.exec(lower, m.Seq, o.ID(), string(m.RootID)); err != nil {
		return fmt.Errorf("lower mark: %w", err)
	}
	return nil
}

// dropVectors deletes the vectors of a part of a lineage.
func (t *tx) dropVectors(o owner.Owner, root session.ID, from, to int64) error {
	const drop = `DELETE FROM vectors WHERE owner_id = ? AND root_id = ? AND seq >= ? AND seq < ?`
	if _, err := t.exec(drop, o.ID(), string(root), from, to); err != nil {
		return fmt.Errorf("drop vectors: %w", err)
	}
	return nil
}

// Vectors implements memory.Store.
func (db *DB) Vectors(ctx context.Context, o owner.Owner, scope memory.Scope, model string, each func(ranking.Vector) bool) error {
	const columns = `SELECT v.root_id, v.seq, v.message_id, m.session_id, v.scale, v.parts FROM vectors v CROSS JOIN messages m ON m.id = v.message_id `
	const standing = ` AND v.model = ? AND m.recorded_at <= ? AND m.undone_at IS NULL ORDER BY `
	query, arg := ofScope(scope, columns+`WHERE v.owner_id = ? AND v.session_key = ?`+standing+`v.message_id DESC`,
		columns+`WHERE v.owner_id = ? AND v.root_id = ? AND v.session_key IS NULL`+standing+`v.seq DESC`,
		columns+`WHERE v.owner_id = ? AND v.root_id = ?`+standing+`v.seq DESC`)
	st, err := db.read.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, o.ID(), arg, model, until(scope.AsOf))
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer func() { _ = rows.Close() }()
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
