package migrate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/migrate"
	"github.com/hermes-memory/hermes/internal/postgres"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/storage"
)

// TestThereAndBack: every table of a file goes to PostgreSQL and comes back as it was. The
// files are compared by SQLite alone.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	before, there, back := newFile(t), newDatabase(t), newFile(t)
	fill(t, before)
	report, err := move(t, before, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Messages != many || report.Scopes != few || report.Resumed {
		t.Errorf("got %+v", report)
	}
	if _, err := move(t, there, back, nil); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, before, back)
	sameIndex(t, there)
}

// sameFiles compares all tables of two files.
func sameFiles(t *testing.T, one, other string) {
	t.Helper()
	a, b := dump(t, one), dump(t, other)
	if len(a) < 25 {
		t.Errorf("only %d tables were compared", len(a))
	}
	for table, rows := range a {
		if b[table] != rows {
			t.Errorf("the table %s differs:\n%.400q\n%.400q", table, rows, b[table])
		}
	}
}

// dump are the rows of all tables as SQLite writes them down, but for what is about the file.
func dump(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	out := make(map[string]string)
	for _, table := range strings.Fields(text(t, db, `SELECT group_concat(name, ' ') FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`)) {
		columns := text(t, db, `SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info(?) WHERE name <> 'whole'`, table)
		where := ""
		if table == "meta" {
			where = ` WHERE name IN ('erasure_key', 'audit_salt', 'provider_home', 'provider_former')`
		}
		out[table] = text(t, db, fmt.Sprintf(`SELECT group_concat(row, char(10)) FROM (SELECT %s AS row FROM %s%s ORDER BY 1)`, columns, table, where))
	}
	return out
}

func text(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	var out sql.NullString
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&out); err != nil {
		t.Fatal(err)
	}
	return out.String
}

// sameIndex compares what the move has made for the search with what the store makes.
func sameIndex(t *testing.T, url string) {
	t.Helper()
	const all = `SELECT md5(string_agg(terms::text || figures::text, ' ' ORDER BY id)), count(*) FILTER (WHERE terms = '') FROM messages`
	var moved, made string
	var without int
	one(t, url, all).scan(&moved, &without)
	db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Log: quiet(), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	one(t, url, all).scan(&made, &without)
	if moved != made || without > 0 {
		t.Errorf("the index after the move differs from the one that the store makes; %d messages have none", without)
	}
}

// result is the row of a query.
type result struct {
	t    *testing.T
	conn *pgx.Conn
	row  pgx.Row
}

// one asks a PostgreSQL database for one row, or executes something.
func one(t *testing.T, url, query string) *result {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return &result{t, conn, conn.QueryRow(t.Context(), query)}
}

func (r *result) scan(into ...any) {
	r.t.Helper()
	defer func() { _ = r.conn.Close(context.Background()) }()
	if err := r.row.Scan(into...); err != nil && (len(into) > 0 || !errors.Is(err, pgx.ErrNoRows)) {
		r.t.Fatal(err)
	}
}

// breaking is a target that fails after some batches, or inside of a table.
type breaking struct {
	migrate.Target
	left   int
	inside bool
}

var errBroken = errors.New("the connection broke")

func (b *breaking) Add(ctx context.Context, batch *storage.MovedBatch) error {
	if b.left--; b.left < 0 || b.inside && batch.Table.Name == "messages" && !batch.First {
		return errBroken
	}
	return b.Target.Add(ctx, batch)
}

// TestResume: a copy goes on where it stopped, wherever that was, and nobody else opens it
// meanwhile.
func TestResume(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	fill(t, file)
	for _, way := range []string{"there", "back"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			from, to := file, newDatabase(t)
			if way == "back" {
				from = filled(t)
				to = newFile(t)
			}
			for _, b := range []breaking{{left: 1}, {left: 100, inside: true}, {left: 3}} {
				_, err := move(t, from, to, func(target migrate.Target) migrate.Target {
					b.Target = target
					return &b
				})
				if !errors.Is(err, errBroken) {
					t.Fatalf("got %v", err)
				}
				if err := reopen(t, to); fault.CodeOf(err) != storage.UnfinishedCopy {
					t.Fatalf("opening the unfinished copy: %v", err)
				}
			}
			report, err := move(t, from, to, nil)
			if err != nil || !report.Resumed {
				t.Fatalf("got %+v, %v", report, err)
			}
			if err := reopen(t, to); err != nil {
				t.Errorf("opening the complete copy: %v", err)
			}
		})
	}
}

// filled is a PostgreSQL database with all data.
func filled(t *testing.T) string {
	t.Helper()
	url := newDatabase(t)
	fill(t, url)
	return url
}

// reopen opens a store as a server does, and closes it.
func reopen(t *testing.T, at string) error {
	t.Helper()
	var db interface{ Close() error }
	var err error
	if strings.HasPrefix(at, "postgres://") {
		db, err = postgres.Open(t.Context(), postgres.Options{URL: at, Log: quiet(), Unsafe: true, Node: "a server"})
	} else {
		db, err = sqlite.Open(t.Context(), sqlite.Options{Path: at, Log: quiet()})
	}
	if err != nil {
		return err
	}
	return db.Close()
}

// TestRefusals: what must not be moved, or not to there, stays as it is.
func TestRefusals(t *testing.T) {
	t.Parallel()
	small := func(t *testing.T) string {
		t.Helper()
		file := newFile(t)
		if err := reopen(t, file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	server := func(t *testing.T, url string) {
		t.Helper()
		db, err := postgres.Open(t.Context(), postgres.Options{URL: url, Log: quiet(), Unsafe: true, Node: "a server"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
	}
	for _, c := range []struct {
		name, code string
		sides      func(t *testing.T) (from, to string)
	}{
		{"a target with data", "target_not_empty", func(t *testing.T) (string, string) {
			to := newDatabase(t)
			one(t, to, `INSERT INTO erasures (owner_id, hash, words, erased_at, form) VALUES ('alice', 'h', 1, 1, 1)`).scan()
			return small(t), to
		}},
		{"a source in use", "database_in_use", func(t *testing.T) (string, string) {
			from := small(t)
			release, err := sqlite.Hold(from)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = release() })
			return from, newDatabase(t)
		}},
		{"servers on the source", "nodes_live", func(t *testing.T) (string, string) {
			from := newDatabase(t)
			server(t, from)
			return from, newFile(t)
		}},
		{"servers on the target", "nodes_live", func(t *testing.T) (string, string) {
			to := newDatabase(t)
			server(t, to)
			return small(t), to
		}},
		{"a table of somebody else", "unknown_tables", func(t *testing.T) (string, string) {
			from := newDatabase(t)
			one(t, from, `CREATE TABLE extra (id BIGINT PRIMARY KEY)`).scan()
			return from, newFile(t)
		}},
		{"a column that the target lacks", "unknown_tables", func(t *testing.T) (string, string) {
			to := newDatabase(t)
			one(t, to, `ALTER TABLE jobs ADD COLUMN extra TEXT`).scan()
			return small(t), to
		}},
		{"an unfinished copy of another database", "other_copy", func(t *testing.T) (string, string) {
			to := newDatabase(t)
			if _, err := move(t, small(t), to, func(target migrate.Target) migrate.Target { return &breaking{target, 2, false} }); !errors.Is(err, errBroken) {
				t.Fatal(err)
			}
			return small(t), to
		}},
		{"an unfinished copy as the source", storage.UnfinishedCopy, func(t *testing.T) (string, string) {
			from := newDatabase(t)
			if _, err := move(t, small(t), from, func(target migrate.Target) migrate.Target { return &breaking{target, 2, false} }); !errors.Is(err, errBroken) {
				t.Fatal(err)
			}
			return from, newFile(t)
		}},
		{"ids that a file cannot keep apart", "ids_shared", func(t *testing.T) (string, string) {
			from := newDatabase(t)
			one(t, from, `INSERT INTO id_ranges (owner_id, range_id, newest, reserved_at, gaps) VALUES ('a', 7, 1, now(), '{}'), ('b', 7, 1, now(), '{}')`).scan()
			return from, newFile(t)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			from, to := c.sides(t)
			if _, err := move(t, from, to, nil); fault.CodeOf(err) != c.code {
				t.Errorf("got %v, want %s", err, c.code)
			}
		})
	}
}

// TestServersStayAway: no server joins a database while it is moved.
func TestServersStayAway(t *testing.T) {
	t.Parallel()
	from := newDatabase(t)
	source, err := open(t.Context(), from, storage.MoveFrom)
	if err != nil {
		t.Fatal(err)
	}
	if err := reopen(t, from); fault.CodeOf(err) != "database_moving" {
		t.Errorf("a server during the move: %v", err)
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	if err := reopen(t, from); err != nil {
		t.Errorf("a server after the move: %v", err)
	}
}

// changing is a target that changes one row on the way.
type changing struct {
	migrate.Target
	table, column string
	to            any
}

func (c *changing) Add(ctx context.Context, b *storage.MovedBatch) error {
	if b.Table.Name == c.table && len(b.Rows) > 0 {
		for i, column := range b.Table.Columns {
			if column.Name == c.column {
				b.Rows[0][i] = c.to
			}
		}
		if c.column == "" {
			b.Rows = b.Rows[1:]
		}
	}
	return c.Target.Add(ctx, b)
}

// TestDifference: a copy that differs in one value, or lacks one row, is found, and stays
// unusable.
func TestDifference(t *testing.T) {
	t.Parallel()
	from := newFile(t)
	fill(t, from)
	for _, c := range []changing{
		{table: "messages", column: "note", to: "another note"}, {table: "messages", column: "hash", to: []byte{1}},
		{table: "facts", column: "value", to: nil}, {table: "job_runs"}, {table: "vectors", column: "scale", to: 7.0},
		{table: "sessions", column: "is_tip", to: int64(1)},
	} {
		to := newDatabase(t)
		_, err := move(t, from, to, func(target migrate.Target) migrate.Target {
			c.Target = target
			return &c
		})
		if fault.CodeOf(err) != "copy_differs" || !strings.Contains(err.Error(), c.table) {
			t.Errorf("%s.%s: got %v", c.table, c.column, err)
		}
		if err := reopen(t, to); fault.CodeOf(err) != storage.UnfinishedCopy {
			t.Errorf("opening the copy: %v", err)
		}
	}
}

// TestLeftOut: what does not move is there, so that the list does not outlive its tables.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	file, url := newFile(t), newDatabase(t)
	for _, at := range []string{file, url} {
		s, err := open(t.Context(), at, storage.MoveFrom)
		if err != nil {
			t.Fatal(err)
		}
		left := s.Catalogue().Left
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for name, reason := range left {
			table, column, _ := strings.Cut(name, ".")
			if there := columnsOf(t, at, table); len(there) == 0 || column != "" && !strings.Contains(there, " "+column+" ") {
				t.Errorf("%s is left out, but is not there", name)
			}
			if reason == "" {
				t.Errorf("%s is left out without a reason", name)
			}
		}
	}
}

// columnsOf are the columns of a table, with spaces around; "" for no table.
func columnsOf(t *testing.T, at, table string) (names string) {
	t.Helper()
	if strings.HasPrefix(at, "postgres://") {
		one(t, at, `SELECT coalesce(string_agg(' ' || column_name || ' ', ''), '') FROM information_schema.columns WHERE table_name = '`+table+`'`).scan(&names)
		return names
	}
	db, err := sql.Open("sqlite", at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return text(t, db, `SELECT group_concat(' ' || name || ' ', '') FROM pragma_table_info(?)`, table)
}
