package upstream

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestQuote: a text is written as the library writes it.
func TestQuote(t *testing.T) {
	t.Parallel()
	pieces := []string{"", "a", "plain words, eight bytes and more. ", `"`, `\`, "\n", "\t", "\r", "\x00", "\x7f", "é", "世界", "\xff", "</script>", "\u2028", "👩‍👩"}
	for _, first := range pieces {
		for _, second := range pieces {
			for _, third := range pieces {
				text := first + second + third + first
				want, _ := jsontext.AppendQuote([]byte("before "), text)
				if got := quote([]byte("before "), text); string(got) != string(want) {
					t.Fatalf("%q: got %s, want %s", text, got, want)
				}
			}
		}
	}
	if long := strings.Repeat(`He said "no".`+"\n", 1000); string(quote(nil, long)) != `"`+strings.Repeat(`He said \"no\".\n`, 1000)+`"` {
		t.Error("a long text is written otherwise")
	}
}
