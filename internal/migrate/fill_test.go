package migrate_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/migrate"
	"github.com/hermes-memory/hermes/internal/postgres"
	"github.com/hermes-memory/hermes/internal/postgres/postgrestest"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/storage"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// side is an open side of a move.
type side interface {
	migrate.Target
	Close() error
}

// opened is a side whose database closes with it.
type opened struct {
	side
	db interface{ Close() error }
}

func (o opened) Close() error {
	if err := o.side.Close(); err != nil {
		return err
	}
	return o.db.Close()
}

// open opens a side: a file, or a PostgreSQL database.
func open(ctx context.Context, at string, move storage.MoveSide) (side, error) {
	if strings.HasPrefix(at, "postgres://") {
		db, err := postgres.Open(ctx, postgres.Options{URL: at, Log: quiet(), Move: move, Unsafe: true})
		if err != nil {
			return nil, err
		}
		m, err := db.Moving(ctx)
		if err != nil {
			_ = db.Close()
			return nil, err
		}
		return opened{m, db}, nil
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: at, Log: quiet(), Move: move})
	if err != nil {
		return nil, err
	}
	m, err := db.Moving(ctx)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return opened{m, db}, nil
}

// move moves everything. between may put something between the move and its target.
func move(t *testing.T, from, to string, between func(migrate.Target) migrate.Target) (*migrate.Report, error) {
	t.Helper()
	source, err := open(t.Context(), from, storage.MoveFrom)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	target, err := open(t.Context(), to, storage.MoveTo)
	if err != nil {
		return nil, err
	}
	defer func() { _ = target.Close() }()
	var through migrate.Target = target
	if between != nil {
		through = between(target)
	}
	return migrate.Run(t.Context(), source, through, func(migrate.Progress) {})
}

// newFile is the path of a file that is not there yet.
func newFile(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }

// newDatabase is an empty PostgreSQL database.
func newDatabase(t *testing.T) string {
	t.Helper()
	return postgrestest.Shared(t).Database(t, func(ctx context.Context, url string) error {
		db, err := postgres.Open(ctx, postgres.Options{URL: url, Log: quiet(), Unsafe: true})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// few and many are how many rows fill a table: many are more than a batch.
const few, many = 3, 4500

// fill fills every table of a new store with rows that use all columns.
func fill(t *testing.T, at string) {
	t.Helper()
	s, err := open(t.Context(), at, storage.MoveTo)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, table := range s.Catalogue().Tables {
		b := storage.MovedBatch{Table: table, First: true, Mark: "{}"}
		n := few
		switch table.Name {
		case "meta": // its keys are made by the store
			continue
		case "messages":
			n = many
		}
		for i := range n {
			b.Rows = append(b.Rows, rowOf(table, i))
		}
		if err := s.Add(t.Context(), &b); err != nil {
			t.Fatalf("fill %s: %v", table.Name, err)
		}
	}
	if err := s.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rowOf is a row in which every column has a value. Rows of different numbers differ in each
// column that can differ.
func rowOf(table storage.MovedTable, i int) []any {
	out := make([]any, len(table.Columns))
	for k, c := range table.Columns {
		switch name := c.Name; {
		case special(table.Name, name, i) != nil:
			out[k] = special(table.Name, name, i)
		case c.Kind == storage.Number && isFlag(name):
			out[k] = int64(i % 2)
		case c.Kind == storage.Number:
			out[k] = int64(i + 1)
		case c.Kind == storage.Real:
			out[k] = float64(i) + 0.1
		case c.Kind == storage.Bytes:
			out[k] = []byte{0, byte(i), 0xff, byte(i >> 8)}
		default: // what PostgreSQL's texts cannot have is among it
			out[k] = fmt.Sprintf("%s %d é \x00 \x01 \xff '\"\\", name, i)
		}
	}
	return out
}

func isFlag(name string) bool {
	return slices.Contains([]string{"is_tip", "stale", "titled", "manual", "home", "plain", "code", "stay", "running", "current", "backfill", "never"}, name)
}

// special is the value of a column that cannot be just anything; nil for another column.
func special(table, name string, i int) any {
	switch table + "." + name {
	case "messages.frame":
		return fmt.Sprintf("[%d,0,7]", i)
	case "messages.receipt":
		return fmt.Sprintf(`{"context":{"sent_tokens":%d}}`, i)
	case "messages.content":
		return fmt.Sprintf("Message %d is about the lamp in hall %d.", i, i%97)
	case "facts.links", "scopes.withdrawn":
		return "[]"
	case "pieces.state":
		return "live"
	case "id_ranges.newest":
		return int64(i+1)<<33 | 500_000
	case "pieces.owner_id", "piece_blocks.owner_id", "scopes.owner_id", "facts.owner_id":
		return "alice"
	case "facts.scope_id":
		return int64(1)
	}
	return nil
}
