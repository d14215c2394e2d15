package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// pool is connections that read, and what is prepared on them.
type pool struct {
	*sql.DB
	stmts sync.Map // of query → *sql.Stmt
}

// newPool opens a pool of at most so many connections.
func newPool(dsn string, conns int) (*pool, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database for reading: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return &pool{DB: db}, nil
}

// stmt returns a prepared statement. One with a bare "LIMIT ?" would be planned
// anew each time it is run, since the planner looks at that number: "LIMIT 0+?" is
// what it does not look into.
func (p *pool) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := p.stmts.Load(query); ok {
		if st, ok := s.(*sql.Stmt); ok {
			return st, nil
		}
	}
	s, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if other, loaded := p.stmts.LoadOrStore(query, s); loaded {
		_ = s.Close()
		if st, ok := other.(*sql.Stmt); ok {
			return st, nil
		}
	}
	return s, nil
}

// close closes the statements and the connections.
func (p *pool) close() error {
	p.stmts.Range(func(_, v any) bool {
		if s, ok := v.(*sql.Stmt); ok {
			_ = s.Close()
		}
		return true
	})
	return p.Close()
}
