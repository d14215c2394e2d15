package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// tx is the writer's transaction as an operation sees it.
type tx struct {
	w      *writer
	ctx    context.Context
	erases bool    // set by an operation after which nothing of it may be left
	soils  bool    // words were taken out of the text index
	merges bool    // it makes room, and may use what is left for deletions
	stored []int64 // messages
	// indexes says that it changes the text index, which is written late: its
	// failure may be that of a later statement.
	indexes bool
	marks   map[int64]int64 // of writer.marks, those that change with the commit
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
		return t.w.conn.QueryRowContext(t.ctx, query, args...) // brings the same error
	}
	return s.QueryRowContext(t.ctx, args...)
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
