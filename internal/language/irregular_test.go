package language_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

// TestIrregular: a form meets its base, whatever follows it.
func TestIrregular(t *testing.T) {
	t.Parallel()
	for form, base := range map[string]string{
		"bought": "buy", "Went": "going", "children's": "child", "understood": "understands", "women": "woman", "hung": "hang",
	} {
		if got, want := language.Stem(form), language.Stem(base); got != want {
			t.Errorf("Stem(%q) is %q, Stem(%q) %q", form, got, base, want)
		}
	}
}

// TestIrregularList: the bases of a section stand in order, no form leads to
// two bases, and every form reaches its base.
func TestIrregularList(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("lexicon/irregular.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	var bases []string
	for line := range strings.Lines(string(text)) {
		base, forms, found := strings.Cut(line, ":")
		if strings.HasPrefix(line, "#") || !found {
			bases = nil
			continue
		}
		if bases = append(bases, base); !slices.IsSorted(bases) {
			t.Errorf("%q is out of order", base)
		}
		for form := range strings.FieldsSeq(forms) {
			if seen[form] {
				t.Errorf("%q is listed twice", form)
			}
			seen[form] = true
			if language.Stem(form) != language.Stem(base) {
				t.Errorf("Stem(%q) is %q, Stem(%q) %q", form, language.Stem(form), base, language.Stem(base))
			}
		}
	}
}
