package gateway_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// line is what people are told about a message that was erased.
const line = "was erased before it was answered"

// stored are the events of the owner of the bot, by the ids of their messages.
func (h *house) stored() map[gateway.MessageID]gateway.Inbound {
	h.t.Helper()
	list, err := h.db.ChatEvents(context.Background(), h.bot.Owner, gateway.EventFilter{Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	out := make(map[gateway.MessageID]gateway.Inbound)
	for i := range list {
		out[list[i].Message] = list[i]
	}
	return out
}

// spoken is everything that all sessions of the owner of the bot have.
func (h *house) spoken() string {
	h.t.Helper()
	var out []string
	for _, s := range h.conversations() {
		out = append(out, h.transcript(s.ID)...)
	}
	return strings.Join(out, "\n")
}

// TestForgettingEndsWhatWaits: a message of another person that waits for an answer and names a forgotten thing is
// told to be erased, once. Its mark goes, its event stays without the words, and the answer counts it.
func TestForgettingEndsWhatWaits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"while it waits", "behind the turn", "over a kill"} {
		killed := name == "over a kill"
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					slow(h)
					h.bot.Open = true
					h.bot.Admins = []string{ada}
				})
				defer func() { h.end() }()
				ask, more, waits := h.group("1002", "Ben", "Tell me a long story.", true), h.group("1002", "Ben", "And a short one.", true), h.group("1002", "Ben", "And who is Montague?", true)
				h.receive(ask)
				pass(5 * time.Second)
				h.receive(waits)
				pass(2 * time.Second)
				want(t, "the mark of what waits", h.wire.mark(waits.Message), gateway.Waits)
				if killed {
					h.fails = func() error { return errors.New("the server is dying") }
				}
				if name == "while it waits" {
					swept, err := h.db.Sweep(context.Background(), h.bot.Owner, mention.Of("montague"), false)
					want(t, "swept", [2]int{swept.Records, swept.Unanswered}, [2]int{1, 1})
					want(t, "an error", err, nil)
				} else {
					h.receive(h.dm(ada, "/forget montague --yes"))
				}
				pass(10 * time.Second)
				h.receive(more)
				if killed {
					pass(30 * time.Second)
					h.end()
					h.fails = nil
					h.begin()
				}
				h.settled()
				h.settled()
				texts := strings.Join(h.wire.said(), "\n")
				want(t, "lines of "+texts, strings.Count(texts, line), 1)
				want(t, "answers to the first", strings.Count(texts, "Tell me a long story"), 1)
				want(t, "answers to the last", strings.Count(texts, "And a short one")+strings.Count(texts, "This answer was deleted before it was complete"), 1)
				for _, s := range h.wire.shown {
					if strings.Contains(s.text, line) && s.place.Chat == "-42" {
						want(t, "what the line answers", s.reply, waits.Message)
					}
				}
				if name == "behind the turn" {
					want(t, "proofs that count it", strings.Count(texts, "and 1 message that waited for an answer"), 1)
				}
				want(t, "the mark at the end", h.wire.mark(waits.Message), gateway.Clear)
				e := h.stored()[waits.Message]
				want(t, "the event", [3]string{string(e.State), e.Reason, e.Text}, [3]string{string(gateway.Answered), "erased before it was answered", ""})
				for _, has := range []string{texts, h.spoken()} {
					if strings.Contains(has, "Montague") || strings.Contains(has, "without words") {
						t.Errorf("got %q, want nothing of the message", has)
					}
				}
			})
		})
	}
}

// TestForgettingAName: if only the display name of a person is forgotten, the message that waits is answered, and its
// speaker gets a neutral name.
func TestForgettingAName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			slow(h)
			h.bot.Open = true
		})
		defer h.end()
		h.receive(h.group(ada, "Ada", "Tell me a long story.", true))
		pass(5 * time.Second)
		waits := h.group("1002", "Montague", "And a short one.", true)
		h.receive(waits)
		pass(2 * time.Second)
		if _, err := h.db.Sweep(context.Background(), h.bot.Owner, mention.Of("Montague"), false); err != nil {
			t.Fatal(err)
		}
		h.settled()
		h.settled()
		texts := strings.Join(h.wire.said(), "\n")
		if strings.Contains(texts, line) || !strings.Contains(texts, "And a short one") {
			t.Errorf("got %s, want an answer", texts)
		}
		want(t, "the state", h.stored()[waits.Message].State, gateway.Answered)
		if got := h.spoken(); strings.Contains(got, "Montague") || !strings.Contains(got, "user 1002: And a short one.") {
			t.Errorf("got %s, want the message under a neutral name", got)
		}
	})
}

// TestForgettingAnEdit: a message whose newest text is erased while it waits is told once, and not answered as it was
// before the edit.
func TestForgettingAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, slow)
		defer h.end()
		h.receive(h.dm(ada, "Tell me a long story."))
		pass(5 * time.Second)
		waits := h.dm(ada, "Who is that?")
		h.receive(waits)
		pass(2 * time.Second)
		edit := h.dm(ada, "Who is Montague?")
		edit.Kind, edit.Message = gateway.Edited, waits.Message
		h.receive(edit)
		pass(time.Second)
		if _, err := h.db.Sweep(context.Background(), h.bot.Owner, mention.Of("Montague"), false); err != nil {
			t.Fatal(err)
		}
		h.settled()
		h.settled()
		texts := h.wire.said()
		if len(texts) != 2 || !strings.Contains(texts[1], line) {
			t.Errorf("got %q, want the story and the line", texts)
		}
		open, err := h.db.OpenEvents(context.Background(), h.bot.Owner, gateway.Place{Platform: h.wire.name, Account: "7", Chat: ada}, 10)
		if err != nil || len(open) > 0 {
			t.Errorf("%d events are open, %v", len(open), err)
		}
	})
}

// TestForgettingABatch: of messages that a turn has taken and that no server has begun to answer, the erased ones are
// told, and the others are answered.
func TestForgettingABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer func() { h.end() }()
		h.receive(h.dm(ada, "hello"))
		h.settled()
		h.end()
		h.begin()
		ctx := context.Background()
		h.stop()
		for range 2 {
			<-h.ended
		}
		var names []gateway.EventName
		var admitted []gateway.Admitted
		for _, text := range []string{"Who is Montague?", "And who is Quagga?"} {
			e := h.dm(ada, text)
			e.Place.Platform, e.Place.Account = h.wire.name, "7"
			names = append(names, gateway.EventName{Platform: h.wire.name, Account: "7", ID: e.ID})
			admitted = append(admitted, gateway.Admitted{Owner: h.bot.Owner, Event: e, State: gateway.Waiting, Keys: gateway.Keys{Long: "k"}})
		}
		if _, err := h.db.CommitEvents(ctx, h.bot.Owner, gateway.Committed{Platform: h.wire.name, Account: "7", Events: admitted, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		at := admitted[0].Event.Place
		_, err := h.db.TakeEvents(ctx, h.bot.Owner, gateway.Taking{Place: at, Events: names, Run: "run_0123456789abcdef", Session: session.NewID(time.Now()), At: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		done, err := h.curator.Forget(ctx, h.bot.Owner, "Montague", false)
		if err != nil || done.Unanswered != 1 || done.Left != 0 {
			t.Errorf("got %+v, %v, want one message that waited", done, err)
		}
		if err := h.db.Close(); err != nil {
			t.Fatal(err)
		}
		h.begin()
		h.settled()
		texts := h.wire.said()
		want(t, "lines", len(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return !strings.Contains(s, line) })), 1)
		want(t, "answers", len(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return !strings.Contains(s, "Quagga") })), 1)
		if got := h.spoken(); strings.Contains(got, "Montague") || !strings.Contains(got, "Quagga") {
			t.Errorf("the transcripts have %q", got)
		}
	})
}

// TestForgettingOverABridge: the caller of a bridge that waits for an answer gets the line.
func TestForgettingOverABridge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, slow)
		defer h.end()
		answers := make(chan string, 2)
		send := func(id, text string) {
			got, err := h.bridge(id, "c", ada, text, true)
			if err != nil {
				t.Error(err)
			}
			answers <- got
		}
		go send("1", "Tell me a story.")
		pass(5 * time.Second)
		go send("2", "And who is Montague?")
		pass(3 * time.Second)
		go send("3", "/forget montague --yes")
		h.settled()
		h.settled()
		got := []string{<-answers, <-answers, <-answers}
		slices.Sort(got)
		if all := strings.Join(got, "\n"); strings.Count(all, line) != 1 || strings.Count(all, "that waited for an answer") != 1 || strings.Contains(all, "Montague") {
			t.Errorf("got %q", got)
		}
		again, err := h.bridge("2", "c", ada, "And who is Montague?", true)
		if err != nil || !strings.Contains(again, line) {
			t.Errorf("the same event again: %q, %v", again, err)
		}
	})
}
