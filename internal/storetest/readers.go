package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func readerTests() []test {
	return []test{
		{"facts are numbered by message and part", testFactNumbers},
		{"facts are read by number, name and message", testFactsByNeed},
		{"the newest facts are read page by page", testFactsSince},
		{"the heaviest facts of a section", testShelf},
		{"marks of facts change", testMarks},
		{"a rewrite replaces facts with their marks", testRewriteMarks},
		{"messages are read by id", testDocumentsNumbered},
		{"messages are read back from a place", testDocumentsBefore},
		{"ids of messages are read", testMessageIDs},
		{"many facts are read in order", testManyFacts},
		{"what is read ahead is what the pieces lack", testOpening},
	}
}

// tellTwice stores a step of messages with two facts each.
func tellTwice(t *testing.T, st Store, l *talk, texts ...string) (facts []memory.Fact, numbers []memory.FactNumber) {
	t.Helper()
	step := l.step(t, st, texts...)
	for i := range step.Messages {
		m := &step.Messages[i]
		one, two := fact(memory.FactID(fmt.Sprintf("%s-%d-z", l.root(), m.Seq)), m, memory.Plain), fact(memory.FactID(fmt.Sprintf("%s-%d-a", l.root(), m.Seq)), m, memory.Decision)
		step.Changes = append(step.Changes, memory.Change{Learned: []memory.Fact{one}}, memory.Change{Learned: []memory.Fact{two}})
		facts = append(facts, one, two)
		numbers = append(numbers, memory.NumberOf(m.ID, 0), memory.NumberOf(m.ID, 1))
	}
	l.commit(t, st, step)
	return facts, numbers
}

// testOpening compares what a store reads with a manifest with what it reads later: behind no
// piece, behind pieces of each kind, in a lineage and under a key, and more than it reads ahead.
func testOpening(t *testing.T, st Store) {
	for _, key := range []session.Key{"", "key"} {
		l := newTalk(alice(), session.ID("s"+key), key)
		scope := memory.Scope{Root: l.root(), Key: key}
		if key != "" {
			scope.Root = ""
		}
		opens(t, st, scope)
		tellTwice(t, st, l, "one", "two", "three", "four")
		opens(t, st, scope)
		put(t, st, alice(), scope, pieceOf(memory.MessagePiece, &l.messages[0], &l.messages[0]), "x")
		opens(t, st, scope)
		put(t, st, alice(), scope, pieceOf(memory.FactPiece, &l.messages[0], &l.messages[2]), "x")
		opens(t, st, scope)
		tellTwice(t, st, l, slices.Repeat([]string{"more"}, 300)...)
		opens(t, st, scope)
	}
}

// opens checks an opening of a scope.
func opens(t *testing.T, st Store, scope memory.Scope) {
	t.Helper()
	begun, err := st.Opening(t.Context(), alice(), scope)
	kind(t, "opening", err, "")
	m := manifest(t, st, scope)
	same(t, "manifest", begun.Manifest, m)
	if f := begun.Facts; f.Read {
		same(t, "the last fact of pieces", f.After, int64(memory.LastNumber(m.Last(memory.FactPiece))))
		all, err := st.FactsSince(t.Context(), alice(), scope, memory.FactNumber(f.After), 1000)
		kind(t, "facts", err, "")
		ahead(t, "facts", f.Rows, all, f.More)
	}
	if d := begun.Documents; d.Read {
		same(t, "the last message of pieces", d.After, m.Last(memory.MessagePiece))
		var all []ranking.Document
		kind(t, "messages", st.Documents(t.Context(), alice(), scope, d.After, func(d ranking.Document) bool {
			all = append(all, d)
			return true
		}), "")
		ahead(t, "messages", d.Rows, all, d.More)
	}
}

// ahead checks that rows are all of a list, or the first ones of it and marked so.
func ahead[R any](t *testing.T, what string, rows, all []R, more bool) {
	t.Helper()
	if len(rows) > len(all) || !more && len(rows) != len(all) {
		t.Errorf("%s: got %d of %d, more follow: %v", what, len(rows), len(all), more)
		return
	}
	for i := range rows {
		same(t, what, rows[i], all[i])
	}
}

// unmarked are facts as a store returns them without marks.
func unmarked(facts []memory.Fact, numbers []memory.FactNumber) []memory.StoredFact {
	var out []memory.StoredFact
	for i := range facts {
		out = append(out, memory.StoredFact{Fact: facts[i], Mark: memory.Mark{Number: numbers[i], Section: memory.Nowhere}})
	}
	return out
}

func testFactNumbers(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	facts, numbers := tellTwice(t, st, l, "one", "two", "three")
	if got := numbers[1]; got.Message() != l.messages[0].ID || got.Part() != 1 || numbers[0] >= got || got >= numbers[2] {
		t.Errorf("got the numbers %d, want them in the order of messages and parts", numbers)
	}
	var got []memory.StoredFact
	kind(t, "facts", st.Facts(t.Context(), alice(), memory.Scope{Key: "key"}, func(f *memory.StoredFact) bool {
		got = append(got, *f)
		return len(got) < 4
	}), "")
	same(t, "the first four facts", got, unmarked(facts, numbers)[:4])

	// A message with a lower id may be stored after one with a higher id.
	late, early := newTalk(alice(), "late", "key"), newTalk(alice(), "early", "key")
	first, second := early.step(t, st, "reserved first"), late.step(t, st, "stored first")
	a, b := fact("a", &first.Messages[0], memory.Plain), fact("b", &second.Messages[0], memory.Plain)
	first.Changes, second.Changes = []memory.Change{{Learned: []memory.Fact{a}}}, []memory.Change{{Learned: []memory.Fact{b}}}
	late.commit(t, st, second)
	early.commit(t, st, first)
	known(t, "the order of ids, and not of commits", st, memory.Scope{Key: "key"}, append(facts, a, b)...)
}

func testFactsByNeed(t *testing.T, st Store) {
	ctx := t.Context()
	l, other, alone := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "other key"), newTalk(alice(), "alone", "")
	facts, numbers := tellTwice(t, st, l, "one", "two", "three")
	strange, strangers := tellTwice(t, st, other, "elsewhere")
	own, ownNumbers := tellTwice(t, st, alone, "alone")
	want := unmarked(facts, numbers)
	for _, c := range []struct {
		what  string
		scope memory.Scope
		want  []memory.StoredFact
	}{
		{"of a key", memory.Scope{Key: "key"}, []memory.StoredFact{want[1], want[4]}},
		{"of another key", memory.Scope{Key: "other key"}, unmarked(strange, strangers)[:1]},
		{"of a lineage", memory.Scope{Root: "alone"}, unmarked(own, ownNumbers)},
		{"of a whole lineage", memory.Scope{Root: "s", Whole: true}, []memory.StoredFact{want[1], want[4]}},
		{"of the past", memory.Scope{Key: "key", AsOf: epoch()}, nil},
		{"of an absent key", memory.Scope{Key: "none"}, nil},
		{"of an absent lineage", memory.Scope{Root: "none"}, nil},
	} {
		asked := []memory.FactNumber{numbers[4], numbers[1], strangers[0], ownNumbers[1], ownNumbers[0], 99, -1}
		got, err := st.FactsNumbered(ctx, alice(), c.scope, asked)
		kind(t, c.what, err, "")
		same(t, "by number, "+c.what, got, c.want)
		named := []memory.FactID{facts[4].ID, facts[1].ID, strange[0].ID, own[1].ID, own[0].ID, "f_none", ""}
		got, err = st.FactsNamed(ctx, alice(), c.scope, named)
		kind(t, c.what, err, "")
		same(t, "by name, "+c.what, got, c.want)
	}
	got, err := st.FactsOfMessages(ctx, alice(), memory.Scope{Key: "key"}, []int64{l.messages[2].ID, l.messages[0].ID, other.messages[0].ID, 1 << 40})
	kind(t, "of messages", err, "")
	same(t, "of messages", got, append(want[:2:2], want[4:]...))
	got, err = st.FactsNumbered(ctx, alice(), memory.Scope{Key: "key"}, nil)
	kind(t, "of no number", err, "")
	same(t, "of no number", got, []memory.StoredFact(nil))
}

func testFactsSince(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	facts, numbers := tellTwice(t, st, l, "one", "two", "three")
	want := unmarked(facts, numbers)
	check := func(what string, scope memory.Scope, after memory.FactNumber, limit int, want []memory.StoredFact) {
		t.Helper()
		got, err := st.FactsSince(t.Context(), alice(), scope, after, limit)
		kind(t, what, err, "")
		same(t, what, got, want)
	}
	scope := memory.Scope{Key: "key"}
	check("from the start", scope, 0, 100, want)
	check("the first two", scope, 0, 2, want[:2])
	check("the next three", scope, numbers[1], 3, want[2:5])
	check("a lineage's", memory.Scope{Root: "s", Whole: true}, numbers[1], 3, want[2:5])
	check("after the last", scope, numbers[5], 3, nil)
	check("of a past moment", memory.Scope{Key: "key", AsOf: epoch()}, 0, 3, nil)
}

// shelved are marks that put facts into sections.
func shelved(numbers []memory.FactNumber, section memory.Section, weights ...int32) []memory.Mark {
	var out []memory.Mark
	for i, w := range weights {
		out = append(out, memory.Mark{Number: numbers[i], Section: section, Weight: w})
	}
	return out
}

// shelf reads a section, one page of two facts after the other.
func shelf(t *testing.T, st Store, scope memory.Scope, section memory.Section) []memory.FactNumber {
	t.Helper()
	var out []memory.FactNumber
	for behind := memory.ShelfTop(); ; {
		page, err := st.Shelf(t.Context(), alice(), scope, []memory.Section{section}, behind, 2)
		kind(t, "shelf", err, "")
		for i := range page {
			out = append(out, page[i].Number)
			behind = page[i].Place()
		}
		if len(page) < 2 {
			return out
		}
	}
}

func testShelf(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "other key")
	_, n := tellTwice(t, st, l, "one", "two", "three")
	_, strange := tellTwice(t, st, other, "elsewhere")
	marks := slices.Concat(shelved(n, 3, 5, -7, 5, 0, 90), shelved(n[5:], 2, 1), shelved(strange, 3, 100))
	kind(t, "mark", st.Rewrite(t.Context(), alice(), curate.Rewrite{Marks: marks}), "")
	for _, scope := range []memory.Scope{{Key: "key"}, {Key: "key", AsOf: epoch()}} {
		same(t, "heaviest first, then newest", shelf(t, st, scope, 3), []memory.FactNumber{n[4], n[2], n[0], n[3], n[1]})
	}
	same(t, "another section", shelf(t, st, memory.Scope{Key: "key"}, 2), n[5:])
	same(t, "an empty section", shelf(t, st, memory.Scope{Key: "key"}, 0), []memory.FactNumber(nil))
	same(t, "another scope", shelf(t, st, memory.Scope{Key: "other key"}, 3), strange[:1])
	three, err := st.Shelf(t.Context(), alice(), memory.Scope{Key: "key"}, []memory.Section{3, 0, 2}, memory.ShelfTop(), 3)
	kind(t, "three sections", err, "")
	var got []memory.FactNumber
	for i := range three {
		got = append(got, three[i].Number)
	}
	slices.Sort(got)
	same(t, "the first three of each of three sections", got, []memory.FactNumber{n[0], n[2], n[4], n[5]})
	same(t, "a whole lineage", shelf(t, st, memory.Scope{Root: "s", Whole: true}, 3), []memory.FactNumber(nil))
}

func testMarks(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	facts, n := tellTwice(t, st, l, "one", "two")
	step := l.step(t, st, "three")
	now := fact("now", &step.Messages[0], memory.Plain)
	number := memory.NumberOf(step.Messages[0].ID, 0)
	marks := []memory.Mark{
		{Number: number, DoubtedBy: "f_x", Section: 4, Weight: 3}, {Number: n[1], DoubtedBy: now.ID, Section: 1, Weight: -2},
		{Number: memory.NumberOf(1<<40, 0), Section: 1},
	}
	step.Changes = []memory.Change{{Learned: []memory.Fact{now}, Marks: marks}}
	l.commit(t, st, step)
	want := unmarked(append(facts, now), append(n, number))
	want[4].Mark, want[1].Mark = marks[0], marks[1]
	check := func(what string) {
		t.Helper()
		got, err := st.FactsSince(t.Context(), alice(), memory.Scope{Key: "key"}, 0, 10)
		kind(t, what, err, "")
		same(t, what, got, want)
	}
	check("marked with a step")
	want[1].Mark = memory.Mark{Number: n[1], Section: memory.Nowhere}
	want[0].Mark = memory.Mark{Number: n[0], Section: 0}
	kind(t, "mark", st.Rewrite(t.Context(), alice(), curate.Rewrite{Marks: []memory.Mark{want[1].Mark, want[0].Mark}}), "")
	check("marked by a rewrite")
	same(t, "taken from the shelf", shelf(t, st, memory.Scope{Key: "key"}, 1), []memory.FactNumber(nil))
	same(t, "put on the shelf", shelf(t, st, memory.Scope{Key: "key"}, 0), n[:1])
}

func testRewriteMarks(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	_, n := tellTwice(t, st, l, "one", "two")
	a, b := fact("a", &l.messages[0], memory.Plain), fact("b", &l.messages[1], memory.Plain)
	marks := []memory.Mark{{Number: n[2], DoubtedBy: "f_a", Section: 2, Weight: 7}}
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Scopes: []curate.ScopeFacts{
		{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{a, b}, Marks: marks},
	}}), "")
	want := unmarked([]memory.Fact{a, b}, []memory.FactNumber{n[0], n[2]})
	want[1].Mark = marks[0]
	got, err := st.FactsSince(t.Context(), alice(), memory.Scope{Key: "key"}, 0, 10)
	kind(t, "facts", err, "")
	same(t, "facts", got, want)
}

func testDocumentsNumbered(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "")
	l.say(t, st, "0", "1", "2", "3")
	other.say(t, st, "elsewhere")
	docs := documentsOf(l.messages)
	asked := []int64{l.messages[3].ID, l.messages[1].ID, other.messages[0].ID, 1 << 40, l.messages[0].ID}
	check := func(what string, scope memory.Scope, want ...int) {
		t.Helper()
		got, err := st.DocumentsNumbered(t.Context(), alice(), scope, asked)
		kind(t, what, err, "")
		wanted := documentsOf(nil)
		for _, i := range want {
			wanted = append(wanted, docs[i])
		}
		same(t, what, got, wanted)
	}
	check("by key", memory.Scope{Key: "key"}, 0, 1, 3)
	check("of a lineage without a key", memory.Scope{Root: "s"})
	check("of a whole lineage", memory.Scope{Root: "s", Whole: true}, 0, 1, 3)
	check("of the past", memory.Scope{Key: "key", AsOf: epoch()})
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 3)), "")
	check("what stands", memory.Scope{Key: "key"}, 0, 1)
	got, err := st.DocumentsNumbered(t.Context(), alice(), memory.Scope{Root: "other"}, asked)
	kind(t, "of a lineage", err, "")
	same(t, "of a lineage", got, documentsOf(other.messages))
}

func testMessageIDs(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "")
	l.say(t, st, "0", "1", "2")
	other.say(t, st, "elsewhere")
	l.key = ""
	l.say(t, st, "3", "4")
	id := func(i int) int64 { return l.messages[i].ID }
	check := func(what string, scope memory.Scope, span memory.Span, want ...int) {
		t.Helper()
		got, err := st.MessageIDs(t.Context(), alice(), scope, span)
		kind(t, what, err, "")
		var wanted []int64
		for _, i := range want {
			wanted = append(wanted, id(i))
		}
		same(t, what, got, wanted)
	}
	key, all := memory.Scope{Key: "key"}, memory.Span{Last: 1 << 60}
	check("by key", key, all, 0, 1, 2)
	check("of a lineage without a key", memory.Scope{Root: "s"}, all, 3, 4)
	check("of a whole lineage", memory.Scope{Root: "s", Whole: true}, all, 0, 1, 2, 3, 4)
	check("a part", key, memory.Span{First: id(1), Last: id(2)}, 1, 2)
	check("a part of a lineage", memory.Scope{Root: "s", Whole: true}, memory.Span{First: id(1), Last: id(3)}, 1, 2, 3)
	check("a part behind a message", memory.Scope{Root: "s"}, memory.Span{First: id(3) + 1, Last: id(4)}, 4)
	check("of an absent key", memory.Scope{Key: "none"}, all)
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 4)), "")
	check("with undone messages", memory.Scope{Root: "s"}, all, 3, 4)
}

func testDocumentsBefore(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3")
	l.key = ""
	l.say(t, st, "4")
	docs := documentsOf(l.messages)
	check := func(what string, scope memory.Scope, root session.ID, seq int64, limit int, want ...int) {
		t.Helper()
		got, err := st.DocumentsBefore(t.Context(), alice(), scope, root, seq, limit)
		kind(t, what, err, "")
		wanted := documentsOf(nil)
		for _, i := range want {
			wanted = append(wanted, docs[i])
		}
		same(t, what, got, wanted)
	}
	key := memory.Scope{Key: "key"}
	check("all", key, "s", 9, 9, 3, 2, 1, 0)
	check("some", key, "s", 3, 2, 2, 1)
	check("at the beginning", key, "s", 0, 9)
	check("of the scope of the lineage", memory.Scope{Root: "s"}, "s", 9, 9, 4)
	check("of the whole lineage", memory.Scope{Root: "s", Whole: true}, "s", 9, 2, 4, 3)
	check("of another key", memory.Scope{Key: "other"}, "s", 9, 9)
	check("of another lineage", key, "other", 9, 9)
	check("of the past", memory.Scope{Key: "key", AsOf: epoch()}, "s", 9, 9)
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 2)), "")
	check("what stands", key, "s", 9, 9, 1, 0)
}

// testManyFacts reads more facts than a store reads at once.
func testManyFacts(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	var texts []string
	for i := range 700 {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	want, _ := tellTwice(t, st, l, texts...)
	known(t, "of a lineage", st, memory.Scope{Root: "s"}, want...)
	known(t, "of a whole lineage", st, memory.Scope{Root: "s", Whole: true}, want...)
	known(t, "of the past", st, memory.Scope{Root: "s", AsOf: epoch().Add(time.Hour)}, want...)
}
