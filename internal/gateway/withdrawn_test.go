package gateway_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

// about is an event of a person's private chat that is about a message.
func (h *house) about(said gateway.Event, kind gateway.EventKind, text string) gateway.Event {
	e := h.dm(said.From.ID, text)
	e.Kind, e.Message, e.Place, e.Type = kind, said.Message, said.Place, said.Type
	return e
}

// TestEditedIntoACommand: a message that is edited into a command while it waits is that command, and nothing else. One
// that is edited into other words, or too late, is none.
func TestEditedIntoACommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		after   time.Duration
		command bool
		prompts int
	}{
		{"/help status", 300 * time.Millisecond, true, 0},
		{"!help status", 300 * time.Millisecond, true, 0},
		{" /help status", 300 * time.Millisecond, true, 0},
		{"/stautus", 300 * time.Millisecond, true, 0},
		{"/etc/hosts is a file", 300 * time.Millisecond, false, 1},
		{"!wow", 300 * time.Millisecond, false, 1},
		{"status please", 300 * time.Millisecond, false, 1},
		{"/help status", 20 * time.Second, false, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, nil)
			defer h.end()
			said := h.dm(ada, "hlep status")
			h.receive(said)
			pass(c.after)
			h.receive(h.about(said, gateway.Edited, c.text))
			h.settled()
			want(t, c.text+": prompts", h.model.count(), c.prompts)
			want(t, c.text+": answers", len(h.wire.said()), 1)
			want(t, c.text+": a command", h.newest().State == gateway.Commanded, c.command)
			h.receive(h.dm(ada, "Hello."))
			h.settled()
			want(t, c.text+": the next message", h.wire.said()[1], "You said: Hello.")
		})
	}
}

// TestEditedWhileATurnRuns: a message that waits for another turn is edited into a command, which does not wait.
func TestEditedWhileATurnRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := writing(t, 20*time.Second, kettle, "It is done.")
		defer h.end()
		h.receive(h.dm(ada, "Is there tea?"))
		pass(5 * time.Second)
		said := h.dm(ada, "stpo")
		h.receive(said)
		pass(2 * time.Second)
		h.receive(h.about(said, gateway.Edited, "/stop"))
		h.settled()
		want(t, "prompts", h.model.count(), 1)
		want(t, "mark", h.wire.mark(said.Message), gateway.Clear)
	})
}

// TestDeletedBeforeItsTurn: a message that is deleted while it waits is neither answered nor stored. The others of its turn are.
func TestDeletedBeforeItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		secret, other := h.dm(ada, "My code is 4711."), h.dm(ada, "My cat is called Tom.")
		h.receive(secret)
		pass(100 * time.Millisecond)
		h.receive(other)
		h.receive(h.about(secret, gateway.Edited, "My code is 4712."))
		pass(300 * time.Millisecond)
		deleted := h.about(secret, gateway.Deleted, "")
		deleted.From = gateway.Sender{} // Discord does not say who
		h.receive(deleted, deleted)
		h.settled()
		want(t, "answers", h.wire.said(), []string{"You said: My cat is called Tom."})
		want(t, "transcript", h.transcript(h.chat(ada).Session), []string{"user: My cat is called Tom.", "assistant: You said: My cat is called Tom."})
		events, err := h.db.SaidEvents(t.Context(), h.bot.Owner, h.chat(ada).Place, secret.Message)
		if err != nil || len(events) != 1 || events[0].State != gateway.Ignored || events[0].Reason != "deleted before it was answered" || events[0].Text != "" {
			t.Errorf("got %+v, %v", events, err)
		}
		h.receive(h.about(other, gateway.Deleted, "")) // too late
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		want(t, "answers", len(h.wire.said()), 2)
	})
}

// TestDeletedInAChatOfAnotherOwner: a platform that does not say who deleted a message is understood in all private chats.
func TestDeletedInAChatOfAnotherOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		person := gateway.Person{Platform: gateway.Telegram, Account: "7", User: "2002", Chat: "2002", State: gateway.Approved, Owner: "bob", AskedAt: time.Now(), ApprovedAt: time.Now()}
		if err := h.db.PutPerson(t.Context(), h.bot.Owner, person); err != nil {
			t.Fatal(err)
		}
		said := h.dm("2002", "My code is 4711.")
		h.receive(said)
		pass(300 * time.Millisecond)
		open, err := h.db.OpenEvents(t.Context(), owner.Stored("bob"), gateway.Place{Platform: gateway.Telegram, Account: "7", Chat: "2002"}, 10)
		if err != nil || len(open) != 1 {
			t.Fatalf("got %v, %v, want the message in the chat of its owner", open, err)
		}
		deleted := h.about(said, gateway.Deleted, "")
		deleted.From = gateway.Sender{}
		h.receive(deleted)
		h.settled()
		want(t, "answers", len(h.wire.said()), 0)
		want(t, "prompts", h.model.count(), 0)
	})
}
