package migrate

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/storage"
)

// digest adds up rows in any order: how many, and the sum of their hashes.
type digest struct {
	rows, sum uint64
	seed      maphash.Seed
	row       []byte // the newest row, encoded
	all       []byte
}

// add adds a row. Its values are in the given order of columns.
func (d *digest) add(values []any) {
	d.encode(values)
	d.rows++
	d.sum += maphash.Bytes(d.seed, d.row)
}

// encode writes a row so that no two rows are written alike.
func (d *digest) encode(values []any) {
	d.row = d.row[:0]
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			d.row = append(d.row, 'x')
		case int64:
			d.row = binary.LittleEndian.AppendUint64(append(d.row, 'n'), uint64(v)) //nolint:gosec // the bits of it
		case float64:
			d.row = binary.LittleEndian.AppendUint64(append(d.row, 'r'), math.Float64bits(v))
		case string:
			d.row = append(binary.AppendUvarint(append(d.row, 't'), uint64(len(v))), v...)
		case []byte:
			d.row = append(binary.AppendUvarint(append(d.row, 'b'), uint64(len(v))), v...)
		}
	}
}

// errDiffers is the fault of a copy that is not equal to its source.
func errDiffers(what string) error {
	return fault.New(fault.Conflict, "copy_differs", "The copy differs from the source: "+what+
		". The source may have been changed after the copy had begun. The target stays unusable: empty it, and move the data again.")
}

// compare proves that the copy equals the source: the rows of each table, the running hash
// at the end of each lineage, and the state hash of each scope.
func (m *move) compare(ctx context.Context) error {
	var rows int64
	for _, t := range m.tables {
		m.tell(Progress{Checking: true, Table: t.Name, Rows: rows, Of: m.total, Bytes: m.mark.Bytes})
		n, err := m.compareTable(ctx, t)
		if err != nil {
			return err
		}
		rows += n
	}
	if err := m.compareLineages(ctx); err != nil {
		return err
	}
	return m.compareScopes(ctx)
}

// both runs work for the source and for the target at the same time.
func both[T any](m *move, work func(Store) (T, error)) (from, to T, err error) {
	done := recovery.Async(func() (err error) {
		from, err = work(m.from)
		return err
	})
	to, err = work(m.to)
	if failed := <-done; err == nil {
		err = failed
	}
	return from, to, err
}

// sum is the count and the sum of a digest.
type sum struct{ rows, hash uint64 }

func (m *move) compareTable(ctx context.Context, t storage.MovedTable) (int64, error) {
	seed := maphash.MakeSeed()
	from, to, err := both(m, func(side Store) (sum, error) {
		d := digest{seed: seed}
		table, order := ordered(side, t)
		values := make([]any, len(order))
		for row, err := range side.Rows(ctx, storage.Reading{Table: table}) {
			if err != nil {
				return sum{}, err
			}
			for i, at := range order {
				values[i] = row.Values[at]
			}
			d.add(values)
		}
		return sum{d.rows, d.sum}, nil
	})
	switch {
	case err != nil:
		return 0, err
	case from.rows != to.rows:
		return 0, errDiffers(fmt.Sprintf("the table %s has %d rows at the source and %d in the copy", t.Name, from.rows, to.rows))
	case from.hash != to.hash:
		return 0, errDiffers("rows of the table " + t.Name + " are not the same")
	}
	return int64(from.rows), nil //nolint:gosec // a number of rows
}

// ordered is a table as a side has it, and where the columns of the source are in its rows.
func ordered(side Store, t storage.MovedTable) (storage.MovedTable, []int) {
	tables := side.Catalogue().Tables
	own := tables[slices.IndexFunc(tables, func(o storage.MovedTable) bool { return o.Name == t.Name })]
	order := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		order[i] = slices.Index(own.Columns, c)
	}
	return own, order
}

func (m *move) compareLineages(ctx context.Context) error {
	seed := maphash.MakeSeed()
	from, to, err := both(m, func(side Store) (sum, error) {
		d := digest{seed: seed}
		for end, err := range side.Lineages(ctx) {
			if err != nil {
				return sum{}, err
			}
			d.add([]any{end.Owner, end.Root, end.Seq, end.Hash})
		}
		return sum{d.rows, d.sum}, nil
	})
	if err == nil && from != to {
		err = errDiffers("lineages do not end with the same running hash")
	}
	m.report.Lineages = int(from.rows) //nolint:gosec // a number of rows
	return err
}

// compareScopes compares the state hash of each scope.
func (m *move) compareScopes(ctx context.Context) error {
	scopes, err := m.scopes(ctx)
	if err != nil {
		return err
	}
	for i := range scopes {
		s := &scopes[i]
		from, to, err := both(m, func(side Store) (string, error) { return stateHash(ctx, side, s.owner, s.scope) })
		if err != nil {
			return err
		}
		if from != to {
			return errDiffers("the memory of a scope has not the same state hash")
		}
		m.report.Scopes++
		m.tell(Progress{Checking: true, Table: "scopes", Rows: m.total, Of: m.total, Bytes: m.mark.Bytes})
	}
	return nil
}

// ownedScope is a scope of an owner.
type ownedScope struct {
	owner owner.Owner
	scope memory.Scope
}

// scopes are the scopes at the source.
func (m *move) scopes(ctx context.Context) (out []ownedScope, err error) {
	i := slices.IndexFunc(m.tables, func(t storage.MovedTable) bool { return t.Name == "scopes" })
	t := m.tables[i]
	at := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c storage.MovedColumn) bool { return c.Name == name })
	}
	who, key, root := at("owner_id"), at("session_key"), at("root_id")
	for row, err := range m.from.Rows(ctx, storage.Reading{Table: t}) {
		if err != nil {
			return nil, err
		}
		text := func(i int) string {
			s, _ := row.Values[i].(string) // null for none
			return s
		}
		out = append(out, ownedScope{owner.Stored(text(who)), memory.Scope{Key: session.Key(text(key)), Root: session.ID(text(root))}})
	}
	return out, nil
}

// stateHash is the state hash of a scope.
func stateHash(ctx context.Context, side Store, o owner.Owner, s memory.Scope) (hash string, err error) {
	hash = memory.HashOf(func(yield func(memory.Fact) bool) {
		err = side.Facts(ctx, o, s, func(f *memory.StoredFact) bool { return yield(f.Fact) })
	})
	return hash, err
}
