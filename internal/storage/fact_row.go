package storage

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// FactColumns are the columns of a fact, in the order of FactRow.
const FactColumns = `number, root_id, seq, id, session_id, kind, role, speaker, quote, quote_start, quote_end, statement,
	subject, attribute, value, because, said_at, when_from, when_to, superseded_by, superseded_at, links, doubted_by, section, weight`

// FactRow is a row of FactColumns. Reading values as the driver has them, and converting them here, costs
// half of what database/sql needs to convert them.
type FactRow [25]any

// FactReader makes facts of the rows of one query. Drivers make a new text for each row, and
// facts stay in memory: a reader makes those texts one that many rows have.
type FactReader struct {
	Row    FactRow
	shared map[string]string
}

// NewFactReader returns a reader, and where a driver puts the values of each row.
func NewFactReader() (*FactReader, []any) {
	r := &FactReader{shared: make(map[string]string)}
	into := make([]any, len(r.Row))
	for i := range r.Row {
		into[i] = &r.Row[i]
	}
	return r, into
}

func (r *FactReader) text(column int) string {
	s, _ := r.Row[column].(string)
	return s
}

// same is the text of a column that many rows share.
func (r *FactReader) same(column int) string {
	s := r.text(column)
	known, found := r.shared[s]
	if !found {
		r.shared[s], known = s, s
	}
	return known
}

func (r *FactReader) number(column int) int64 {
	n, _ := r.Row[column].(int64)
	return n
}

func (r *FactReader) time(column int) time.Time {
	if n, there := r.Row[column].(int64); there {
		return bound.FromMillis(n)
	}
	return time.Time{}
}

// Fact is the fact of the row.
func (r *FactReader) Fact() memory.StoredFact {
	number := memory.FactNumber(r.number(0))
	f := memory.StoredFact{
		Fact: memory.Fact{
			ID: memory.FactID(r.text(3)), Kind: memory.Kind(r.same(5)), Quote: r.text(8),
			Source: memory.Source{
				MessageID: number.Message(), Root: session.ID(r.same(1)), Seq: r.number(2), SessionID: session.ID(r.same(4)),
				Role: session.Role(r.same(6)), Speaker: r.same(7), Start: int(r.number(9)), End: int(r.number(10)),
			},
			Subject: r.text(12), Attribute: r.text(13), Value: r.text(14), Because: r.text(15),
			SaidAt: bound.FromMillis(r.number(16)), When: memory.Interval{From: r.time(17), To: r.time(18)},
			SupersededBy: memory.FactID(r.text(19)), SupersededAt: r.time(20),
		},
		Mark: memory.Mark{Number: number, DoubtedBy: memory.FactID(r.text(22)), Section: memory.Nowhere},
	}
	f.Statement = statementOf(f.Quote, r.text(11))
	if links := r.text(21); links != "" && json.Unmarshal([]byte(links), &f.Links) != nil {
		f.Links = nil // the row is damaged: the fact is returned without links
	}
	if section, there := r.Row[23].(int64); there && section >= 0 && section < int64(memory.Nowhere) {
		f.Section, f.Weight = memory.Section(section), int32(r.number(24))
	}
	return f
}

// statementOf is the statement of a quote, in the memory of the quote. Its column is empty if it is the
// whole quote.
func statementOf(quote, column string) string {
	if column == "" {
		return quote
	}
	if at := strings.Index(quote, column); at >= 0 {
		return quote[at : at+len(column)]
	}
	return column
}
