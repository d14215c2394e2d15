package memory

import (
	"strings"
	"testing"
)

// TestQuoteCache: what is used stays, what nobody asks for goes, and a quote
// that was counted otherwise is none.
func TestQuoteCache(t *testing.T) {
	t.Parallel()
	v := NewView()
	if _, ok := v.Quote(1, false); ok {
		t.Error("an empty cache has a quote")
	}
	line := strings.Repeat("x", 1000)
	for id := range int64(1000) {
		v.KeepQuote(id, Quote{Line: line, Tokens: int(id)})
		if q, ok := v.Quote(0, false); !ok || q.Tokens != 0 {
			t.Fatalf("after %d others: got %+v, %t for one in use", id, q, ok)
		}
	}
	if _, ok := v.Quote(1, false); ok {
		t.Error("what nobody asked for is still there")
	}
	if q, ok := v.Quote(999, false); !ok || q.Tokens != 999 {
		t.Errorf("got %+v, %t for the newest", q, ok)
	}
	if _, ok := v.Quote(999, true); ok {
		t.Error("got a quote that was counted otherwise")
	}
	if n := v.quotes.Size(); n > 4*quotesSize {
		t.Errorf("the cache has grown to %d bytes", n)
	}
}
