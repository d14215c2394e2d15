package memory

import "testing"

// TestNoteWithSecret: a note with a secret becomes no fact, whatever kind it is given.
func TestNoteWithSecret(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{"", Plain, Instruction} {
		d := said("my pw is hunter2xyz")
		d.Note = FormatNote(kind, "")
		if facts := noteFacts(messageOf(d)); len(facts) > 0 {
			t.Errorf("kind %q: got %+v", kind, facts)
		}
	}
}
