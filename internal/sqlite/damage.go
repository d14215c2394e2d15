package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
)

// A read can meet a damaged page with any of its rows, long after the file was opened. The connections for reading
// therefore tell of damage themselves, so that each of the reads above them need not. Writes have a judge of their own
// (writer.go).

// codeDamaged is the code of the fault for damaged pages.
const codeDamaged = "database_damaged"

// asDamage turns the error of a read that met a damaged page into a fault. Damage to the text index is left to the
// indexer, which makes the index again.
func asDamage(err error) error {
	if !isDamage(err) || harmedIndex(err) {
		return err
	}
	return fault.Wrap(fault.Unavailable, codeDamaged, "A page of the database file is damaged: "+reasonOf(err)+
		". Keep a copy of the file, and check the disk. Then restore a backup: hermes restore FILE", err)
}

// readConnector opens connections for reading.
type readConnector struct {
	driver driver.Driver
	dsn    string
}

// Driver implements driver.Connector.
func (c readConnector) Driver() driver.Driver { return c.driver }

// Connect implements driver.Connector.
func (c readConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, asDamage(err)
	}
	full, ok := conn.(driverConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the SQLite driver's connections lack a method: %T", conn), conn.Close())
	}
	return readConn{full}, nil
}

// driverConn is what package sql uses of a connection of the SQLite driver.
type driverConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.QueryerContext
	driver.ExecerContext
	driver.SessionResetter
	driver.Validator
}

// readConn is a connection for reading.
type readConn struct{ driverConn }

// QueryContext implements driver.QueryerContext.
func (c readConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return readsOf(c.driverConn.QueryContext(ctx, query, args))
}

// PrepareContext implements driver.ConnPrepareContext.
func (c readConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.driverConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, asDamage(err)
	}
	full, ok := stmt.(driverStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the SQLite driver's statements lack a method: %T", stmt), stmt.Close())
	}
	return readStmt{full}, nil
}

// driverStmt is what package sql uses of a statement of the SQLite driver.
type driverStmt interface {
	driver.Stmt
	driver.StmtQueryContext
	driver.StmtExecContext
}

// readStmt is a prepared statement of a connection for reading.
type readStmt struct{ driverStmt }

// QueryContext implements driver.StmtQueryContext.
func (s readStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return readsOf(s.driverStmt.QueryContext(ctx, args))
}

// readRows are the rows of a read.
type readRows struct{ driver.Rows }

func readsOf(rows driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		return nil, asDamage(err)
	}
	return readRows{rows}, nil
}

// Next implements driver.Rows.
func (r readRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == nil {
		return nil
	}
	return asDamage(err)
}
