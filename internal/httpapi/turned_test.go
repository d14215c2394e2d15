package httpapi_test

import "testing"

// TestTurnedInAnotherSession: a word of change says in another session that a thing is other than before, also if the
// words for the two states are not alike.
func TestTurnedInAnotherSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("a", "The printer is broken.", "X-Hermes-Session-Key", "k")
	w.chat("b", "The printer is fixed now.", "X-Hermes-Session-Key", "k")
	got := w.facts("/api/memory?session_key=k")
	if len(got.Data) != 1 || got.Data[0].Statement != "The printer is fixed now" {
		t.Errorf("got %+v", got.Data)
	}
}
