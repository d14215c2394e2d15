package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
)

// Sweep searches the rows of one table of an owner for a forgotten thing. The store reads
// the rows, and erases what the sweep has found.
type Sweep struct {
	Name  string
	Table Table
	Texts []string // the searched columns
	// Trace counts what was searched.
	Trace curate.Trace

	about *mention.Thing
	scope scope
	// each is called with the texts instead of a search; nil searches.
	each func(text string)
	// found are the rows that name the thing, with the columns that name it.
	found []Row
	// told are texts that continue from row to row, as far as they have been read, by
	// their position in the row. toldOf names what they belong to.
	told   map[string]*strings.Builder
	toldOf string
	last   Row
}

// Row is a row, by its key, with the columns that name the thing.
type Row struct {
	Key   []any
	Named []string
	// Texts are what replaces the texts of columns.
	Texts map[string]string
	// Erased says that the row is an event of a chat that waits, and stays without what was said.
	Erased bool
}

// NewSweep returns the search of a table with some text columns.
func NewSweep(about *mention.Thing, name string, texts []string) *Sweep {
	s := &Sweep{about: about, Name: name, Table: Tables()[name], Trace: curate.Trace{File: "rows of " + name}}
	for _, text := range texts {
		if s.Table.Columns[text].Rule != Ours {
			s.Texts = append(s.Texts, text)
		}
	}
	if s.Table.Key == nil { // a foreign table: its rows cannot be told apart
		s.Trace.File += " (not a table of hermes, not searched)"
		s.Texts = nil
	}
	return s
}

// scope says which rows a search takes.
type scope int

const (
	everything scope = iota
	allButOrders
	ordersAlone
)

// has reports whether a search takes an event that is an order, or another row.
func (s scope) has(order bool) bool {
	return s == everything || order == (s == ordersAlone)
}

// same reports whether a name is that of a thing, however it is spelled.
func same(about *mention.Thing, name string) bool {
	return about.In(name) && mention.Of(name).In(about.About())
}

// Sweeping makes the searches of tables for a thing.
func Sweeping(about *mention.Thing) func(name string, texts []string) *Sweep {
	return func(name string, texts []string) *Sweep { return NewSweep(about, name, texts) }
}

// Erasing makes the searches of tables for what is to be erased of a thing: orders to forget stay for [NewOrders].
func Erasing(about *mention.Thing) func(name string, texts []string) *Sweep {
	return func(name string, texts []string) *Sweep {
		s := NewSweep(about, name, texts)
		s.scope = allButOrders
		return s
	}
}

// Orders is the table with the events of chats, some of which order to forget a thing.
const Orders = "chat_events"

// NewOrders returns the search of the orders to forget, with the table's text columns.
func NewOrders(about *mention.Thing, texts []string) *Sweep {
	s := NewSweep(about, Orders, texts)
	s.scope = ordersAlone
	return s
}

// ReadingTexts makes the sweeps of tables that only read texts.
func ReadingTexts(each func(text string)) func(name string, texts []string) *Sweep {
	return func(name string, texts []string) *Sweep { return NewReading(name, texts, each) }
}

// NewReading returns a sweep that only reads the texts of a table. Texts that continue from
// row to row are given whole.
func NewReading(name string, texts []string, each func(text string)) *Sweep {
	s := NewSweep(nil, name, texts)
	s.each = each
	return s
}

// read gives a text away; of JSON, the texts in it.
func (s *Sweep) read(form Form, text []byte) {
	var value any
	if form == Heading {
		s.each(mention.ChosenTitle(string(text)))
		return
	}
	if form == Plain || form == Marks || json.Unmarshal(text, &value) != nil {
		s.each(string(text))
		return
	}
	s.readIn(value)
}

func (s *Sweep) readIn(value any) {
	switch v := value.(type) {
	case string:
		s.each(v)
	case float64:
		s.each(strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		for _, item := range v {
			s.readIn(item)
		}
	case map[string]any:
		for name, item := range v {
			s.each(name)
			s.readIn(item)
		}
	}
}

// Pages are the statements that read the table: its first rows, and the rows behind a key.
// The first argument is the owner, and place returns the placeholder of an argument.
func (s *Sweep) Pages(place func(n int) string) (first, behind string) {
	key := strings.Join(s.Table.Key, ", ")
	columns := strings.Join(slices.Concat(s.Table.Key, s.Table.reads(s.Texts)), ", ")
	places := make([]string, len(s.Table.Key))
	for i := range places {
		places[i] = place(i + 2)
	}
	of := "SELECT " + columns + " FROM " + s.Name + " WHERE owner_id = " + place(1)
	return of + " ORDER BY " + key, of + " AND (" + key + ") > (" + strings.Join(places, ", ") + ") ORDER BY " + key
}

// Hits are how many rows name the thing.
func (s *Sweep) Hits() int { return len(s.found) }

// Look searches one row and returns the length of its texts. The texts are read during the
// call only.
func (s *Sweep) Look(key []any, texts [][]byte) int {
	size := 64 // for the row itself
	row := Row{Key: key}
	if s.Table.Whole != nil {
		if of := fmt.Sprint(key[:len(s.Table.Whole)]...); of != s.toldOf {
			s.End()
			s.toldOf, s.told = of, make(map[string]*strings.Builder)
		}
		s.last = row
	}
	for i, name := range s.Texts {
		size += len(texts[i])
		c := s.Table.Columns[name]
		if c.Form == Pieces {
			s.collect(texts[i])
		}
		if len(texts[i]) == 0 {
			continue
		}
		if s.each != nil {
			s.read(c.Form, texts[i])
		} else if c.names(s.about, texts[i]) {
			row.Named = append(row.Named, name)
		}
	}
	s.Trace.Bytes += int64(size - 64)
	if len(row.Named) > 0 && s.Name == Orders {
		s.lookAtEvent(&row, texts)
	}
	if len(row.Named) > 0 {
		s.found = append(s.found, row)
	}
	return size
}

// lookAtEvent decides what stays of an event that names the thing, if it has a body: then it waits for its answer.
func (s *Sweep) lookAtEvent(row *Row, texts [][]byte) {
	body, plan := texts[slices.Index(s.Texts, "body")], texts[slices.Index(s.Texts, "plan")]
	thing, ordered := curate.OrderedThing(string(plan))
	if !s.scope.has(ordered) {
		row.Named = nil
		return
	}
	planned, said := slices.Contains(row.Named, "plan"), slices.Contains(row.Named, "body")
	if len(body) == 0 || !(planned || said) {
		return
	}
	if !said {
		row.Named = append(row.Named, "body")
	}
	s.keepEvent(row, body, planned)
	if ordered {
		s.endOrder(row, thing)
	}
}

// endOrder decides what stays of the plan of an order to forget a thing.
func (s *Sweep) endOrder(row *Row, thing string) {
	if !same(s.about, thing) {
		return // another thing: the order loses its words
	}
	if !slices.Contains(row.Named, "plan") {
		row.Named = append(row.Named, "plan")
	}
	row.Texts["plan"] = curate.OrderDone
}

// maxPieces bounds the joined text of pieces. Longer texts are searched in parts.
const maxPieces = 1 << 20

// collect appends a piece to the previous pieces of its text.
func (s *Sweep) collect(text []byte) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return
	}
	s.collectAt("", value)
}

func (s *Sweep) collectAt(path string, value any) {
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

// End is called after the last row of the owner: texts that continue from row to row are
// searched as one.
func (s *Sweep) End() {
	for _, b := range s.told {
		s.endPiece(b)
	}
	s.told = nil
}

func (s *Sweep) endPiece(b *strings.Builder) {
	if s.each != nil {
		s.each(b.String())
		return
	}
	if s.about.In(b.String()) {
		s.found = append(s.found, Row{Key: s.last.Key, Named: []string{"data"}})
	}
}

// Plan divides the found rows into rows to delete and rows with columns to empty or to replace. Rows
// that the curator handles are in neither.
func (s *Sweep) Plan() (rows, texts []Row) {
	for _, row := range s.found {
		gone := false
		stays := row
		stays.Named = nil
		for _, name := range row.Named {
			switch s.Table.Columns[name].Rule {
			case WholeRow:
				gone = true
			case Emptied, Replaced:
				stays.Named = append(stays.Named, name)
			case Unruled, Ours, WholeLineage, Rewritten:
			}
		}
		switch {
		case gone:
			rows = append(rows, row)
		case len(stays.Named) > 0:
			texts = append(texts, stays)
		}
	}
	return rows, texts
}

// Count adds the rows of a plan to the outcome of a sweep.
func (s *Sweep) Count(out *curate.Swept, rows, texts []Row) {
	switch s.Name {
	case "jobs":
		out.Jobs += len(rows)
	case "facts", "vectors": // derived data: counted at the source
	default:
		out.Records += len(rows) + len(texts)
	}
	for i := range texts {
		if texts[i].Erased {
			out.Unanswered++
		}
	}
}
