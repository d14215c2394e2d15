package storage

import (
	"strings"
	"testing"
	"unsafe"
)

// TestStatementOf: a statement is what its column says, and takes no memory of its own if it is a part of its
// quote.
func TestStatementOf(t *testing.T) {
	t.Parallel()
	quote := strings.Clone("Well, we use Postgres now.")
	for _, c := range []struct {
		column, want string
		at           int // where it begins in the memory of the quote; -1 for nowhere
	}{
		{"", quote, 0},
		{"we use Postgres now", "we use Postgres now", 6},
		{"we use MySQL now", "we use MySQL now", -1},
	} {
		got, at := statementOf(quote, strings.Clone(c.column)), -1
		begun := uintptr(unsafe.Pointer(unsafe.StringData(quote)))
		if from := uintptr(unsafe.Pointer(unsafe.StringData(got))); from >= begun && from < begun+uintptr(len(quote)) {
			at = int(from - begun)
		}
		if got != c.want || at != c.at {
			t.Errorf("%q: got %q at %d, want %q at %d", c.column, got, at, c.want, c.at)
		}
	}
}

// TestFactsShareTexts: the sessions of two rows are one text in memory.
func TestFactsShareTexts(t *testing.T) {
	t.Parallel()
	r, _ := NewFactReader()
	r.Row[4] = strings.Clone("session")
	a := r.Fact().Source.SessionID
	r.Row[4] = strings.Clone("session")
	b := r.Fact().Source.SessionID
	if a != "session" || unsafe.StringData(string(a)) != unsafe.StringData(string(b)) {
		t.Errorf("got %q and %q, want one text", a, b)
	}
}
