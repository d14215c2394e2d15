package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/hermes-memory/hermes/internal/owner"
)

// pool is a set of read connections with their prepared statements.
type pool struct {
	*sql.DB
	stmts sync.Map // query → *sql.Stmt
}

// newPool opens a pool of at most conns connections.
func newPool(dsn string, conns int) (*pool, error) {
	registered, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database for reading: %w", err)
	}
	db := sql.OpenDB(readConnector{registered.Driver(), dsn})
	if err := registered.Close(); err != nil { // it gave the driver, and has no connection
		return nil, fmt.Errorf("open database for reading: %w", err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return &pool{DB: db}, nil
}

// stmt returns a prepared statement. The planner reads the value of a bare "LIMIT ?"
// and would plan such a statement again for each run; "LIMIT 0+?" avoids that.
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

// shared reserves a read connection for a read whose duration grows with the owner's
// data, until the returned function is called. One connection is always left for short
// reads, and half of them for other owners.
func (db *DB) shared(ctx context.Context, o owner.Owner) (leave func(), err error) {
	if err := db.scans.Enter(ctx, o.ID(), 1); err != nil {
		return nil, fmt.Errorf("wait for a reader: %w", err)
	}
	return func() { db.scans.Leave(o.ID(), 1) }, nil
}
