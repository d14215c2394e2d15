package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// readyPatience is how long the look at the database may take.
const readyPatience = time.Second

// Ready reports whether the database accepts writes; the error says why not.
func (db *DB) Ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), readyPatience)
	defer cancel()
	var standby, readOnly bool
	const ask = `SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean`
	if err := db.row(ctx, ask).Scan(&standby, &readOnly); err != nil {
		return errUnreachable(err)
	}
	switch {
	case standby:
		return errStandby()
	case readOnly:
		return errReadOnly(nil)
	}
	if db.node.away() {
		return errAway()
	}
	return nil
}

// Lost are the derived tables that were missing when the database was opened: none, because
// PostgreSQL's tables are not files that people delete.
func (*DB) Lost() []string { return nil }

// Filled records that lost facts were distilled again.
func (*DB) Filled(context.Context) error { return nil }

// Index returns the state of the text index, which is part of the messages.
func (*DB) Index(context.Context) (storage.Index, error) { return storage.Index{}, nil }

// Size is the size of the tables of all owners, in bytes.
func (db *DB) Size(ctx context.Context) (bytes int64, err error) {
	if err := db.row(ctx, `SELECT `+tablesSize).Scan(&bytes); err != nil {
		return 0, fmt.Errorf("measure the tables: %w", err)
	}
	return bytes, nil
}

// Name says where the data is, without a password.
func (db *DB) Name() string {
	c := db.pool.Config().ConnConfig
	return fmt.Sprintf("PostgreSQL database %s at %s:%d", c.Database, c.Host, c.Port)
}

// Check looks for damage and returns what it found: tables and indexes that are missing. The
// pages are the server's own to check. A deep check also drops pieces that lack blocks: they
// are made again.
func (db *DB) Check(ctx context.Context, deep bool) ([]string, error) {
	if deep {
		if err := db.mendPieces(ctx); err != nil {
			return nil, err
		}
	}
	objects, err := schemaObjects()
	if err != nil {
		return nil, err
	}
	there, err := rowsOf(ctx, db, func(rows *rows) (name string, err error) {
		err = rows.Scan(&name)
		return name, err
	}, `SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var found []string
	for _, o := range objects {
		if !slices.Contains(there, o.name) {
			found = append(found, fmt.Sprintf("the %s %s is missing", strings.ToLower(o.kind), o.name))
		}
	}
	return found, nil
}

// object is a table or an index that the migrations create.
type object struct{ kind, name string }

// schemaObjects are the objects that the migrations create.
func schemaObjects() ([]object, error) {
	scripts, err := migrationScripts()
	if err != nil {
		return nil, err
	}
	statement := regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?(INDEX|TABLE) (\w+)\b`)
	var out []object
	for _, m := range statement.FindAllStringSubmatch(strings.Join(scripts, "\n"), -1) {
		out = append(out, object{m[1], m[2]})
	}
	return out, nil
}

// mendPieces drops the pieces that lack blocks. What the blocks hold is checked by its
// readers, with every read.
func (db *DB) mendPieces(ctx context.Context) error {
	const torn = `SELECT p.owner_id, p.id FROM pieces p WHERE p.state = 'live' AND p.blocks <>
		(SELECT count(*) FROM piece_blocks b WHERE b.owner_id = p.owner_id AND b.piece_id = p.id AND b.number < p.blocks)`
	type tornPiece struct {
		owner string
		id    memory.PieceID
	}
	lost, err := rowsOf(ctx, db, func(rows *rows) (p tornPiece, err error) {
		err = rows.Scan(&p.owner, &p.id)
		return p, err
	}, torn)
	for i := 0; i < len(lost) && err == nil; i++ {
		db.log.WarnContext(ctx, "a piece of the memory index lacked blocks; it is made again", "piece", lost[i].id)
		err = db.DropPieces(ctx, owner.Stored(lost[i].owner), []memory.PieceID{lost[i].id})
	}
	return err
}

// CheckRows looks for damaged rows: a time that cannot be written, or a number out of range.
// Readers get the nearest valid value; CheckRows reports where the damage is. It finds
// columns by name, so that it also checks new tables.
func (db *DB) CheckRows(ctx context.Context) ([]string, error) {
	const query = `SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c JOIN information_schema.tables t
		ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
		WHERE c.table_schema = current_schema() AND c.data_type = 'bigint' ORDER BY c.table_name, c.ordinal_position`
	tables := make(map[string][]storage.Check)
	names, err := rowsOf(ctx, db, func(rows *rows) (table string, err error) {
		var column string
		err = rows.Scan(&table, &column)
		if c, checked := storage.CheckNumber(column); checked {
			tables[table] = append(tables[table], c)
		}
		return table, err
	}, query)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var found []string
	for _, table := range slices.Compact(names) {
		some, err := db.checkTable(ctx, table, tables[table])
		if err != nil {
			return nil, fmt.Errorf("look for damaged rows of %s: %w", table, err)
		}
		found = append(found, some...)
	}
	return found, nil
}

// checkTable counts the damaged values of one table by column.
func (db *DB) checkTable(ctx context.Context, table string, checks []storage.Check) ([]string, error) {
	if len(checks) == 0 {
		return nil, nil
	}
	sums, counts, into := make([]string, len(checks)), make([]int64, len(checks)), make([]any, len(checks))
	for i, c := range checks {
		sums[i], into[i] = `count(*) FILTER (WHERE `+c.Condition+`)`, &counts[i]
	}
	if err := db.row(ctx, `SELECT `+strings.Join(sums, ", ")+` FROM `+storage.Quoted(table)).Scan(into...); err != nil {
		return nil, err
	}
	var found []string
	for i, c := range checks {
		if counts[i] > 0 {
			found = append(found, c.Found(counts[i], table))
		}
	}
	return found, nil
}
