package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/pairtest"
)

// TestLearnReversal counts the ways to go back on what was said that are noticed, and
// checks their reasons.
func TestLearnReversal(t *testing.T) {
	t.Parallel()
	const fewest = 80 // percent
	found, all := 0, pairtest.Reversals()
	for _, c := range all {
		_, change := talk(c.Was, c.Now)
		if len(change.Reversals) == 0 {
			t.Logf("%q reverses %q: not noticed", c.Now, c.Was)
			continue
		}
		found++
		if got := change.Reversals[0].Why; got != c.Why && c.Why != "" {
			t.Errorf("%q: got reason %q, want %q", c.Now, got, c.Why)
		}
	}
	if found*100 < len(all)*fewest {
		t.Errorf("got %d of %d reversals, want %d %%", found, len(all), fewest)
	}
}
