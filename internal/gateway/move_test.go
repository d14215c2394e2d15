package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestMovedWhileSending: a message to a chat that has another id by now is sent there at once, and
// a job's output counts as delivered only then.
func TestMovedWhileSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		h.wire.refuse = func(o *gateway.Out) error {
			if o.Place.Chat == ada {
				return &gateway.SendError{Reason: gateway.Elsewhere, MovedTo: "-100", Text: "moved"}
			}
			return nil
		}
		if err := deliver(t, h, "e1", "The news."); err != nil {
			t.Fatal(err)
		}
		want(t, "places", h.wire.places(), []string{ada, "-100"})
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", "The news."})
	})
}

// TestFormerIDs: settings and jobs may name a group by the id that it had before it became a
// supergroup.
func TestFormerIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats, h.bot.Home = []string{"-42"}, "-42" })
		defer h.end()
		h.receive(h.group("2", "Bea", "Hello.", true))
		h.settled()
		moved := h.group("2", "Bea", "", false)
		moved.Kind, moved.MovedTo = gateway.Moved, "-100"
		h.receive(moved)
		again := h.group("2", "Bea", "Still here?", true)
		again.Place.Chat = "-100"
		h.receive(again)
		h.settled()
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", "You said: Still here?"})
		target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
		for _, place := range []string{"-42", "", "-100"} {
			if err := target.Deliver(t.Context(), h.bot.Owner, place, &job.Event{ID: "to " + place, Run: job.Fire{Status: job.Completed, Output: "News."}}); err != nil {
				t.Errorf("to %q: %v", place, err)
			}
		}
		want(t, "places", h.wire.places(), []string{"-42", "-100", "-100", "-100", "-100"})
		elsewhere := h.group("3", "Eve", "And here?", true)
		elsewhere.Place.Chat = "-43"
		h.receive(elsewhere)
		h.settled()
		want(t, "turns", h.model.count(), 2)
		if err := target.Check(t.Context(), h.bot.Owner, "-43"); err == nil {
			t.Error("an unknown chat is a target")
		}
	})
}

// TestFormerIDOfASilentGroup: a group that becomes a supergroup before anybody has spoken to the bot in
// it is known by the id that the settings name, also after a restart.
func TestFormerIDOfASilentGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
		defer func() { h.end() }()
		for _, old := range []string{"-42", "-43"} {
			moved := h.group("2", "Bea", "", false)
			moved.Kind, moved.Place.Chat, moved.MovedTo = gateway.Moved, old, "-100"+old[1:]
			h.receive(moved)
		}
		in := func(chat, user, text string) gateway.Event {
			e := h.group(user, "Bea", text, true)
			e.Place.Chat = chat
			return e
		}
		h.receive(in("-10042", "2", "Hello."), in("-10043", "2", "And here?"))
		h.settled()
		h.receive(in("-10042", ada, "Hello from me."))
		h.settled()
		h.end()
		h.begin()
		h.receive(in("-10042", "3", "Still here?"))
		h.settled()
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", "You said: Hello from me.", "You said: Still here?"})
	})
}

// TestMovedAfterwards: what is said under the new id before the move is known costs the chat neither its memory nor
// its session.
func TestMovedAfterwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42", "-100"} })
		defer h.end()
		in := func(chat, text string) gateway.Event {
			e := h.group("2", "Bea", text, true)
			e.Place.Chat = chat
			return e
		}
		h.receive(in("-42", "Hello."))
		h.settled()
		old := h.chat("-42")
		h.receive(in("-100", "Early."))
		h.settled()
		moved := h.group("2", "Bea", "", false)
		moved.Kind, moved.MovedTo = gateway.Moved, "-100"
		h.receive(moved, moved)
		h.receive(in("-100", "Late."))
		h.settled()
		now := h.chat("-100")
		want(t, "key", now.Key, old.Key)
		want(t, "session", now.Session, old.Session)
		want(t, "messages of the session", len(h.transcript(now.Session)), 4)
	})
}

// TestMovedInATurn: a chat that gets another id while a turn is under way is sent one answer there, also if
// a part of it was shown under the old id. The next turn goes on in the same session.
func TestMovedInATurn(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"before the answer": "", "in the answer": strings.Repeat("word ", 20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
				defer h.end()
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
					if first != "" {
						say(first)
					}
					<-time.After(10 * time.Second)
					say("The end.")
					return nil
				}
				h.receive(h.group("2", "Bea", "Hello.", true))
				pass(5 * time.Second)
				var old []gateway.MessageID
				for _, s := range h.wire.shown {
					old = append(old, s.id)
				}
				h.wire.erase(old...) // they are in the old group
				h.wire.refuse = func(o *gateway.Out) error {
					if o.Place.Chat == "-42" {
						return &gateway.SendError{Reason: gateway.Elsewhere, MovedTo: "-100", Text: "moved"}
					}
					return nil
				}
				moved := h.group("2", "Bea", "", false)
				moved.Kind, moved.MovedTo = gateway.Moved, "-100"
				h.receive(moved)
				h.settled()
				want(t, "messages", h.wire.said(), []string{first + "The end."})
				want(t, "places", h.wire.places(), []string{"-100"})
				again := h.group("2", "Bea", "Still here?", true)
				again.Place.Chat = "-100"
				h.receive(again)
				h.settled()
				want(t, "turns", h.model.count(), 2)
				want(t, "messages of the session", len(h.transcript(h.chat("-100").Session)), 4)
			})
		})
	}
}

// TestAnotherIDInATurn: a person who writes with another id while a turn is under way is sent each answer
// once.
func TestAnotherIDInATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.letIn("49", "")
		h.model.script = func(_ context.Context, p *run.Prompt, say func(string)) error {
			<-time.After(10 * time.Second)
			say("About: " + p.Messages[len(p.Messages)-1].Content)
			return nil
		}
		before := len(h.wire.said())
		h.receive(h.dm("49", "One."))
		pass(5 * time.Second)
		e := h.dm("DE.7", "Two.")
		e.From.Aliases = []string{"49"}
		h.receive(e)
		h.settled()
		want(t, "answers", h.wire.said()[before:], []string{"About: One.", "About: Two."})
		want(t, "places", h.wire.places()[before:], []string{"DE.7", "DE.7"})
	})
}

// TestMovedBeforeATurn: a chat that gets another id after its message was taken, and before the turn is
// followed, is sent one answer there.
func TestMovedBeforeATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
		defer h.end()
		h.wire.spoil = func(string) error { pass(10 * time.Second); return nil }
		said := h.group("2", "Bea", "Look.", true)
		said.Files = []gateway.FileRef{h.file(gateway.Photo, "slow.png", png)}
		h.receive(said)
		pass(5 * time.Second)
		moved := h.group("2", "Bea", "", false)
		moved.Kind, moved.MovedTo = gateway.Moved, "-100"
		h.receive(moved)
		h.settled()
		want(t, "answers", len(h.wire.said()), 1)
		want(t, "places", h.wire.places(), []string{"-100"})
		want(t, "turns", h.model.count(), 1)
	})
}
