package memory

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/pairtest"
)

// TestLearnNoFalseReversal is the control list: pairs that sound alike and do
// not contradict each other.
func TestLearnNoFalseReversal(t *testing.T) {
	t.Parallel()
	for _, c := range pairtest.Controls() {
		t.Run(c.Was+" / "+c.Now, func(t *testing.T) {
			t.Parallel()
			_, change := talk(c.Was, c.Now)
			for _, r := range change.Reversals {
				t.Errorf("got reversal %q → %q, want none", r.Was.Statement, r.Now.Statement)
			}
		})
	}
}
