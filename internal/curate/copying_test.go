package curate

import (
	"context"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestCopyingIsPerOwner: what one owner has erased everywhere keeps no other owner's copy
// waiting, and the same owner's until it is over.
func TestCopyingIsPerOwner(t *testing.T) {
	t.Parallel()
	var c copying
	ada, bob := owner.Stored("ada"), owner.Stored("bob")
	forgotten, err := c.alone(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := c.share(t.Context(), bob)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.share(gone, ada); fault.KindOf(err) != fault.Canceled {
		t.Errorf("a copy of the same owner: got %v, want it to wait until it is cancelled", err)
	}
	forgotten()
	again, err := c.share(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	again()
	copied()
	if len(c.byOwner) != 0 {
		t.Errorf("got %d owners kept, want none", len(c.byOwner))
	}
}
