package memory

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestEcho: a message that repeats what is in memory is neither learnt nor
// recalled, while the same words of a tool that saves them are.
func TestEcho(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, note string
		facts      int
	}{
		{"an echo", EchoNote, 0},
		{"a note", FormatNote("", ""), 1},
	} {
		v := NewView()
		d := ranking.Document{
			MessageID: 1, Root: "s", SessionID: "s", Role: session.Tool, Text: "The walrus is called Wilma.",
			Note: tt.note, SaidAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		}
		if got := v.Learn(d); len(got.Learned) != tt.facts {
			t.Errorf("%s: got %+v learnt, want %d facts", tt.name, got.Learned, tt.facts)
		}
		if hits := v.Search(ranking.Query{Text: "What is the walrus called?", At: d.SaidAt, Limit: 5}); len(hits) != tt.facts {
			t.Errorf("%s: got %d hits, want %d", tt.name, len(hits), tt.facts)
		}
	}
}
