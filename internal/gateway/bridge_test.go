package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// bridge sends messages through the generic webhook.
func (h *house) bridge(id, chat, user, text string, admin bool) (string, error) {
	e := h.dm(user, text)
	e.ID, e.Place, e.From.Admin = id, gateway.Place{Platform: "matrix", Chat: chat}, admin
	if strings.HasPrefix(chat, "group") {
		e.Type = gateway.Group
	}
	got, err := h.gateway.Bridge(context.Background(), h.bot.Owner, e, true)
	if err == nil && got.EventID != id {
		h.t.Errorf("the event %q is called %q", id, got.EventID)
	}
	return got.Answer, err
}

// overBridge sends what Ada, whom the bridge knows as an admin, writes in her chat of a bridge. It
// returns the answer.
func (h *house) overBridge(text string) string {
	h.t.Helper()
	e := h.dm(ada, text)
	e.Place.Platform, e.From.Admin = "matrix", true
	got, err := h.gateway.Bridge(context.Background(), h.bot.Owner, e, true)
	if err != nil {
		h.t.Fatalf("%s: %v", text, err)
	}
	return got.Answer
}

// TestBridgeEventsBelongToChats: platforms number the messages of each chat apart. The same number
// in another chat is another message; in the same chat it is the same one.
func TestBridgeEventsBelongToChats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for _, c := range []struct{ id, chat, user, text, want string }{
			{"1", "a", "ina", "My parrot is called Kiwi.", "Kiwi"},
			{"1", "b", "ivo", "My tortoise is called Ben.", "Ben"},
			{"1", "a", "ina", "My parrot is called Kiwi.", "Kiwi"},
		} {
			got, err := h.bridge(c.id, c.chat, c.user, c.text, false)
			if err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s in chat %s is answered with %q, %v", c.text, c.chat, got, err)
			}
		}
		want(t, "turns", len(h.model.prompts), 2)
	})
}

// TestBridgeAdmins: only a person whom the bridge knows as an admin changes a group, and erases.
func TestBridgeAdmins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for i, c := range []struct {
			chat, text string
			admin      bool
			want       string
		}{
			{"group", "/new", false, "only an admin"},
			{"group", "/new", true, "Nothing has been said"},
			{"dm", "/new", false, "Nothing has been said"},
			{"dm", "/forget Kiwi", false, "Only an admin"},
			{"dm", "/forget Kiwi --yes", false, "Only an admin"},
			{"dm", "/forget Kiwi", true, "Nothing here mentions"},
			{"dm", "/home", true, "cannot report here"},
		} {
			got, err := h.bridge(string(rune('a'+i)), c.chat, "eve", c.text, c.admin)
			if err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s, admin %t: %q, %v, want %q in it", c.text, c.admin, got, err, c.want)
			}
		}
		e := h.dm(ada, "Hello.")
		e.Place.Platform = gateway.Telegram
		if _, err := h.gateway.Bridge(t.Context(), h.bot.Owner, e, true); fault.KindOf(err) != fault.Invalid {
			t.Errorf("a bridge that calls itself telegram: %v", err)
		}
	})
}

// TestCommandsKeepTheOrder: a command that changes the session does so behind the messages that
// were sent before it.
func TestCommandsKeepTheOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		say := func(text string) {
			h.receive(h.dm(ada, text))
			pass(200 * time.Millisecond)
		}
		say("My boat is called Lara.")
		h.settled()
		old := h.chat(ada).Session
		say("My tent is orange.")
		say("/undo")
		h.settled()
		want(t, "the session after /undo", h.transcript(old), []string{"user: My boat is called Lara.", "assistant: You said: My boat is called Lara."})
		say("My car is red.")
		say("/new")
		say("My hat is blue.")
		h.settled()
		want(t, "the new session", h.transcript(h.chat(ada).Session), []string{"user: My hat is blue.", "assistant: You said: My hat is blue."})
	})
}

// TestCommandWords: how commands are written.
func TestCommandWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "My boat is called Lara."))
		h.settled()
		before := h.chat(ada).Session
		for _, c := range []struct{ text, want string }{
			{"/new\nMy dog is called Rex.", "takes nothing behind it"},
			{"/undo 2", "takes nothing behind it"},
			{"/title\tBoats", "Boats"},
			{"/title\u00a0Ships", "Ships"},
			{"/n", "There is no such command. Did you mean /new?"},
			{"/me waves", "There is no such command. Did you mean"},
			{"/stat", "Messages"},
			{"/help forget", "/forget thing"},
			{"/forget “Lara”", "Lara stands in 2 messages"},
			{"/forget --yes Quagga", "Nothing here mentions"},
		} {
			h.receive(h.dm(ada, c.text))
			h.settled()
			if got := h.wire.said()[len(h.wire.said())-1]; !strings.Contains(got, c.want) {
				t.Errorf("%q is answered with %q, want %q in it", c.text, got, c.want)
			}
		}
		want(t, "the session", h.chat(ada).Session, before)
		want(t, "its messages", len(h.transcript(before)), 2)
	})
}

// TestBridgedChatsStayPrivate: a private chat of a bridge is for one person, and no group takes its
// memory. The first message decides what a chat is.
func TestBridgedChatsStayPrivate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.overBridge("My cat is called Tom.")
		send := func(change func(*gateway.Event)) error {
			e := h.dm(ada, "What is my cat called?")
			e.Place.Platform = "matrix"
			change(&e)
			_, err := h.gateway.Bridge(context.Background(), h.bot.Owner, e, true)
			return err
		}
		for name, c := range map[string]struct {
			change func(*gateway.Event)
			param  string
		}{
			"another person":             {func(e *gateway.Event) { e.From.ID = "1002" }, "user_id"},
			"another person in a thread": {func(e *gateway.Event) { e.From.ID, e.Place.Thread = "1002", "t" }, "user_id"},
			"a group":                    {func(e *gateway.Event) { e.Type = gateway.Group }, "chat_type"},
			"a channel's thread":         {func(e *gateway.Event) { e.Type, e.Place.Thread = gateway.Channel, "t" }, "chat_type"},
			"the same person":            {func(*gateway.Event) {}, ""},
			"the same person's thread":   {func(e *gateway.Event) { e.Place.Thread = "t" }, ""},
		} {
			err := send(c.change)
			if c.param == "" && err == nil {
				continue
			}
			if refused, ok := errors.AsType[*fault.Error](err); !ok || refused.Code != "invalid_event" || refused.Param != c.param {
				t.Errorf("%s: got %v, want %s refused", name, err, c.param)
			}
		}
		want(t, "turns", len(h.model.prompts), 3)
	})
}

// TestBridgedApproval: a bridge is told at once which tool waits for an approval, with wait and without, and how to
// decide. The answer follows the decision.
func TestBridgedApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := pulling(t, &calls)
		defer h.end()
		h.model.calls = func(p *run.Prompt) []run.ToolCall {
			if p.Messages[len(p.Messages)-1].Role == "tool" {
				return nil
			}
			return []run.ToolCall{{ID: "call_0", Name: "lever", Arguments: `{"at":"the top","key":"sk-proj-abcdefghijklmnopqrstuvwx"}`}}
		}
		send := func(id, text string, wait bool) gateway.Bridged {
			t.Helper()
			e := h.dm(ada, text)
			e.ID, e.Place = id, gateway.Place{Platform: "matrix", Chat: "c"}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			got, err := h.gateway.Bridge(ctx, h.bot.Owner, e, wait)
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			return got
		}
		waits := func(what string, got gateway.Bridged) {
			t.Helper()
			if got.State != "waiting_for_approval" || len(got.Approvals) != 1 || got.EventID != "1" || got.Answer != "" {
				t.Fatalf("%s: got %+v, want a call that waits", what, got)
			}
			c := got.Approvals[0]
			want(t, what, []string{c.CallID, c.Name, c.Approve, c.Deny}, []string{"call_0", "lever", "/approve 1", "/deny 1"})
			if a := string(c.Arguments); !strings.Contains(a, "the top") || strings.Contains(a, "abcdefghij") || !json.Valid(c.Arguments) || c.Deadline.IsZero() {
				t.Errorf("%s: got the arguments %s until %v", what, a, c.Deadline)
			}
		}
		waits("the first request", send("1", "Pull it.", true))
		waits("another one", send("1", "Pull it.", true))
		waits("one that does not wait", send("1", "Pull it.", false))
		want(t, "calls", calls, 0)
		want(t, "the decision", send("2", "/approve 1", true).State, gateway.Commanded)
		got := send("1", "Pull it.", true)
		if got.State != gateway.Answered || got.Answer != "It is done." || got.Approvals != nil || calls != 1 {
			t.Errorf("got %+v and %d calls, want the answer", got, calls)
		}
	})
}

// TestABridgeHearsOfOtherServers: a caller who waits is told of what another server makes of the event, which shares the store.
func TestABridgeHearsOfOtherServers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"And now?", "/undo"} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) {
				slow(h)
				h.shared = true
			})
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
			go send("2", text)
			pass(2 * time.Second)
			at := gateway.Place{Platform: "matrix", Account: "bridge", Chat: "c"}
			open, err := h.db.OpenEvents(t.Context(), h.bot.Owner, at, 10)
			if err != nil || len(open) != 2 {
				t.Fatalf("%d open events, %v", len(open), err)
			}
			e := &open[1]
			name := gateway.EventName{Platform: at.Platform, Account: at.Account, ID: e.ID}
			s := gateway.Settlement{Place: at, Events: []gateway.EventName{name}, State: gateway.Commanded, At: time.Now(), Sends: []gateway.Send{{
				ID: "s1", Place: at, Type: gateway.DM, Text: "The other server answers.", State: gateway.Sent, CreatedAt: time.Now(), Origin: gateway.RunID(h.bot.Owner, &e.Event),
			}}}
			if _, err := h.db.SettleEvents(t.Context(), h.bot.Owner, s); err != nil {
				t.Fatal(err)
			}
			pass(2 * time.Second)
			if len(answers) != 1 {
				t.Fatalf("%s: got %d answers, want one at once", text, len(answers))
			}
			want(t, text, <-answers, "The other server answers.")
			h.settled()
			if len(answers) != 1 {
				t.Fatalf("got %d answers to the first message", len(answers))
			}
		})
	}
}
