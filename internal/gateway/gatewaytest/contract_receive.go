package gatewaytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

func receiveCases() []contractCase {
	return []contractCase{
		{"messages", testMessages},
		{"a reply to the bot is addressed", testReply},
		{"an edit", testEdited},
		{"a deletion", testDeleted},
		{"a press", testPressed},
		{"bots are not heard", testBots},
		{"a thread is a place", testThread},
		{"events again and out of order", testAgain},
		{"a broken connection is made again", testReconnect},
	}
}

func testMessages(t *testing.T, b *bench) {
	b.start(t)
	for _, tt := range []struct {
		act       Act
		addressed bool
	}{
		{Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "to you"}, true},
		{Act{Type: gateway.Group, Chat: "family", Name: "alice", Text: "to all"}, false},
		{Act{Type: gateway.Group, Chat: "family", Name: "bob", Text: "to the bot 😀 & <all>", Mention: true}, true},
	} {
		tt.act.Kind = gateway.Said
		id, m := b.Emit(t, tt.act)
		b.ledger.AwaitEvents(t, id)
		e := b.ledger.Event(t, id)
		if e.Kind != gateway.Said || e.Type != tt.act.Type || e.Text != tt.act.Text || e.Addressed != tt.addressed || e.Message != m {
			t.Errorf("%q: got %s in a %s, %q, addressed %t, message %s, want message %s", tt.act.Text, e.Kind, e.Type, e.Text, e.Addressed, e.Message, m)
		}
		if e.From.ID == "" || e.From.Name == "" || e.At.IsZero() {
			t.Errorf("%q: got %+v at %s, want who and when", tt.act.Text, e.From, e.At)
		}
		if e.Place.Platform != b.adapter.Platform() || e.Place.Account == "" || e.Place.Chat == "" || e.Place.Thread != "" {
			t.Errorf("%q: got the place %+v", tt.act.Text, e.Place)
		}
	}
	list := b.ledger.Events()
	if list[0].From.ID != list[1].From.ID || list[1].From.ID == list[2].From.ID {
		t.Errorf("people: got %q, %q, %q, want the first two to be one", list[0].From.ID, list[1].From.ID, list[2].From.ID)
	}
	if list[1].Place != list[2].Place || list[0].Place.Chat == list[1].Place.Chat {
		t.Errorf("places: got %+v, %+v, %+v", list[0].Place, list[1].Place, list[2].Place)
	}
}

func testReply(t *testing.T, b *bench) {
	b.start(t)
	first := b.chat(t, Act{Type: gateway.Group, Chat: "family", Name: "alice", Text: "a question", Mention: true})
	m, err := b.adapter.Send(t.Context(), &gateway.Out{ID: outID(1), Place: first.Place, Type: first.Type, Text: "an answer", Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	e := b.chat(t, Act{Type: gateway.Group, Chat: "family", Name: "alice", Text: "why?", ReplyTo: m})
	if e.Replied == nil || !e.Replied.Mine || e.Replied.Message != m || !e.Addressed {
		t.Errorf("a reply to the bot: got %+v, addressed %t", e.Replied, e.Addressed)
	}
	e = b.chat(t, Act{Type: gateway.Group, Chat: "family", Name: "bob", Text: "I know", ReplyTo: first.Message})
	if e.Replied == nil || e.Replied.Mine || e.Replied.Message != first.Message || e.Addressed {
		t.Errorf("a reply to a person: got %+v, addressed %t", e.Replied, e.Addressed)
	}
}

func testEdited(t *testing.T, b *bench) {
	b.start(t)
	first := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "before"})
	id, _ := b.Emit(t, Act{Kind: gateway.Edited, Type: gateway.DM, Chat: "alice", Name: "alice", Text: "after", Message: first.Message})
	b.ledger.AwaitEvents(t, id)
	e := b.ledger.Event(t, id)
	if e.Kind != gateway.Edited || e.Text != "after" || e.Message != first.Message || e.Place != first.Place || e.From.ID != first.From.ID {
		t.Errorf("got %+v, want the edit of %+v", e, first)
	}
	if id == first.ID {
		t.Errorf("the edit has the id %s of the message's event", id)
	}
}

// testDeleted: a deletion names the message in its place, also in a thread.
func testDeleted(t *testing.T, b *bench) {
	if !b.Deletes {
		return
	}
	b.start(t)
	for _, said := range []Act{
		{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "to you"},
		{Type: gateway.Channel, Chat: "news", Name: "alice", Text: "to you", Mention: true},
		{Type: gateway.Channel, Chat: "news", Thread: "plans", Name: "alice", Text: "to you", Mention: true},
	} {
		first := b.chat(t, said)
		said.Kind, said.Message = gateway.Deleted, first.Message
		id, _ := b.Emit(t, said)
		b.ledger.AwaitEvents(t, id)
		e := b.ledger.Event(t, id)
		got := []any{e.Kind, e.Message, e.Place, e.Type, e.Text}
		if want := []any{gateway.Deleted, first.Message, first.Place, first.Type, ""}; !slices.Equal(got, want) {
			t.Errorf("got %+v, want the deletion of %+v", e, first)
		}
	}
}

func testPressed(t *testing.T, b *bench) {
	b.start(t)
	first := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "do it"})
	if b.adapter.Limits().Buttons == 0 {
		return
	}
	button := gateway.Button{ID: "approve:0123456789abcdef0123456789abcdef:1", Label: "Yes"}
	m, err := b.adapter.Send(t.Context(), &gateway.Out{
		ID: outID(1), Place: first.Place, Type: first.Type, Text: "Sure?", Plain: true,
		Buttons: []gateway.Button{button, {ID: "deny", Label: "No"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := b.Emit(t, Act{Kind: gateway.Pressed, Type: gateway.DM, Chat: "alice", Name: "alice", Message: m, Button: button.ID})
	b.ledger.AwaitEvents(t, id)
	e := b.ledger.Event(t, id)
	if e.Kind != gateway.Pressed || e.Button != button.ID || e.Place != first.Place || e.From.ID != first.From.ID || e.Message != m {
		t.Errorf("got %+v, want the press on message %s", e, m)
	}
}

// testBots: messages of the bot and of other bots are no events, and do not stop those
// that are.
func testBots(t *testing.T, b *bench) {
	b.start(t)
	for _, who := range []Who{Bot, Robot} {
		b.say(t, Act{Type: gateway.Group, Chat: "family", Who: who, Name: "robot", Text: "beep", Mention: who == Robot})
	}
	b.chat(t, Act{Type: gateway.Group, Chat: "family", Name: "alice", Text: "hello"})
	if list := b.ledger.Events(); len(list) != 1 || list[0].Text != "hello" {
		t.Errorf("got %+v, want alice's message only", list)
	}
}

func testThread(t *testing.T, b *bench) {
	if !b.Threads {
		return
	}
	b.start(t)
	in := b.chat(t, Act{Type: gateway.Group, Chat: "forum", Thread: "plans", Name: "alice", Text: "here", Mention: true})
	out := b.chat(t, Act{Type: gateway.Group, Chat: "forum", Name: "alice", Text: "there", Mention: true})
	if in.Place.Thread == "" || out.Place.Thread != "" || in.Place.Chat != out.Place.Chat {
		t.Errorf("got %+v and %+v, want a thread and its chat", in.Place, out.Place)
	}
	o := &gateway.Out{ID: outID(1), Place: in.Place, Type: in.Type, Text: "an answer", Plain: true}
	if _, err := b.adapter.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if sent := b.Sent(); len(sent) != 1 || sent[0].Place != in.Place {
		t.Errorf("sent: got %+v, want one in %+v", sent, in.Place)
	}
}

// testAgain: an event has one id, however often and in whatever order it comes.
func testAgain(t *testing.T, b *bench) {
	b.start(t)
	var ids []string
	for i := range 20 {
		ids = append(ids, b.dm(t, fmt.Sprintf("message %d", i))...)
	}
	b.ledger.AwaitEvents(t, ids...)
	if b.Replay != nil {
		for range 2 {
			rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			b.Replay(t, ids...)
		}
	}
	b.ledger.AwaitEvents(t, b.dm(t, "the last")...)
	seen := map[string]bool{}
	for _, e := range b.ledger.Events() {
		if seen[e.Text] {
			t.Errorf("%q came as two events", e.Text)
		}
		seen[e.Text] = true
	}
	if len(seen) != 21 {
		t.Errorf("got %d events, want 21", len(seen))
	}
}

func testReconnect(t *testing.T, b *bench) {
	b.start(t)
	b.ledger.AwaitEvents(t, b.dm(t, "before")...)
	for i := range 3 {
		b.Cut()
		b.ledger.AwaitEvents(t, b.dm(t, fmt.Sprintf("after %d", i))...)
	}
	if list := b.ledger.Events(); len(list) != 4 {
		t.Errorf("got %d events, want 4", len(list))
	}
}

// outID is the n-th id of a message to be sent.
func outID(n int) string { return fmt.Sprintf("%032x", n) }
