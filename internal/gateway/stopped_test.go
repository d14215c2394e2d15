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
	"github.com/hermes-memory/hermes/internal/session"
)

// became is what became of a message.
func (h *house) became(said gateway.Event) string {
	h.t.Helper()
	place := said.Place
	place.Platform, place.Account = h.wire.name, "7"
	list, err := h.db.SaidEvents(h.t.Context(), h.bot.Owner, place, said.Message)
	if err != nil || len(list) != 1 {
		h.t.Fatalf("events of a message: got %v, %v", list, err)
	}
	return string(list[0].State) + ", " + list[0].Reason
}

// TestStoppedByACommand: a command that stops the answer to a message says so, whoever gave the command and whoever wrote the
// message, and the event of the message says so, too. The question can be asked again in its session.
func TestStoppedByACommand(t *testing.T) {
	t.Parallel()
	const begun, unsaid = "stopped before the end of the answer", "stopped before there was an answer"
	for _, command := range []string{"/stop", "/stop!", "/new", "/new.", "/reset", "/resume Tea"} {
		for pieces, reason := range map[string]string{"": unsaid, kettle: begun} {
			t.Run(command+" "+reason, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
					defer h.end()
					say := func(e gateway.Event) string {
						h.receive(e)
						h.settled()
						said := h.wire.said()
						return said[len(said)-1]
					}
					say(h.group(ada, "Ada", "Hello.", true))
					say(h.group(ada, "Ada", "/title Tea", true))
					say(h.group(ada, "Ada", "/new", true))
					h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
						if pieces != "" {
							say(pieces)
						}
						<-ctx.Done()
						return ctx.Err()
					}
					question := h.group("2", "Bea", "What is the capital of Peru?", true)
					h.receive(question)
					pass(5 * time.Second)
					told := say(h.group(ada, "Ada", command, true))
					want(t, "the event", h.became(question), "answered, "+reason)
					want(t, "it is told: "+told, strings.Contains(told, "Stopped, before there was an answer. What you said is kept."), reason == unsaid)
					h.model.script = nil
					if !strings.HasPrefix(command, "/stop") {
						say(h.group(ada, "Ada", "/resume 1", true))
					}
					want(t, "asked again", say(h.group(ada, "Ada", "/retry", true)), "You said: What is the capital of Peru?")
				})
			})
		}
	}
}

// TestNewBetweenQuestions: of a question, /new and another question in one batch, the first one is stopped and says so, and the second
// one is answered in the new session.
func TestNewBetweenQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := writing(t, time.Second, "", "It is done.")
		defer h.end()
		first, second := h.dm(ada, "Is there tea?"), h.dm(ada, "Is there milk?")
		h.receive(first, h.dm(ada, "/new"), second)
		h.settled()
		want(t, "the first one", h.became(first), "answered, stopped before there was an answer")
		want(t, "the second one", h.became(second), "answered, ")
		said := h.wire.said()
		want(t, "answers", len(said), 2)
		if !strings.HasPrefix(said[0], "Stopped, before there was an answer. What you said is kept.\n\nA new session has begun.") {
			t.Errorf("got %q, want that the first question was stopped", said[0])
		}
		want(t, "the last answer", said[1], "It is done.")
		want(t, "the new session", h.transcript(h.chat(ada).Session), []string{"user: Is there milk?", "assistant: It is done."})
	})
}

// TestStoppedByTheNextMessage: a message that stops the answer to the one before it says so at that one's event.
func TestStoppedByTheNextMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.settings.Busy = gateway.Interrupt
			h.model.script = func(ctx context.Context, p *run.Prompt, say func(string)) error {
				if slices.ContainsFunc(p.Messages, func(m session.Message) bool { return m.Content == "Is there milk?" }) {
					say("It is done.")
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}
		})
		defer h.end()
		first, second := h.dm(ada, "Is there tea?"), h.dm(ada, "Is there milk?")
		h.receive(first)
		pass(5 * time.Second)
		h.receive(second)
		h.settled()
		want(t, "the first one", h.became(first), "answered, stopped before there was an answer")
		want(t, "the second one", h.became(second), "answered, ")
		want(t, "answers", h.wire.said(), []string{"It is done."})
	})
}
