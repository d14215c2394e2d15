// Package migrate moves all data from one store to another, and proves that the copy equals
// the source. It knows no database: both sides describe their tables, and a table that only
// one side knows ends the move before it begins.
//
// The copy is resumed where it stopped, because the target keeps a mark of how far it has
// come, in the transaction that stores the rows. A store with the mark is opened by nobody
// else, so that its jobs wait until the copy is complete.
package migrate

import (
	"context"
	"iter"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Store is one side of a move. It shows one state of its data, and nobody else writes.
type Store interface {
	// Catalogue lists the tables as the database has them.
	Catalogue() storage.Catalogue
	// Count counts the rows of a table that move.
	Count(ctx context.Context, table string) (int64, error)
	// Rows reads rows that move. An error is the last element.
	Rows(ctx context.Context, r storage.Reading) iter.Seq2[storage.MovedRow, error]
	// Lineages reads the end of every lineage, in any order.
	Lineages(ctx context.Context) iter.Seq2[storage.LineageEnd, error]
	// Counters are the highest numbers that the store has given to rows of tables.
	Counters(ctx context.Context) (map[string]int64, error)
	// Facts is that of memory.Store.
	Facts(ctx context.Context, o owner.Owner, s memory.Scope, each func(*memory.StoredFact) bool) error
}

// Target is the side that is filled.
type Target interface {
	Store
	// Mark is the mark of an unfinished copy; "" for none.
	Mark(ctx context.Context) (string, error)
	// Holds is the name of a table that has rows; "" for none.
	Holds(ctx context.Context) (table string, err error)
	// Add stores rows, and the mark, in one transaction.
	Add(ctx context.Context, b *storage.MovedBatch) error
	// SetCounters raises the counters.
	SetCounters(ctx context.Context, counters map[string]int64) error
	// Complete removes the mark.
	Complete(ctx context.Context) error
}

// Progress is how far a move has come.
type Progress struct {
	// Checking says that everything is copied, and the copy is compared with the source.
	Checking bool
	Table    string
	Rows     int64
	Of       int64 // rows in all
	Bytes    int64
	Left     time.Duration // estimated; 0 if it is not known yet
}

// Report is what was moved and compared.
type Report struct {
	Tables   int   `json:"tables"`
	Rows     int64 `json:"rows"`
	Bytes    int64 `json:"bytes"`
	Messages int64 `json:"messages"`
	Files    int64 `json:"files"`
	// Lineages and Scopes were compared by their hashes, and so was each row.
	Lineages int `json:"lineages"`
	Scopes   int `json:"scopes"`
	// Resumed says that an earlier run had begun the copy.
	Resumed bool          `json:"resumed"`
	Copying time.Duration `json:"-"`
	Compare time.Duration `json:"-"`
}

// move is one move.
type move struct {
	from   Store
	to     Target
	tables []storage.MovedTable
	total  int64
	mark   mark
	report Report
	began  time.Time
	skip   int64 // rows that an earlier run has copied
	tell   func(Progress)
}

// Run copies everything, compares the copy with the source, and removes the mark of the
// copy. It fails with Conflict if the target holds other data, or if the copy differs. tell
// is called with the progress.
func Run(ctx context.Context, from Store, to Target, tell func(Progress)) (*Report, error) {
	tables, err := plan(from.Catalogue(), to.Catalogue())
	if err != nil {
		return nil, err
	}
	m := &move{from: from, to: to, tables: tables, tell: tell, began: time.Now()}
	if err := m.takeUp(ctx); err != nil {
		return nil, err
	}
	if err := m.copyAll(ctx); err != nil {
		return nil, err
	}
	m.report.Copying = time.Since(m.began)
	if err := m.compare(ctx); err != nil {
		return nil, err
	}
	m.report.Compare = time.Since(m.began) - m.report.Copying
	return &m.report, to.Complete(ctx)
}

// takeUp finds out whether the copy is a new one.
func (m *move) takeUp(ctx context.Context) error {
	source, err := m.identity(ctx)
	if err != nil {
		return err
	}
	text, err := m.to.Mark(ctx)
	if err != nil {
		return err
	}
	if text == "" {
		table, err := m.to.Holds(ctx)
		if err == nil && table != "" {
			err = fault.New(fault.Conflict, "target_not_empty",
				"The target holds data already, in the table "+table+". Nothing was changed. Name a target that is empty or not there yet.")
		}
		m.mark = mark{Source: source}
		return err
	}
	if m.mark, err = readMark(text); err != nil {
		return err
	}
	if m.mark.Source != source {
		return fault.New(fault.Conflict, "other_copy",
			"The target holds an unfinished copy of another database. Nothing was changed. Name the database that the copy began with, or another target.")
	}
	m.report.Resumed, m.skip = true, m.mark.Rows
	return nil
}
