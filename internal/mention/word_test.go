package mention_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/mention"
)

// TestOfWord: a name that counts as a whole word is not found within words, and is found wherever a word ends.
func TestOfWord(t *testing.T) {
	t.Parallel()
	for about, texts := range map[string]map[string]bool{
		"Tom": {
			"See you tomorrow.": false, "Tom": true, "I met TOM.": true, "Tom's boat": true, "atom": false, "tom_sawyer": true, "tomSawyer": true,
			"Tomé": false, "tom2": true, "\"tom\"": true, "Tomorrow Tom comes.": true, "To\u00adm": true,
		},
		"Ada Lovelace": {"Ada Lovelace": true, "ada\nLovelace": true, "Ada Lovelaces": false, "Canada Lovelace": false, "AdaLovelace": true, "Ada, Lovelace": true},
		"李明":           {"我叫李明": true},
		"Straße":       {"STRASSE": true, "Straßen": false},
	} {
		thing := mention.OfWord(about)
		for text, want := range texts {
			if got := thing.In(text); got != want {
				t.Errorf("%q in %q: got %t", about, text, got)
			}
			if clean, n := thing.Redact(text); (n > 0) != want || thing.In(clean) {
				t.Errorf("%q in %q: redacted to %q", about, text, clean)
			}
		}
	}
	if !mention.OfWord("Tom").Whole() || mention.Of("Tom").Whole() {
		t.Error("a thing does not say whether it is a whole word")
	}
}
