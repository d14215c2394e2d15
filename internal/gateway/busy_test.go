package gateway_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// slow lets the model take 20 seconds for each answer; it ends at once if the turn is stopped.
func slow(h *house) {
	h.model.script = func(ctx context.Context, p *run.Prompt, say func(string)) error {
		say("I begin with " + p.Messages[len(p.Messages)-1].Content + ".")
		select {
		case <-time.After(20 * time.Second):
			say(" And I end.")
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestAMessageDuringATurnWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, slow)
		defer h.end()
		first, second, third := h.dm(ada, "one"), h.dm(ada, "two"), h.dm(ada, "three")
		h.receive(first)
		pass(5 * time.Second)
		h.receive(second)
		pass(2 * time.Second)
		h.receive(third)
		pass(2 * time.Second)
		for m, want := range map[gateway.MessageID]gateway.Mark{first.Message: gateway.Works, second.Message: gateway.Waits, third.Message: gateway.Waits} {
			if got := h.wire.mark(m); got != want {
				t.Errorf("the mark of %s during the first turn is %d, want %d", m, got, want)
			}
		}
		pass(20 * time.Second) // both are in the second turn
		for m, want := range map[gateway.MessageID]gateway.Mark{first.Message: gateway.Clear, second.Message: gateway.Clear, third.Message: gateway.Works} {
			if got := h.wire.mark(m); got != want {
				t.Errorf("the mark of %s during the second turn is %d, want %d", m, got, want)
			}
		}
		h.settled()
		if got := h.wire.said(); len(got) != 2 || !strings.Contains(got[0], "one. And I end.") {
			t.Errorf("answers: %q", got)
		}
	})
}

func TestAMessageStopsTheTurnOfItsWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			slow(h)
			h.settings.Busy = gateway.Interrupt
		})
		defer h.end()
		begun := time.Now()
		h.receive(h.dm(ada, "one"))
		pass(5 * time.Second)
		h.receive(h.dm(ada, "two"))
		pass(3 * time.Second)
		if got := h.wire.said(); len(got) != 2 || strings.Contains(got[0], "And I end") || !strings.Contains(got[1], "two") {
			t.Errorf("three seconds after the second message: %q", got)
		}
		h.settled()
		if got := h.wire.said(); len(got) != 2 || got[1] != "I begin with two. And I end." {
			t.Errorf("answers after %s: %q", time.Since(begun), got)
		}
		lines := h.transcript(h.chat(ada).Session)
		want := []string{"user: one", "assistant: I begin with one.", "user: two", "assistant: I begin with two. And I end."}
		if !slices.Equal(lines, want) {
			t.Errorf("transcript: %q", lines)
		}
	})
}

// TestARepeatDuringATurn: a message that the platform sends again is neither marked nor stops a
// turn, whether it was answered before or is being answered.
func TestARepeatDuringATurn(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]gateway.Busy{"queue": gateway.Queue, "interrupt": gateway.Interrupt} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					slow(h)
					h.settings.Busy = busy
				})
				defer h.end()
				first, second := h.dm(ada, "one"), h.dm(ada, "two")
				h.receive(first)
				h.settled()
				h.receive(second)
				pass(5 * time.Second)
				h.receive(first, second)
				pass(2 * time.Second)
				for m, want := range map[gateway.MessageID]gateway.Mark{first.Message: gateway.Clear, second.Message: gateway.Works} {
					if got := h.wire.mark(m); got != want {
						t.Errorf("the mark of %s is %d, want %d", m, got, want)
					}
				}
				h.settled()
				if got := h.wire.said(); len(got) != 2 || got[1] != "I begin with two. And I end." {
					t.Errorf("answers: %q", got)
				}
			})
		})
	}
}

// TestOthersDoNotStopATurn: in a group, nobody takes an answer away from the person who asked.
func TestOthersDoNotStopATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			slow(h)
			h.settings.Busy, h.bot.Chats = gateway.Interrupt, []string{"-42"}
		})
		defer h.end()
		h.receive(h.group(ada, "Ada", "one", true))
		pass(5 * time.Second)
		other := h.group("1002", "Ben", "two", true)
		h.receive(other)
		pass(2 * time.Second)
		if got := h.wire.mark(other.Message); got != gateway.Waits {
			t.Errorf("the mark of the other person's message is %d", got)
		}
		h.settled()
		if got := h.wire.said(); len(got) != 2 || !strings.Contains(got[0], "And I end.") {
			t.Errorf("answers: %q", got)
		}
	})
}

// TestAWaitingMessageStopsTheTurnAfterARestart: it came before the turn began anew.
func TestAWaitingMessageStopsTheTurnAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, slow)
		h.receive(h.dm(ada, "one"))
		pass(5 * time.Second)
		h.receive(h.dm(ada, "two"))
		pass(time.Second)
		h.end()
		h.settings.Busy = gateway.Interrupt
		h.begin()
		defer h.end()
		h.settled()
		if got := h.wire.said(); len(got) == 0 || strings.Contains(got[0], "one. And I end") || got[len(got)-1] != "I begin with two. And I end." {
			t.Errorf("answers: %q", got)
		}
	})
}
