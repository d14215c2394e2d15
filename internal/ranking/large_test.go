package ranking

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// large is a scope of n messages that all hold the same words, with a rare one
// in the third.
func large(n int) *Index {
	x := New()
	at := time.Date(2023, 6, 5, 9, 0, 0, 0, time.UTC)
	for i := range n {
		text := "The report of the harbour is late."
		if i == 2 {
			text = "The report of the harbour names a zeppelin."
		}
		x.Add(Document{
			MessageID: int64(i + 1), SessionID: "s", Root: "s", Seq: int64(i), Role: session.User,
			Text: text, SaidAt: at.Add(time.Duration(i) * time.Minute),
		})
	}
	return x
}

// TestLargeScope: a search of a large scope looks at no more than its effort,
// finds the rare word wherever it is, and of common ones the newest.
func TestLargeScope(t *testing.T) {
	t.Parallel()
	x := large(9 * effort)
	x.scratch = new(scratch)
	for ask, want := range map[string]func(int64) bool{
		"Which zeppelin does the harbour report name?": func(id int64) bool { return id == 3 },
		"Is the report of the harbour late?":           func(id int64) bool { return id > 8*effort },
	} {
		q := x.parse(Query{Text: ask})
		x.scratch.fit(x.size())
		x.match(&q)
		s := x.scratch
		lend := 0
		for i := range s.cells {
			if s.cells[i].anchor {
				lend++
			}
		}
		if len(s.found) > effort+len(s.hits) || lend == 0 || lend > fewHits {
			t.Errorf("%q: looked at %d occurrences and %d messages", ask, len(s.found), lend)
		}
		s.clear()
		hits := x.search(Query{Text: ask})
		if len(hits) == 0 || !want(hits[0].MessageID) {
			t.Errorf("%q: got %+v", ask, hits)
		}
	}
	s := x.scratch
	clean := !slices.ContainsFunc(s.places, func(p int32) bool { return p != 0 }) && len(s.words.lists)+len(s.found) == 0
	if !clean || !slices.Equal(s.cells, []cell{{doc: none}}) {
		t.Error("a search left something behind for the next one")
	}
}

// TestCommonWordsCount: where rare words found enough, a common one still tells
// which of these messages is meant, far behind the newest that a search takes in.
func TestCommonWordsCount(t *testing.T) {
	t.Parallel()
	x := New()
	at := time.Date(2023, 6, 5, 9, 0, 0, 0, time.UTC)
	const meant = 400
	for i := range 8 * effort {
		text := "The report of the mountain is long."
		switch {
		case i == meant:
			text = "A zeppelin passed by the harbour."
		case i%4 == 1:
			text = "The report of the harbour is long."
		case i%32 == 0 && i < 32*2*anchors:
			text = "A zeppelin passed by the mountain."
		}
		id := session.ID(fmt.Sprint("s", i/8))
		x.Add(Document{
			MessageID: int64(i + 1), SessionID: id, Root: id, Seq: int64(i % 8), Role: session.User,
			Text: text, SaidAt: at.Add(time.Duration(i) * time.Minute),
		})
	}
	hits := x.Search(Query{Text: "Which zeppelin passed by the harbour?"})
	if len(hits) == 0 || hits[0].MessageID != meant+1 {
		t.Errorf("got %+v", hits)
	}
}

// TestNewestWith: the newest messages with a word are exactly as many as asked for.
func TestNewestWith(t *testing.T) {
	t.Parallel()
	x := large(3*stepLength + 7)
	x.scratch = new(scratch)
	harbour := x.lookUp("harbour")
	all := x.newestWith(nil, harbour, 1<<20)
	if len(all) != x.Len() {
		t.Fatalf("got %d of %d", len(all), x.Len())
	}
	for _, n := range []int{0, 1, stepLength, stepLength + 1, 2*stepLength + 6, 3*stepLength + 6, 3*stepLength + 7, 1 << 20} {
		got := x.newestWith(nil, harbour, int32(n))
		if want := all[len(all)-min(n, len(all)):]; !slices.Equal(got, want) {
			t.Errorf("asked for %d: got %d", n, len(got))
		}
	}
}
