package search

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestFolding: every letter has the form of its other cases, a second folding changes nothing, and
// no letter becomes anything else than a part of a word, which would cut texts in other places.
func TestFolding(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !wordRune(r) || !utf8.ValidRune(r) {
			continue
		}
		got := folded(string(r))
		if again := string(appendFolded(nil, got)); again != got {
			t.Fatalf("%U %q: got %q, and %q the second time", r, r, got, again)
		}
		for _, other := range got {
			if !wordRune(other) {
				t.Errorf("%U %q: got %q, which is no word", r, r, got)
			}
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if form := string(appendFolded(nil, string(other))); form != got && r != 0x345 && other != 0x345 { // a mark, and the letter iota
				t.Errorf("%U %q has the form %q, and %U %q has %q", r, r, got, other, other, form)
			}
		}
	}
}
