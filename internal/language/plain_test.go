package language

import (
	"strings"
	"testing"
)

// TestPlain: each byte at each place decides as it does alone.
func TestPlain(t *testing.T) {
	t.Parallel()
	if !Plain("") {
		t.Error("the empty text is plain")
	}
	for c := range 256 {
		want := c >= ' ' && c <= '~' && c != '"' && c != '\\'
		for place := range 20 {
			for _, around := range []string{"a", " ", "~", "!", "]", "#", "["} {
				text := strings.Repeat(around, place) + string([]byte{byte(c)}) + strings.Repeat(around, 19-place)
				if got := Plain(text); got != want {
					t.Fatalf("%q: got %v, want %v", text, got, want)
				}
				if got := PlainPrefix(text); !want && got != place {
					t.Fatalf("%q: got %d plain bytes, want %d", text, got, place)
				}
			}
		}
	}
}
