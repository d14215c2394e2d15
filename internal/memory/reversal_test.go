package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/pairtest"
)

// TestLearnReversal lists ways to go back on what was said.
func TestLearnReversal(t *testing.T) {
	t.Parallel()
	for _, c := range pairtest.Reversals() {
		t.Run(c.Was+" / "+c.Now, func(t *testing.T) {
			t.Parallel()
			reverses(t, c.Was, c.Now, c.Why)
		})
	}
}
