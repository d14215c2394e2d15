package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// window is a wire that takes messages only for a time after the person has written. asked is
// how often the person was asked to write.
type window struct {
	*wire
	until time.Time
	asked int
	fails error         // of asking
	takes time.Duration // to ask
}

func (w *window) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	w.mu.Lock()
	closed := time.Now().After(w.until)
	w.mu.Unlock()
	if closed {
		return "", &gateway.SendError{Reason: gateway.Closed, Text: "only an answer"}
	}
	return w.wire.Send(ctx, o)
}

func (w *window) Open(context.Context, gateway.Place) error {
	<-time.After(w.takes)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	err := w.fails
	if failed, ok := errors.AsType[*gateway.SendError](err); ok && failed.Reason == gateway.Temporary {
		w.fails = nil
	}
	return err
}

// windowed is a house whose chat with Ada has been closed.
func windowed(t *testing.T) (*house, *window) {
	t.Helper()
	var w *window
	h := setup(t, func(h *house) {
		h.bot.Stream = false
		w = &window{wire: h.wire, until: time.Now().Add(24 * time.Hour)}
		h.adapter = w
	})
	h.receive(h.dm(ada, "Hello."))
	h.settled()
	pass(25 * time.Hour)
	return h, w
}

// deliver delivers the output of a job to Ada.
func deliver(t *testing.T, h *house, id, text string) error {
	t.Helper()
	target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	return target.Deliver(ctx, h.bot.Owner, ada, &job.Event{ID: id, JobName: "news", Run: job.Fire{Status: job.Completed, Output: text}})
}

// TestAnEmptyDelivery: a job whose model answers nothing at all is told in the chat. No platform takes an
// empty message, and the session gets none.
func TestAnEmptyDelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		for i, text := range []string{"", " \n"} {
			if err := deliver(t, h, fmt.Sprint("e", i), text); err != nil {
				t.Fatal(err)
			}
		}
		const told = "⚠️ The job news gave an empty answer."
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", told, told})
		want(t, "session", h.transcript(h.chat(ada).Session)[2:], []string{"assistant: " + told, "assistant: " + told})
	})
}

func TestAClosedChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := windowed(t)
		defer h.end()
		for _, text := range []string{"One.", "Two."} {
			want(t, text, fault.CodeOf(deliver(t, h, text, text)), job.CodeAwaited)
		}
		pass(48 * time.Hour)
		want(t, "asked", w.asked, 1)
		want(t, "sent meanwhile", h.wire.said(), []string{"You said: Hello."})
		w.until = time.Now().Add(24 * time.Hour)
		h.receive(h.dm(ada, "Yes?"))
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello.", "One.", "Two.", "You said: Yes?"})
		want(t, "asked", w.asked, 1)
		want(t, "deliveries to look at again", h.revised(), []string{"One.", "Two."})
		for _, text := range []string{"One.", "Two."} {
			want(t, text, deliver(t, h, text, text), nil)
		}
	})
}

// TestAClosedChatAgain: a person is asked once for each time the chat is closed, and a
// restart changes nothing.
func TestAClosedChatAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := windowed(t)
		for i := range 2 {
			want(t, "delivered", fault.CodeOf(deliver(t, h, strings.Repeat("x", i+1), "News.")), job.CodeAwaited)
			h.end()
			h.begin()
			h.settled()
			want(t, "asked", w.asked, i+1)
			w.until = time.Now().Add(24 * time.Hour)
			h.receive(h.dm(ada, "Yes?"))
			h.settled()
			pass(25 * time.Hour)
		}
		defer h.end()
		want(t, "sent", len(h.wire.said()), 5)
	})
}

// TestAClosedChatWithoutAWay: a job learns that the person could not be asked, also if that takes a while.
func TestAClosedChatWithoutAWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := windowed(t)
		defer h.end()
		w.takes = 2 * time.Second
		w.fails = &gateway.SendError{Reason: gateway.Refused, Text: "No template is set."}
		err := deliver(t, h, "e", "News.")
		if !strings.Contains(fault.MessageOf(err), "No template is set.") {
			t.Errorf("got %v, want a failure that says why", err)
		}
		w.fails = &gateway.SendError{Reason: gateway.Temporary, Text: "Not now."}
		want(t, "delivered", fault.CodeOf(deliver(t, h, "f", "News.")), job.CodeAwaited)
		pass(time.Minute) // Deliver returns once the message waits; the second attempt comes later
		want(t, "asked", w.asked, 3)
	})
}

// TestAClosedChatLate: the platform says only later that a message came too late.
func TestAClosedChatLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := windowed(t)
		defer h.end()
		w.until = time.Now().Add(1000 * time.Hour) // the platform takes everything
		if err := deliver(t, h, "e", "News."); err != nil {
			t.Fatal(err)
		}
		last := h.wire.shown[len(h.wire.shown)-1]
		late := gateway.Event{
			ID: "late", Kind: gateway.Failed, Closed: true, Place: last.place, Type: gateway.DM, From: gateway.Sender{ID: ada},
			Sent: last.out, Message: last.id, Reason: "too late",
		}
		h.receive(late)
		h.settled()
		h.receive(late)
		h.settled()
		want(t, "asked", w.asked, 1)
		want(t, "deliveries to look at again", h.revised(), []string{"e"})
		want(t, "delivered", fault.CodeOf(deliver(t, h, "e", "News.")), job.CodeAwaited)
		refused := false // the first try fails: it must not become an edit of the lost message
		h.wire.refuse = func(*gateway.Out) error {
			if refused {
				return nil
			}
			refused = true
			return &gateway.SendError{Reason: gateway.Temporary, Text: "not now"}
		}
		h.receive(h.dm(ada, "Yes?"))
		h.settled()
		h.receive(late) // once more: it is about the first try
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello.", "News.", "News.", "You said: Yes?"})
		want(t, "asked", w.asked, 1)
	})
}

// TestAParkedMessageIsKept: a message that has waited for long is not given up at the first
// failure.
func TestAParkedMessageIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := windowed(t)
		defer h.end()
		want(t, "delivered", fault.CodeOf(deliver(t, h, "e", "News.")), job.CodeAwaited)
		pass(72 * time.Hour)
		w.until = time.Now().Add(24 * time.Hour)
		failures := 2
		h.wire.refuse = func(*gateway.Out) error {
			if failures--; failures >= 0 {
				return &gateway.SendError{Reason: gateway.Temporary, Text: "not now"}
			}
			return nil
		}
		h.receive(h.dm(ada, "Yes?"))
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello.", "News.", "You said: Yes?"})
	})
}

// TestAFailureDuringASend: what the platform says while a message is being sent is not lost.
func TestAFailureDuringASend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Stream, h.adapter = false, finder{h.wire} })
		defer h.end()
		failed := gateway.Event{ID: "late", Kind: gateway.Failed, Type: gateway.DM, From: gateway.Sender{ID: ada}, Reason: "it cannot be delivered"}
		var during error
		h.wire.lose = func(o *gateway.Out) error {
			failed.Place, failed.Sent, failed.Message = o.Place, o.ID, "m1"
			during = h.wire.in.Commit(context.Background(), []gateway.Event{failed}, "")
			return nil
		}
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		if during == nil {
			t.Error("the failure was taken while the message was being sent")
		}
		h.receive(failed)
		if s, err := h.db.FindSend(t.Context(), h.bot.Owner, failed.Place, failed.Sent, ""); err != nil || s.State != gateway.GaveUp {
			t.Errorf("got %s, %v, want it given up", s.State, err)
		}
	})
}

// letIn lets a stranger in by pairing, whose DMs are an owner's.
func (h *house) letIn(user, data string) {
	h.t.Helper()
	h.receive(h.dm(user, "Let me in."))
	h.settled()
	said := h.wire.said()
	_, code, _ := strings.Cut(said[len(said)-1], "approve telegram ")
	if len(code) < 8 {
		h.t.Fatalf("got %q, want a pairing code", said)
	}
	if _, err := h.gateway.Approve(h.t.Context(), h.bot.Owner, gateway.Telegram, code[:8], data); err != nil {
		h.t.Fatal(err)
	}
}

// follow has the platform tell twice that a person has another id now.
func (h *house) follow(from, to string) {
	moved := h.dm(from, "")
	moved.Kind, moved.MovedTo = gateway.Moved, to
	for range 2 {
		h.receive(moved)
	}
}

// TestOtherIDsOfApprovedPeople: who was let in by pairing stays let in when the platform tells
// of another id, or names one beside the known one.
func TestOtherIDsOfApprovedPeople(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.letIn("49", "bob")
		h.receive(h.dm("49", "My cat is called Minka."))
		h.settled()
		e := h.dm("DE.7", "Who is Minka?")
		e.From.Aliases = []string{"49"}
		h.receive(e)
		h.settled()
		h.follow("DE.7", "DE.8")
		h.receive(h.dm("DE.8", "And now?"))
		h.settled()
		want(t, "answers", h.wire.said()[1:], []string{"You said: My cat is called Minka.", "You said: Who is Minka?", "You said: And now?"})
		at := gateway.Place{Platform: gateway.Telegram, Account: "7", Chat: "DE.8"}
		c, err := h.db.Chat(t.Context(), owner.Stored("bob"), at)
		if err != nil {
			t.Fatal(err)
		}
		ms, err := h.db.Messages(t.Context(), owner.Stored("bob"), c.Session, session.Range{Standing: true})
		if err != nil || len(ms) != 6 {
			t.Errorf("got %d messages, %v, want all six in one session", len(ms), err)
		}
		people, err := h.gateway.People(t.Context(), h.bot.Owner, gateway.Telegram)
		if err != nil || len(people) != 1 || people[0].User != "DE.8" {
			t.Errorf("people: got %+v, %v, want one", people, err)
		}
		before := len(h.wire.said())
		h.receive(h.dm("49", "The number is somebody else's now."))
		h.settled()
		if said := h.wire.said(); len(said) != before && strings.HasPrefix(said[before], "You said") {
			t.Errorf("the old id is still let in: %q", said[before:])
		}
	})
}

// TestOtherIDsOfListedPeople: a person whom the settings list by a number may write with the ids
// that came in its place, for as long as the settings list the number.
func TestOtherIDsOfListedPeople(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		e := h.dm("DE.7", "My cat is called Minka.")
		e.From.Aliases = []string{ada}
		h.receive(e)
		h.receive(h.dm("DE.7", "Who is Minka?"))
		h.settled()
		h.follow("DE.7", "DE.8")
		h.receive(h.dm("DE.8", "And now?"))
		h.receive(h.dm("DE.8", "/status"))
		h.settled()
		if said := h.wire.said(); len(said) != 3 || said[1] != "You said: And now?" && said[2] != "You said: And now?" {
			t.Errorf("got the answers %q", said)
		}
		h.receive(h.dm("DE.8", "/forget Minka"))
		h.settled()
		if said := h.wire.said(); !strings.HasPrefix(said[len(said)-1], "Minka stands in") {
			t.Errorf("a command of an admin is answered with %q", said[len(said)-1])
		}
		h.bot.Users = slices.DeleteFunc(slices.Clone(h.bot.Users), func(id string) bool { return id == ada })
		before := len(h.wire.said())
		h.receive(h.dm("DE.8", "Am I still let in?"))
		h.settled()
		if said := h.wire.said(); len(said) != before+1 || strings.HasPrefix(said[before], "You said") {
			t.Errorf("the settings no longer list the number, and the id is let in: %q", said[before:])
		}
	})
}

// TestOtherIDsOfApprovedAdmins: who was let in by pairing, and is an admin by number, stays one when
// the platform tells another id alone.
func TestOtherIDsOfApprovedAdmins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Admins = []string{"49"} })
		defer h.end()
		h.letIn("49", "")
		e := h.dm("DE.7", "My cat is called Minka.")
		e.From.Aliases = []string{"49"}
		h.receive(e)
		h.settled()
		h.follow("DE.7", "DE.8")
		h.receive(h.dm("DE.8", "/forget Minka"))
		h.settled()
		if said := h.wire.said(); !strings.HasPrefix(said[len(said)-1], "Minka stands in") {
			t.Errorf("a command of an admin is answered with %q", said[len(said)-1])
		}
		if people, err := h.gateway.People(t.Context(), h.bot.Owner, gateway.Telegram); err != nil || len(people) != 1 || people[0].State != gateway.Approved {
			t.Errorf("people: got %+v, %v, want one who was let in", people, err)
		}
		h.bot.Admins = []string{"50"}
		h.receive(h.dm("DE.8", "/forget Minka"))
		h.settled()
		if said := h.wire.said(); strings.HasPrefix(said[len(said)-1], "Minka stands in") {
			t.Errorf("the settings no longer list the number, and the id is an admin: %q", said[len(said)-1])
		}
	})
}

// TestStrangerInAListedChat: where a stranger asked for a code says nothing of who the stranger is,
// also if the chat has the id of a person whom the settings list.
func TestStrangerInAListedChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		asks := h.dm("666", "Let me in.")
		asks.Place.Chat = ada
		h.receive(asks)
		h.settled()
		h.receive(h.dm("666", "My cat is called Minka."))
		h.settled()
		want(t, "turns of a stranger", h.model.count(), 0)
		_, code, _ := strings.Cut(h.wire.said()[0], "approve telegram ")
		if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, code[:8], ""); err != nil {
			t.Fatal(err)
		}
		h.receive(h.dm("666", "My cat is called Minka."))
		h.settled()
		h.receive(h.dm("666", "/forget Minka"))
		h.settled()
		if said := h.wire.said(); strings.HasPrefix(said[len(said)-1], "Minka stands in") {
			t.Errorf("who was let in is an admin: %q", said[len(said)-1])
		}
	})
}

// TestNumberAlone: a person whom the settings list by number stays in one chat, whichever of the
// person's ids the platform tells.
func TestNumberAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		both := h.dm("DE.7", "My cat is called Minka.")
		both.From.Aliases = []string{ada}
		h.receive(both)
		h.settled()
		before := h.chat("DE.7")
		h.receive(h.dm(ada, "Who is Minka?"))
		h.settled()
		h.receive(h.dm("DE.7", "And now?"))
		h.settled()
		after := h.chat("DE.7")
		if after.Session != before.Session || after.Key != before.Key {
			t.Errorf("got session %s and key %s, want %s and %s", after.Session, after.Key, before.Session, before.Key)
		}
		want(t, "transcript", len(h.transcript(after.Session)), 6)
		want(t, "places", h.wire.places(), []string{"DE.7", ada, "DE.7"})
		h.receive(h.dm("DE.9", "Who is Minka?")) // another person
		h.settled()
		want(t, "turns", h.model.count(), 3)
	})
}

// TestOtherIDs: a person who is known by a number, and now by another id, stays in the chat.
func TestOtherIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "My cat is called Minka."))
		h.settled()
		before := h.chat(ada)
		e := h.dm("DE.77", "Who is Minka?")
		e.From.Aliases = []string{ada}
		h.receive(e)
		h.settled()
		after := h.chat("DE.77")
		if after.Session != before.Session || after.Key != before.Key {
			t.Errorf("got session %s and key %s, want %s and %s", after.Session, after.Key, before.Session, before.Key)
		}
		want(t, "transcript", len(h.transcript(after.Session)), 4)
	})
}
