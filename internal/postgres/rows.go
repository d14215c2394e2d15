package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/owner"
)

// scanner is a row whose texts are scanned in their original form. What reads the columns of
// a table takes this type, and the rows of pgx, which have the stored form, are not of it.
type scanner interface {
	Scan(dest ...any) error
	// restores marks the types whose Scan restores texts.
	restores()
}

// rows is the result of a query. Its texts are scanned in their original form.
type rows struct{ pgx.Rows }

func (*rows) restores() {}
func (*row) restores()  {}

// Scan reads the values of a row.
func (r *rows) Scan(dest ...any) error {
	if err := r.Rows.Scan(dest...); err != nil {
		return err
	}
	fields := r.FieldDescriptions()
	for i := range dest {
		restore(dest[i], fields[i].DataTypeOID)
	}
	return nil
}

// Err is the error that ended the rows, as the caller may meet it again later.
func (r *rows) Err() error { return judge(r.Rows.Err()) }

// row is the result of a query for one row.
type row struct {
	rows *rows
	err  error
	// done ends what the query was a part of; nil for a query alone.
	done func() error
}

// Scan reads the values of the row. It fails with pgx.ErrNoRows if there is none.
func (r *row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	err := r.scan(dest)
	r.rows.Close()
	if r.done != nil {
		if ended := r.done(); err == nil {
			err = ended
		}
	}
	return judge(err)
}

func (r *row) scan(dest []any) error {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// querier runs queries: the pool, or a transaction.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

func queryOn(ctx context.Context, in querier, query string, args []any) (*rows, error) {
	got, err := in.Query(ctx, numbered(query), storedArgs(args)...)
	if err != nil {
		return nil, judge(err)
	}
	return &rows{got}, nil
}

// query runs a query outside of transactions.
func (db *DB) query(ctx context.Context, query string, args ...any) (*rows, error) {
	return queryOn(ctx, db.pool, query, args)
}

// row runs a query for one row outside of transactions.
func (db *DB) row(ctx context.Context, query string, args ...any) *row {
	got, err := db.query(ctx, query, args...)
	return &row{got, err, nil}
}

// rowsOf reads all rows of a query.
func rowsOf[T any](ctx context.Context, db *DB, scan func(*rows) (T, error), query string, args ...any) ([]T, error) {
	return appendRows(ctx, db, nil, scan, query, args...)
}

// appendRows is rowsOf for a caller that knows about how many rows there are.
func appendRows[T any](ctx context.Context, db *DB, out []T, scan func(*rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return out, nil
}

// numberedQueries are the statements of this package, as the server takes them. Their
// number is that of the statements in the source.
type numberedQueries struct{ by sync.Map }

// byText is the table of statements; it only grows.
var byText = sync.OnceValue(func() *numberedQueries { return new(numberedQueries) })

// numbered is a statement with its arguments numbered. Statements are made of parts, so
// their arguments are marked with ? in order, or with ?1, ?2… where one is used twice.
func numbered(query string) string {
	known := byText()
	if text, ok := known.by.Load(query); ok {
		if s, ok := text.(string); ok {
			return s
		}
	}
	text := number(query)
	known.by.Store(query, text)
	return text
}

func number(query string) string {
	var b strings.Builder
	next := 1
	for i := 0; i < len(query); i++ {
		if query[i] != '?' {
			b.WriteByte(query[i])
			continue
		}
		b.WriteByte('$')
		if i+1 < len(query) && '0' <= query[i+1] && query[i+1] <= '9' {
			continue // the digits follow
		}
		b.WriteString(strconv.Itoa(next))
		next++
	}
	return b.String()
}

// shared reserves a connection for a read whose duration grows with the owner's data,
// until the returned function is called.
func (db *DB) shared(ctx context.Context, o owner.Owner) (leave func(), err error) {
	if err := db.scans.Enter(ctx, o.ID(), 1); err != nil {
		return nil, fmt.Errorf("wait for a reader: %w", err)
	}
	return func() { db.scans.Leave(o.ID(), 1) }, nil
}
