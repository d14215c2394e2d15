package storetest

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// testHistories: a lineage is found by the latest history that it has, within its owner
// and its key. Of several, the one that ends there is found, else the one in use last.
func testHistories(t *testing.T, st Store) {
	long := newTalk(alice(), "long", "k")
	for _, texts := range [][]string{{"hi", "hello"}, {"how are you?", "fine"}} {
		keepHistories(t, st, long, texts...)
	}
	short := newTalk(alice(), "short", "k")
	keepHistories(t, st, short, "hi", "hello")
	keepHistories(t, st, newTalk(alice(), "other key", "other"), "hi", "hello")
	keepHistories(t, st, newTalk(bob(), "bob's", "k"), "hi", "hello")

	for _, tt := range []struct {
		name string
		sent []string
		want session.ID
	}{
		{"the latest history", []string{"hi", "hello", "how are you?", "fine", "good"}, "long"},
		{"a lineage that ends there", []string{"hi", "hello", "and you?"}, "short"},
		{"white space around texts", []string{"hi\n", " hello", "how are you?"}, "long"},
		{"another beginning", []string{"hey", "hello", "how are you?"}, ""},
	} {
		ms := said(tt.sent...)
		histories := make([][]byte, len(ms))
		for i := range ms {
			histories[i] = ms[i].History
		}
		at, err := st.SessionOf(t.Context(), alice(), "k", histories)
		got := at.Session
		if got != tt.want || (fault.KindOf(err) == fault.NotFound) != (tt.want == "") {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	// A client that sends what was forgotten stays in its session, which leaves it out.
	ms := said("hi", "hello", "how are you?")
	erased := long.messages[2]
	erased.Content = "[removed]"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{erased}}), "")
	if got, _ := st.SessionOf(t.Context(), alice(), "k", [][]byte{ms[2].History}); got.Session != "long" {
		t.Errorf("a history with a rewritten message: got %v, want \"long\"", got)
	}
	if got, _ := st.SessionOf(t.Context(), alice(), "k", [][]byte{slices.Clone(ms[1].History)}); got.Session != "short" || got.NextSeq != 2 {
		t.Errorf("an earlier history: got %v, want \"short\" with two messages", got)
	}
}

// testExchanges: a lineage is found by an exchange that it alone has, within its owner and
// its key, and not by one that was undone.
func testExchanges(t *testing.T, st Store) {
	asked, answered := "Which pump did we buy for the cellar?", "The grey one from the shop in Bergen."
	exchange := exchangeOf(said(asked, answered))
	keep := func(l *talk, texts ...string) {
		step := l.step(t, st, texts...)
		step.Messages[1].Exchange = exchangeOf(step.Messages)
		l.commit(t, st, step)
	}
	find := func(want session.ID) {
		t.Helper()
		at, err := st.SessionOfExchange(t.Context(), alice(), "k", exchange)
		got := at.Session
		if got != want || (fault.KindOf(err) == fault.NotFound) != (want == "") {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	find("")
	keep(newTalk(alice(), "other key", "other"), asked, answered)
	keep(newTalk(bob(), "bob's", "k"), asked, answered)
	find("")
	mine := newTalk(alice(), "mine", "k")
	keep(mine, asked, answered)
	keep(mine, "And where is it now, in the house or in the garden?", "In the garden, next to the well.")
	find("mine")
	keep(newTalk(alice(), "twin", "k"), asked, answered)
	find("")
	erased := newTalk(alice(), "erased", "k")
	asked = "Which saw did we buy for the garden?"
	exchange = exchangeOf(said(asked, answered))
	keep(erased, asked, answered)
	find("erased")
	m := erased.messages[0]
	m.Content = "[removed]"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{m}}), "")
	find("erased")
}

// exchangeOf is the exchange that a conversation of two messages is.
func exchangeOf(ms []session.Message) []byte { return session.Exchange(ms[:1], &ms[1]) }

// said is a conversation with its histories; user and assistant speak in turn.
func said(texts ...string) []session.Message {
	ms := make([]session.Message, len(texts))
	for i, text := range texts {
		ms[i] = session.Message{Role: []session.Role{session.User, session.Assistant}[i%2], Content: text}
	}
	session.Histories(ms)
	return ms
}

// keepHistories stores messages with their histories.
func keepHistories(t *testing.T, st Store, l *talk, texts ...string) {
	t.Helper()
	var before []byte
	if n := len(l.messages); n > 0 {
		before = l.messages[n-1].History
	}
	step := l.step(t, st, texts...)
	for i := range step.Messages {
		before = session.NextHistory(before, &step.Messages[i])
		step.Messages[i].History = before
	}
	l.commit(t, st, step)
}
