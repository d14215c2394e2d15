package memory_test

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestShortErasures: a forgotten name of which the hash has one letter left takes no
// other sentence with it, and other short names stay out.
func TestShortErasures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, text string
		gone        int
	}{
		{"C#", "The plan is in section c.", 0},
		{"C++", "Plan C is ready.", 0},
		{"Bo", "We met Bo in Oslo.", 1},
		{"Bo", "We talked about it.", 0},
		{"李明", "我见到了李明。", 1},
		{"漢", "He wrote 漢 on the wall.", 1},
		{"🐝", "I like 🐝 very much.", 1},
		{"❤️", "She sent a ❤️ again.", 1},
		{"❤", "She sent a ❤️ again.", 1},
		{"🇩🇪", "We flew to 🇩🇪 in May.", 1},
		{"🐝", "I like bees very much.", 0},
		{"Bo", "We met BoAnna in Oslo.", 0},
		{"Ada Lovelace", "We met AdaLovelace in Oslo.", 1},
		{"Ada Lovelace", "We met <b>Ada</b><br>Lovelace in Oslo.", 1},
		{"Ada Lovelace", "We met adalovelace in Oslo.", 0},
	} {
		erased := []memory.Erasure{memory.NewErasure(owner.Local(), mention.Of(c.about), time.Time{})}
		if _, n := memory.RedactErased(owner.Local(), c.text, erased); n != c.gone {
			t.Errorf("%q, %q: got %d sentences left out, want %d", c.about, c.text, n, c.gone)
		}
	}
}
