package language_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

func TestLexicon(t *testing.T) {
	t.Parallel()
	stem := language.Stem
	if !slices.Contains(language.Alike(stem("bought")), stem("purchase")) || !slices.Contains(language.Alike(stem("purchases")), stem("buy")) {
		t.Error("to buy and to purchase are not alike")
	}
	if !slices.Contains(language.Kinds(stem("instruments")), stem("cello")) || slices.Contains(language.Kinds(stem("cello")), stem("instrument")) {
		t.Error("a cello is no instrument, or an instrument a cello")
	}
	if !language.Verb(stem("decided")) || language.Verb(stem("kitchen")) {
		t.Error("to decide is no verb, or a kitchen is one")
	}
}

// TestLexiconFiles: the lines of a list stand in order, none twice, and no line has a
// word twice.
func TestLexiconFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"alike", "kinds"} {
		text, err := os.ReadFile("lexicon/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		for i := range lines[1:] {
			if lines[i] >= lines[i+1] {
				t.Errorf("%s: %q stands before %q", name, lines[i], lines[i+1])
			}
		}
		for _, words := range language.Lists(string(text)) {
			slices.Sort(words)
			if n := len(words); len(slices.Compact(words)) != n {
				t.Errorf("%s has a word twice in %v", name, words)
			}
		}
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for noun, want := range map[string]bool{
		"songs": true, "ties": true, "song": false, "glass": false, "bus": false, "basis": false, "yes": false, "anna's": false,
	} {
		if got := language.Plural(noun); got != want {
			t.Errorf("Plural(%q): got %v, want %v", noun, got, want)
		}
	}
}

func TestSiblings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"lunch", "dinner", true}, {"dinner", "lunch", true}, {"sofa", "armchair", true}, {"bus", "boat", true},
		{"couch", "sofa", false}, {"dog", "puppy", false}, {"lunch", "meal", false}, {"lunch", "lunch", false}, {"lunch", "bus", false},
	} {
		if got := language.Siblings(language.Stem(c.a), language.Stem(c.b)); got != c.want {
			t.Errorf("%s and %s: got %t", c.a, c.b, got)
		}
	}
}
