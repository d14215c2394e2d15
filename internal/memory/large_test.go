package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestLargeMessage: of a large message the beginning is learnt; the next one may
// be shown its end; and its text is not held on to.
func TestLargeMessage(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	v := NewView()
	say := func(seq int64, text string) Change {
		return v.Learn(ranking.Document{
			MessageID: seq + 1, Root: "s", SessionID: "s", Seq: seq, Role: session.User, Text: text, SaidAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		})
	}
	filler := strings.Repeat("x\n", size/2)
	first := say(0, "We use Postgres for the shop. "+filler+" We use Redis for the queue. It lost messages twice.")
	if len(first.Learned) != 1 || first.Learned[0].Quote != "We use Postgres for the shop." {
		t.Fatalf("got %+v, want the first sentence alone", first.Learned)
	}
	say(1, "That's why we dropped Redis.")
	for _, d := range v.near.of("s").messages {
		if len(d.Text) > 2*maxDistilled+1 {
			t.Errorf("%d bytes of a message are held", len(d.Text))
		}
	}
}
