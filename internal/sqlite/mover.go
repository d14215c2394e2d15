package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Mover reads all data of a database, or fills an empty one, for a move to or from another
// store. It reads one state of the database.
type Mover struct {
	db   *DB
	conn *sql.Conn // for reading
	// reading says that conn has a transaction open: the database is the source.
	reading bool
	shapes  map[string]shape
	names   []string // of the tables, in order
}

// shape is how the rows of a table are read and written for a move. Without exceptions it
// follows from the database's own list of columns.
type shape struct {
	columns []storage.MovedColumn
	exprs   []string // that read the columns
	place   []string // expressions that order the rows
	from    string
	where   string // "" for all rows
	insert  string
	clear   string // is executed before the first row is inserted; "" for nothing
}

// leftTables are the tables that do not move.
func leftTables() map[string]string {
	return map[string]string{
		"transcript_changes": "the mirror of transcripts compares its files with all sessions after a move",
		"id_ranges.whole":    "how far the text index has come, which is made anew",
	}
}

// Moving prepares a move from this database, or to it. A database that must rebuild derived
// data cannot be moved before it has done so.
func (db *DB) Moving(ctx context.Context) (*Mover, error) {
	source := db.opt.Move == storage.MoveFrom
	if source {
		if err := db.readyToMove(ctx); err != nil {
			return nil, err
		}
	}
	conn, err := db.read.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open database for reading: %w", err)
	}
	m := &Mover{db: db, conn: conn, reading: source}
	if source {
		if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
			return nil, errors.Join(fmt.Errorf("begin to read: %w", err), conn.Close())
		}
	}
	if err := m.readShapes(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// readyToMove completes what the file makes only when it is first needed, and refuses a file
// that lacks derived data.
func (db *DB) readyToMove(ctx context.Context) error {
	if slices.Contains(db.lost, "facts") {
		return fault.New(fault.Conflict, "not_rebuilt",
			"The memory in "+db.opt.Path+" has to be rebuilt first, after an upgrade or a repair. Start hermes serve once, stop it, and move the data then.")
	}
	if err := db.w.submit(ctx, func(t *tx) error {
		_, err := t.auditSalt()
		return err
	}); err != nil {
		return err
	}
	const without = `SELECT DISTINCT owner_id FROM scopes s WHERE NOT EXISTS (SELECT 1 FROM id_ranges r WHERE r.owner_id = s.owner_id)`
	owners, err := rowsOf(ctx, db, func(rows *sql.Rows) (id string, err error) {
		err = rows.Scan(&id)
		return id, err
	}, without)
	for i := 0; i < len(owners) && err == nil; i++ {
		_, err = db.counter(ctx, owner.Stored(owners[i]))
	}
	if err != nil {
		return fmt.Errorf("give owners their ranges of ids: %w", err)
	}
	return nil
}

// Close ends the move. The database stays open.
func (m *Mover) Close() error {
	if m.reading {
		_, _ = m.conn.ExecContext(context.Background(), `ROLLBACK`) // closing the connection would do the same
	}
	return m.conn.Close()
}

// Name says where the data is.
func (m *Mover) Name() string { return m.db.opt.Path }

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
	const query = `SELECT t.name, c.name, c.type, c.pk FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`
	rows, err := m.conn.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	m.shapes = make(map[string]shape)
	for rows.Next() {
		var table, name, kind string
		var key int
		if err := rows.Scan(&table, &name, &kind, &key); err != nil {
			return fmt.Errorf("read schema: %w", err)
		}
		m.addColumn(table, name, kind, key > 0)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	for _, name := range m.names {
		m.shapes[name] = excepted(name, m.shapes[name])
	}
	return nil
}

// addColumn adds a column to the shape of its table.
func (m *Mover) addColumn(table, name, kind string, key bool) {
	left := leftTables()
	if left[table] != "" || left[table+"."+name] != "" {
		return
	}
	s, known := m.shapes[table]
	if !known {
		m.names = append(m.names, table)
	}
	quoted := storage.Quoted(name)
	s.columns = append(s.columns, storage.MovedColumn{Name: name, Kind: kindOf(kind)})
	s.exprs = append(s.exprs, quoted)
	if key {
		s.place = append(s.place, quoted)
	}
	m.shapes[table] = s
}

// kindOf is the kind of a column's type.
func kindOf(declared string) storage.Kind {
	switch declared {
	case "INTEGER":
		return storage.Number
	case "REAL":
		return storage.Real
	case "BLOB":
		return storage.Bytes
	}
	return storage.Text
}

// excepted completes the shape of a table, with what is special about the table.
func excepted(name string, s shape) shape {
	s.from = storage.Quoted(name)
	if s.place == nil {
		s.place = []string{"rowid"}
	}
	s.insert = `INSERT INTO ` + s.from + ` (` + strings.Join(s.exprs, ", ") + `) VALUES (?` + strings.Repeat(", ?", len(s.exprs)-1) + `)`
	switch name {
	case "meta":
		keys := `name IN ('` + strings.Join(storage.StoreKeys(), `', '`) + `')`
		s.where, s.clear = keys, `DELETE FROM meta WHERE `+keys
	case "id_ranges": // the newest id is known from the messages, too
		i := slices.Index(s.exprs, `"newest"`)
		s.exprs[i] = `max(newest, coalesce((SELECT max(id) FROM messages WHERE id >= range_id << 33 AND id < (range_id + 1) << 33), 0))`
		s.where, s.clear = `owner_id IS NOT NULL`, `DELETE FROM id_ranges`
		s.insert = strings.Replace(strings.Replace(s.insert, `) VALUES`, `, whole) VALUES`, 1), `?)`, `?, 0)`, 1)
	case "pieces":
		s.where = `state = 'live'`
	case "piece_blocks":
		return blockShape()
	}
	return s
}

// blockShape is the shape of the blocks of pieces: their keys have two numbers in one.
func blockShape() shape {
	return shape{
		columns: []storage.MovedColumn{
			{Name: "owner_id", Kind: storage.Text}, {Name: "piece_id"}, {Name: "number"}, {Name: "data", Kind: storage.Bytes},
		},
		exprs:  []string{"p.owner_id", "b.id >> 16", "b.id & 65535", "b.data"},
		place:  []string{"b.id"},
		from:   `piece_blocks b JOIN pieces p ON p.id = b.id >> 16`,
		where:  `p.state = 'live'`,
		insert: `INSERT INTO piece_blocks (id, data) SELECT ?2 << 16 | ?3, ?4 WHERE ?1 IS NOT NULL`,
	}
}
