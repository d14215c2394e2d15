package memory

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// asciiLower makes the letters from A to Z small, as stores do.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// TestOnlySmall: no character but a letter from A to Z becomes one of those that a store
// looks for.
func TestOnlySmall(t *testing.T) {
	t.Parallel()
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if low := unicode.ToLower(r); low != r && onlySmall(low) {
			t.Errorf("%q becomes %q, for which a store looks", r, low)
		}
	}
	for words, want := range map[string]string{
		"postgresql": "postgresql", "redis": "red", "kubernetes": "ubernetes", "ski": "s", "日本": "日本", "ünlü x": "nl", "": "", "k": "",
		"a\xff\xfeword": "word", "\x00ab": "ab",
	} {
		if got := sameInSmall(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// TestSaysNoLess: what a store looks for is in every text that has the words.
func TestSaysNoLess(t *testing.T) {
	t.Parallel()
	texts := rapid.StringOfN(rapid.SampledFrom([]rune("aAkKiI\u212a\u0130\u0131éÉßẞΣσςΑ日 .9ǅǆ\u0000\ufffd")), 0, 12, -1)
	rapid.Check(t, func(rt *rapid.T) {
		text := texts.Draw(rt, "text")
		low := strings.ToLower(text)
		from := rapid.IntRange(0, len(low)).Draw(rt, "from")
		words := low[from:rapid.IntRange(from, len(low)).Draw(rt, "to")]
		if part := sameInSmall(words); !strings.Contains(asciiLower(text), part) {
			rt.Errorf("%q has %q, and a store finds no %q", text, words, part)
		}
	})
}
