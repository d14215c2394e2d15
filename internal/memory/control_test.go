package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/pairtest"
)

// TestLearnNoFalseReversal counts the pairs that sound alike, do not contradict each
// other, and are taken for a reversal.
func TestLearnNoFalseReversal(t *testing.T) {
	t.Parallel()
	const most = 2
	wrong := 0
	for _, c := range pairtest.Controls() {
		if _, change := talk(c.Was, c.Now); len(change.Reversals) > 0 {
			wrong++
			t.Logf("%q reverses %q", c.Now, c.Was)
		}
	}
	if wrong > most {
		t.Errorf("got %d false reversals of %d pairs, want at most %d", wrong, len(pairtest.Controls()), most)
	}
}
