package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Mover reads all data of a database, or fills an empty one, for a move to or from another
// store. No node can join the database meanwhile.
type Mover struct {
	db *DB
	// conn reads. Of a source, it reads one state of the database, in the transaction that
	// keeps nodes away.
	conn *pgxpool.Conn
	// guard keeps nodes away from a target; nil for a source.
	guard  *pgxpool.Conn
	shapes map[string]*shape
	names  []string // of the tables, in order
}

// shape is how the rows of a table are read and written for a move. Without exceptions it
// follows from the database's own list of columns.
type shape struct {
	columns []storage.MovedColumn
	types   []string // of the columns, as the database names them
	exprs   []string // that read the columns
	place   []string // columns that order the rows: the primary key
	counter string   // the column that the database numbers; "" for none
	where   string   // "" for all rows
	clear   string   // is executed before the first row is inserted; "" for nothing
	extra   *extra   // columns that are made from the others; nil for none
}

// leftTables are the tables and columns that do not move.
func leftTables() map[string]string {
	return map[string]string{
		"owners":                "a row is made with the first write of an owner",
		"schema_version":        "is about this database",
		"nodes":                 "are the servers that are running",
		"places":                "are what running servers wait for",
		"tickets":               "are what running servers wait for",
		"messages.terms":        "the text index is made anew from the content",
		"messages.figures":      "are made anew from the receipt",
		"pieces.grown_at":       "is of use only while a piece is made",
		"id_ranges.reserved_at": "is of use only while a server runs",
		"id_ranges.gaps":        "are of use only while an import runs",
	}
}

// Moving prepares a move from this database, or to it. It fails with Conflict while nodes
// use the database.
func (db *DB) Moving(ctx context.Context) (*Mover, error) {
	source := db.opt.Move == storage.MoveFrom
	if _, err := db.pool.Exec(ctx, bury); err != nil {
		return nil, fmt.Errorf("bury nodes: %w", judge(err))
	}
	m := &Mover{db: db}
	var err error
	if m.conn, err = db.pool.Acquire(ctx); err != nil {
		return nil, errBusy(ctx, err)
	}
	holder := m.conn
	if !source {
		if m.guard, err = db.pool.Acquire(ctx); err != nil {
			return nil, errors.Join(errBusy(ctx, err), m.Close())
		}
		holder = m.guard
	}
	err = keepNodesAway(ctx, holder.Conn())
	if err == nil {
		err = m.readShapes(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// keepNodesAway begins a transaction that keeps nodes from joining until it ends. What it
// reads afterwards is one state of the database.
func keepNodesAway(ctx context.Context, conn *pgx.Conn) error {
	for _, statement := range []string{
		`BEGIN ISOLATION LEVEL REPEATABLE READ`, `SET LOCAL lock_timeout = '10s'`, `SET LOCAL idle_in_transaction_session_timeout = 0`,
		`LOCK TABLE nodes IN SHARE MODE`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("keep servers away: %w", judge(err))
		}
	}
	var live int
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM nodes`).Scan(&live); err != nil {
		return fmt.Errorf("count servers: %w", judge(err))
	}
	if live > 0 {
		return fault.New(fault.Conflict, "nodes_live", fmt.Sprintf(
			"The PostgreSQL database is in use by servers: %d. Stop each hermes serve on it first. A server that was killed counts for %d seconds.",
			live, int(nodeLease.Seconds())))
	}
	return nil
}

// Close ends the move. The database stays open.
func (m *Mover) Close() error {
	for _, conn := range []*pgxpool.Conn{m.conn, m.guard} {
		if conn == nil {
			continue
		}
		_, err := conn.Exec(context.Background(), `ROLLBACK`)
		if err != nil { // the pool must not use it again
			_ = conn.Conn().Close(context.Background())
		}
		conn.Release()
	}
	return nil
}

// Name says where the data is, without a password.
func (m *Mover) Name() string { return m.db.Name() }

// Catalogue implements migrate.Store.
func (m *Mover) Catalogue() storage.Catalogue {
	c := storage.Catalogue{Left: leftTables()}
	for _, name := range m.names {
		c.Tables = append(c.Tables, storage.MovedTable{Name: name, Columns: m.shapes[name].columns})
	}
	return c
}

// Facts implements migrate.Store.
func (m *Mover) Facts(ctx context.Context, o owner.Owner, s memory.Scope, each func(*memory.StoredFact) bool) error {
	return m.db.Facts(ctx, o, s, each)
}

// readShapes reads which tables there are.
func (m *Mover) readShapes(ctx context.Context) error {
	const query = `SELECT c.relname::text, a.attname::text, t.typname::text, coalesce(array_position(i.indkey::int2[], a.attnum), -1), a.attidentity <> ''
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
		LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname, 4, a.attnum`
	rows, err := m.conn.Query(ctx, query)
	if err != nil {
		return fmt.Errorf("read schema: %w", judge(err))
	}
	defer rows.Close()
	m.shapes = make(map[string]*shape)
	for rows.Next() {
		var table, name, kind string
		var key int
		var numbered bool
		if err := rows.Scan(&table, &name, &kind, &key, &numbered); err != nil {
			return fmt.Errorf("read schema: %w", err)
		}
		m.addColumn(table, name, kind, key >= 0)
		if s := m.shapes[table]; numbered && s != nil {
			s.counter = name
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read schema: %w", judge(err))
	}
	for _, name := range m.names {
		m.shapes[name].except(name)
	}
	return nil
}

// addColumn adds a column to the shape of its table.
func (m *Mover) addColumn(table, name, kind string, key bool) {
	left := leftTables()
	if left[table] != "" || left[table+"."+name] != "" {
		return
	}
	s := m.shapes[table]
	if s == nil {
		s = &shape{}
		m.shapes[table], m.names = s, append(m.names, table)
	}
	column, expr := storage.MovedColumn{Name: name, Kind: storage.Text}, storage.Quoted(name)
	switch kind {
	case "int8":
		column.Kind = storage.Number
	case "bool":
		column.Kind, expr = storage.Number, expr+"::int::bigint"
	case "float8":
		column.Kind = storage.Real
	case "bytea":
		column.Kind = storage.Bytes
	case "_int8":
		expr = "array_to_json(" + expr + ")::text"
	}
	s.columns, s.types, s.exprs = append(s.columns, column), append(s.types, kind), append(s.exprs, expr)
	if key {
		s.place = append(s.place, storage.Quoted(name))
	}
}

// except completes the shape of a table with what is special about the table.
func (s *shape) except(name string) {
	switch name {
	case "meta":
		s.where = `name IN ('` + strings.Join(storage.StoreKeys(), `', '`) + `')`
		s.clear = `DELETE FROM meta WHERE ` + s.where
	case "id_ranges":
		s.clear = `DELETE FROM id_ranges`
		s.extra = rangeExtra()
	case "pieces":
		s.where = `state = 'live'`
		s.extra = pieceExtra()
	case "piece_blocks":
		s.where = `EXISTS (SELECT FROM pieces p WHERE p.owner_id = piece_blocks.owner_id AND p.id = piece_blocks.piece_id AND p.state = 'live')`
	case "messages":
		s.extra = messageExtra()
	}
}

// at is the index of a column.
func (s *shape) at(name string) int {
	return slices.IndexFunc(s.columns, func(c storage.MovedColumn) bool { return c.Name == name })
}
