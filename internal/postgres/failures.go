package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/hermes-memory/hermes/internal/fault"
)

// The codes of PostgreSQL's errors that are told apart.
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	serializationFailed = "40001"
	deadlockDetected    = "40P01"
	readOnlyTransaction = "25006"
	divisionByZero      = "22012"
	diskFull            = "53100"
	lockNotAvailable    = "55P03"
	queryCanceled       = "57014"
	idleInTransaction   = "25P03"
	shutdownByAdmin     = "57P01"
	crashShutdown       = "57P02"
	cannotConnectNow    = "57P03"
)

// errUnknown says that a connection broke in a commit, so that nobody knows its outcome.
var errUnknown = errors.New("the outcome of a commit is unknown")

// retryAfter is how long a client is asked to wait for the database.
const retryAfter = 2 * time.Second

func isNoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// codeOf is PostgreSQL's code of an error; "" for none.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// isConstraint reports whether an error means that a place, an id or a name is taken.
func isConstraint(err error) bool { return codeOf(err) == uniqueViolation }

// isForeignKey reports whether an error means that the row is gone that another one needs.
func isForeignKey(err error) bool { return codeOf(err) == foreignKeyViolation }

// again reports whether a transaction failed only because of another one: the same
// transaction may succeed now.
func again(err error) bool {
	code := codeOf(err)
	return code == serializationFailed || code == deadlockDetected
}

// judge makes a fault of an error that the caller may meet again later. Other errors, and faults,
// are returned as they are.
func judge(err error) error {
	if _, judged := errors.AsType[*fault.Error](err); judged {
		return err
	}
	if errors.Is(err, errUnknown) {
		f := fault.Wrap(fault.Unavailable, "database_unreachable",
			"The connection to the database broke, so it is not known whether this was stored. Look before you send it again.", err)
		f.RetryAfter = retryAfter
		return f
	}
	if lostConnection(err) {
		return errUnreachable(err)
	}
	switch codeOf(err) {
	case diskFull:
		return fault.Wrap(fault.Unavailable, "disk_full", "The database server's disk is full, so this was not stored. Free some space there and try again.", err)
	case readOnlyTransaction:
		return errReadOnly(err)
	case shutdownByAdmin, crashShutdown, cannotConnectNow, idleInTransaction:
		return errUnreachable(err)
	case lockNotAvailable, queryCanceled:
		return errOccupied(err)
	}
	return err
}

// lostConnection reports whether an error is one of the connection.
func lostConnection(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	ends := []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed}
	return slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) })
}

func errUnreachable(err error) error {
	f := fault.Wrap(fault.Unavailable, "database_unreachable", "The database cannot be reached. Try again shortly; the server's log has the reason.", err)
	f.RetryAfter = retryAfter
	return f
}

// errOccupied is the fault of a statement that the server ended because it took too long.
func errOccupied(err error) error {
	f := fault.Wrap(fault.Unavailable, "overloaded",
		"The database is busy, perhaps with maintenance, so this was not done. Try again shortly; the server's log has the reason.", err)
	f.RetryAfter = retryAfter
	return f
}

// errReadOnly is the fault of a database that takes no writes, as some do when their disk is full.
func errReadOnly(err error) error {
	return fault.Wrap(fault.Unavailable, "database_read_only", "The database takes no writes now, so this was not stored. Try again shortly.", err)
}

// errBusy is the fault of a wait for a connection that took too long.
func errBusy(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errUnreachable(err)
}

// errDraining is the fault once the store is being closed.
func errDraining() error { return fault.New(fault.Unavailable, "draining", "The server is stopping.") }
