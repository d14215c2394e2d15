package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// sweepBytes is how much text is read before the connection is released for others.
const sweepBytes = 4 << 20

// sweep searches the rows of one table of an owner.
type sweep struct {
	db    *DB
	o     owner.Owner
	about *mention.Thing
	name  string
	table erasable
	texts []string // the searched columns

	trace curate.Trace
	// found are the rows that name the thing, with the columns that name it.
	found []sweptRow
	// told are texts that continue from row to row, as far as they have been read, by
	// their position in the row. toldOf names what they belong to.
	told   map[string]*strings.Builder
	toldOf string
	last   sweptRow
}

// sweptRow is a row, by its key, with the columns that name the thing.
type sweptRow struct {
	key   []any
	named []string
}

// Sweep implements curate.Sweeper.
func (db *DB) Sweep(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (curate.Swept, error) {
	var out curate.Swept
	if err := errNoOwner(o); err != nil {
		return out, err
	}
	err := db.eachTable(ctx, o, about, func(s *sweep) error {
		rows, texts := s.plan()
		switch s.name {
		case "jobs":
			out.Jobs += len(rows)
		case "facts", "vectors": // derived data: counted at the source
		default:
			out.Records += len(rows) + len(texts)
		}
		if dryRun || len(rows)+len(texts) == 0 {
			return nil
		}
		return s.erase(ctx, rows, texts)
	})
	return out, err
}

// Mentions implements curate.Sweeper.
func (db *DB) Mentions(ctx context.Context, o owner.Owner, about *mention.Thing) ([]curate.Trace, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	var out []curate.Trace
	err := db.eachTable(ctx, o, about, func(s *sweep) error {
		s.trace.Hits = len(s.found)
		out = append(out, s.trace)
		return nil
	})
	return out, err
}

// eachTable searches the tables with texts of owners, and calls each for them.
func (db *DB) eachTable(ctx context.Context, o owner.Owner, about *mention.Thing, each func(*sweep) error) error {
	columns, err := textColumns(ctx, db.read)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		s := &sweep{db: db, o: o, about: about, name: name, table: erasables()[name], trace: curate.Trace{File: "rows of " + name}}
		for _, text := range columns[name] {
			if s.table.columns[text].rule != ours {
				s.texts = append(s.texts, text)
			}
		}
		if s.table.key == nil { // a foreign table: only the files can be searched
			s.trace.File += " (not a table of hermes, not searched)"
			s.texts = nil
		}
		if err := s.search(ctx); err != nil {
			return err
		}
		if err := each(s); err != nil {
			return err
		}
	}
	return nil
}

// search reads all rows of the owner.
func (s *sweep) search(ctx context.Context) error {
	if len(s.texts) == 0 {
		return nil
	}
	key := s.table.key
	columns := strings.Join(slices.Concat(key, s.texts), ", ")
	places := strings.TrimSuffix(strings.Repeat("?,", len(key)), ",")
	first := fmt.Sprintf(`SELECT %s FROM %s WHERE owner_id = ? ORDER BY %s`, columns, s.name, strings.Join(key, ", "))
	behind := fmt.Sprintf(`SELECT %s FROM %s WHERE owner_id = ? AND (%s) > (%s) ORDER BY %s`, columns, s.name, strings.Join(key, ", "), places, strings.Join(key, ", "))
	query, args := first, []any{s.o.ID()}
	for {
		last, err := s.page(ctx, query, args, len(key))
		if err != nil || last == nil {
			s.endPieces()
			return err
		}
		query, args = behind, append([]any{s.o.ID()}, last...)
	}
}

// page reads rows until sweepBytes are reached, and returns the key of the last row;
// nil at the end of the table.
func (s *sweep) page(ctx context.Context, query string, args []any, keys int) (last []any, err error) {
	rows, err := s.db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", s.name, err)
	}
	defer func() { _ = rows.Close() }()
	for size := 0; rows.Next(); {
		key, texts := make([]any, keys), make([]sql.RawBytes, len(s.texts))
		dest := make([]any, 0, keys+len(texts))
		for i := range key {
			dest = append(dest, &key[i])
		}
		for i := range texts {
			dest = append(dest, &texts[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, fmt.Errorf("search %s: %w", s.name, err)
		}
		size += s.look(key, texts)
		if size >= sweepBytes {
			return key, nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search %s: %w", s.name, err)
	}
	return nil, nil
}

// look searches one row and returns the length of its texts.
func (s *sweep) look(key []any, texts []sql.RawBytes) int {
	size := 64 // for the row itself
	row := sweptRow{key: key}
	if s.table.whole != nil {
		if of := fmt.Sprint(key[:len(s.table.whole)]...); of != s.toldOf {
			s.endPieces()
			s.toldOf, s.told = of, make(map[string]*strings.Builder)
		}
		s.last = row
	}
	for i, name := range s.texts {
		size += len(texts[i])
		c := s.table.columns[name]
		if c.form == pieces {
			s.collect(texts[i])
		}
		if len(texts[i]) > 0 && c.names(s.about, texts[i]) {
			row.named = append(row.named, name)
		}
	}
	s.trace.Bytes += int64(size - 64)
	if len(row.named) > 0 {
		s.found = append(s.found, row)
	}
	return size
}

// maxPieces bounds the joined text of pieces. Longer texts are searched in parts.
const maxPieces = 1 << 20

// collect appends a piece to the previous pieces of its text.
func (s *sweep) collect(text []byte) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return
	}
	s.collectAt("", value)
}

func (s *sweep) collectAt(path string, value any) {
	switch v := value.(type) {
	case string:
		b := s.told[path]
		if b == nil {
			b = new(strings.Builder)
			s.told[path] = b
		}
		b.WriteString(v)
		if b.Len() > maxPieces {
			s.endPiece(b)
			tail := b.String()[b.Len()-maxPieces/16:]
			b.Reset()
			b.WriteString(tail)
		}
	case []any:
		for _, item := range v {
			s.collectAt(path+"[]", item)
		}
	case map[string]any:
		for name, item := range v {
			s.collectAt(path+"."+name, item)
		}
	}
}

// endPieces searches the joined texts.
func (s *sweep) endPieces() {
	for _, b := range s.told {
		s.endPiece(b)
	}
	s.told = nil
}

func (s *sweep) endPiece(b *strings.Builder) {
	if s.about.In(b.String()) {
		s.found = append(s.found, sweptRow{key: s.last.key, named: []string{"data"}})
	}
}

// plan divides the found rows into rows to delete and rows with columns to empty. Rows
// that the curator handles are in neither.
func (s *sweep) plan() (rows, texts []sweptRow) {
	for _, row := range s.found {
		gone := false
		var empty []string
		for _, name := range row.named {
			switch s.table.columns[name].rule {
			case wholeRow:
				gone = true
			case emptied:
				empty = append(empty, name)
			case unruled, ours, wholeLineage, rewritten:
			}
		}
		switch {
		case gone:
			rows = append(rows, row)
		case len(empty) > 0:
			texts = append(texts, sweptRow{row.key, empty})
		}
	}
	return rows, texts
}

// sweepBatch is how many rows one transaction changes.
const sweepBatch = 200

// erase deletes rows and empties columns.
func (s *sweep) erase(ctx context.Context, rows, texts []sweptRow) error {
	defer s.db.known.empty()
	for batch := range slices.Chunk(slices.Concat(rows, texts), sweepBatch) {
		err := s.db.w.submit(ctx, func(t *tx) error {
			t.erases, t.unpieces = true, t.unpieces || s.name == "facts"
			if s.name == "chats" {
				t.chatsChanged(s.o)
			}
			for i := range batch {
				if err := s.eraseRow(t, &batch[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("erase from %s: %w", s.name, err)
		}
	}
	return nil
}

func (s *sweep) eraseRow(t *tx, row *sweptRow) error {
	args := append([]any{s.o.ID()}, row.key...)
	gone := slices.ContainsFunc(row.named, func(name string) bool { return s.table.columns[name].rule == wholeRow })
	if !gone {
		where := " WHERE owner_id = ?"
		for _, name := range s.table.key {
			where += " AND " + name + " = ?"
		}
		_, err := t.exec("UPDATE "+s.name+" SET "+strings.Join(row.named, " = NULL, ")+" = NULL"+where, args...)
		return err
	}
	for _, query := range s.table.drop {
		// A statement may have fewer parameters than the key has columns.
		if _, err := t.exec(query, args[:strings.Count(query, "?")]...); err != nil {
			return err
		}
	}
	return nil
}
