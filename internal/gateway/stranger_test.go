package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// called is a command that the platform read itself.
func called(e gateway.Event, interaction string) gateway.Event {
	e.Kind, e.Interaction = gateway.Called, interaction
	return e
}

// answers are the interactions that were answered, each with its text.
func (w *wire) answers() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]string)
	for _, s := range w.shown {
		if s.answers != "" {
			out[s.answers] = s.text
		}
	}
	return out
}

// TestCommandsOfStrangers: a stranger's command is answered, and nothing else of a stranger in
// a group.
func TestCommandsOfStrangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		fails := 2
		h.wire.refuse = func(*gateway.Out) error {
			if fails--; fails >= 0 {
				return &gateway.SendError{Reason: gateway.Temporary, Text: "out of order"}
			}
			return nil
		}
		command := called(h.group("666", "Eve", "/status", true), "i1")
		h.receive(h.group("666", "Eve", "Let me in.", true), command, h.group("666", "Eve", "/status", true))
		h.settled()
		h.receive(command)
		h.settled()
		for _, id := range []string{"i2", "i3"} { // each would be a message that all see
			press := called(h.group("666", "Eve", "", true), id)
			press.Kind, press.Button = gateway.Pressed, "forget:x"
			h.receive(press)
			h.settled()
		}
		refused := "You may not use this bot here."
		want(t, "answers in a group", h.wire.answers(), map[string]string{"i1": refused, "i2": refused})
		want(t, "messages in a group", len(h.wire.said()), 2)
		h.receive(called(h.dm("666", "/start"), "i4"))
		h.settled()
		h.receive(called(h.dm("666", "/start"), "i5"))
		h.settled()
		got := h.wire.answers()
		if !strings.Contains(got["i4"], "hermes pairing approve") || got["i5"] != refused {
			t.Errorf("in a DM: got %q, want a pairing code, and then a refusal", got)
		}
		want(t, "prompts", len(h.model.prompts), 0)
	})
}

// TestCommandsWithoutWords: a command of the platform is answered, also if there is nothing to
// tell.
func TestCommandsWithoutWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error { say("[SILENT]"); return nil }
		h.receive(called(h.dm(ada, "/retry"), "i1"))
		h.settled()
		h.receive(h.dm(ada, "Not for you."))
		h.settled()
		want(t, "answers", h.wire.answers(), map[string]string{"i1": "There is nothing to say."})
		want(t, "messages", len(h.wire.said()), 2)
		want(t, "transcript", h.transcript(h.chat(ada).Session), []string{
			"user: Hello.", "assistant: [SILENT]", "user: Not for you.", "assistant: [SILENT]",
		})
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			say("A long answer, which is shown while it is being written. ")
			pass(5 * time.Second)
			say("Its end.")
			return nil
		}
		h.receive(called(h.dm(ada, "/retry"), "i2"))
		h.settled()
		h.receive(h.dm(ada, "Tell me."))
		pass(2 * time.Second)
		h.receive(called(h.dm(ada, "/stop"), "i3"))
		h.settled()
		want(t, "a command with nothing to tell", h.wire.answers()["i3"], "Done.")
		want(t, "a streamed answer", h.wire.answers()["i2"], "A long answer, which is shown while it is being written. Its end.")
		want(t, "messages", len(h.wire.said()), 5)
	})
}

// TestCodesOverRestart: a stranger's code holds for an hour, also over a restart of the server, and the stranger is
// sent another one ten minutes after it at the earliest.
func TestCodesOverRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		ask := func() {
			t.Helper()
			h.receive(h.dm("666", "Let me in."))
			h.settled()
		}
		ask()
		h.end()
		h.begin()
		defer h.end()
		ask()
		said := h.wire.said()
		if len(said) != 1 {
			t.Fatalf("got %q, want the first code alone", said)
		}
		pass(10 * time.Minute)
		ask()
		if said = h.wire.said(); len(said) != 2 {
			t.Fatalf("after ten minutes: got %q, want another code", said)
		}
		pass(10*time.Minute - 30*time.Second) // to the moment at which ten minutes are over
		ask()
		if said = h.wire.said(); len(said) != 3 {
			t.Fatalf("after exactly ten minutes: got %q, want another code", said)
		}
		_, code, _ := strings.Cut(said[2], "approve telegram ")
		if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, strings.Trim(code[:8], "`"), ""); err != nil {
			t.Errorf("the newest code: %v", err)
		}
	})
}
