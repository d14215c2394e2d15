package ranking

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

// TestKin: other words stand for one, at a discount, the commoner the larger.
func TestKin(t *testing.T) {
	t.Parallel()
	x := New()
	x.scratch = new(scratch)
	for _, text := range []string{
		"My kayak is green.", "I play the cello.", "I purchased a drum.", "A drum again.", "The drums!", "An instrument.",
	} {
		x.Add(Document{Text: text})
	}
	worth := func(stem, other string) float32 {
		for _, k := range x.kin(language.Stem(stem), 1) {
			if k.stem == language.Stem(other) {
				return k.worth
			}
		}
		return 0
	}
	if got := worth("instrument", "cello"); got != membership {
		t.Errorf("a member counts %v, want %v", got, membership)
	}
	if got := worth("instrument", "drum"); got <= 0 || got >= membership {
		t.Errorf("a common member counts %v, want less than %v", got, membership)
	}
	if got := worth("buy", "purchase"); got != likeness {
		t.Errorf("a word alike counts %v, want %v", got, likeness)
	}
	if got := worth("cello", "instrument"); got != 0 {
		t.Errorf("a class counts %v for its member, want 0", got)
	}
}
