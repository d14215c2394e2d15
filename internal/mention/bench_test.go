package mention_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// BenchmarkIn measures texts of 1 MiB, most of them made to be dear: the time grows with
// the text, never with its square.
func BenchmarkIn(b *testing.B) {
	const size = 1 << 20
	for name, c := range map[string]struct{ about, piece string }{
		"prose":          {"Ada Lovelace", "We met at the station, and Ada told me about the engine. "},
		"markup":         {"Ada Lovelace", "<p>We <b>met</b> Ada at the <a href='x'>station</a>.</p>\n"},
		"first word":     {"Ada Lovelace", "Ada "},
		"long gaps":      {"Ada Lovelace", "Ada" + strings.Repeat(" -", 12)},
		"words of signs": {"& & & & & & & x", "&"},
		"open tags":      {"Ada Lovelace", "<a"},
		"open comments":  {"Ada Lovelace", "<!--"},
		"open links":     {"Ada Lovelace", "](x"},
		"open strings":   {"Ada Lovelace", "\x1b]"},
		"camel case":     {"Ada Lovelace", "AdaL"},
		"zeros":          {"Ada Lovelace", strings.Repeat("\x00", 64)},
	} {
		thing, text := mention.Of(c.about), strings.Repeat(c.piece, size/len(c.piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if thing.In(text) {
					b.Fatal("found")
				}
			}
		})
	}
}
