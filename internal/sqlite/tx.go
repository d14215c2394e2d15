package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// tx is the writer's transaction in the form for operations.
type tx struct {
	w      *writer
	ctx    context.Context
	erases bool // set by an operation that erases, so that the WAL must be emptied
	soils  bool // words were removed from the text index
	merges bool // it frees space, and may use the reserve for deletions
	// unpieces says that pieces were taken out of their manifest.
	unpieces bool
	stored   []int64 // messages
	// indexes says that it changes the text index. The index is written late, so an
	// error of it may come from a later statement.
	indexes bool
	marks   map[int64]int64 // changes to writer.marks with the commit
	// transcripts are the sessions whose transcripts have changed, and whether messages that
	// were there before did.
	transcripts map[transcriptName]bool
	// relisted are the numbers of those that are on the list already, unlisted those that were
	// taken off it, and listsAll says that all were put on it.
	relisted map[transcriptName]transcriptNumbers
	unlisted map[transcriptName]bool
	listsAll bool
}

// exec runs a statement, prepared once for the life of the writer.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	s, err := t.stmt(query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(t.ctx, args...)
}

// row runs a query for one row inside the transaction.
func (t *tx) row(query string, args ...any) *sql.Row {
	s, err := t.stmt(query)
	if err != nil {
		return t.w.conn.QueryRowContext(t.ctx, query, args...) // returns the same error
	}
	return s.QueryRowContext(t.ctx, args...)
}

// rows calls scan for the rows of a query inside the transaction.
func (t *tx) rows(scan func(*sql.Rows) error, query string, args ...any) error {
	s, err := t.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(t.ctx, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}

// scanAll calls scan for each of some rows, and closes them.
func scanAll(rows *sql.Rows, scan func(*sql.Rows) error) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (t *tx) stmt(query string) (*sql.Stmt, error) {
	if s := t.w.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.w.conn.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	t.w.stmts[query] = s
	return s, nil
}
