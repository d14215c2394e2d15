package gatewaytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
)

func sendCases() []contractCase {
	return []contractCase{
		{"send", testSend},
		{"edit", testEdit},
		{"a file is sent", testSendFile},
		{"the longest message", testLongest},
		{"signals", testSignals},
		{"many at once", testMany},
		{"optional abilities", testOptional},
	}
}

// question emits a message in a DM, and returns a message that answers it.
func (b *bench) question(t *testing.T, n int, text string) *gateway.Out {
	t.Helper()
	e := b.chat(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: "a question"})
	return &gateway.Out{ID: outID(n), Place: e.Place, Type: e.Type, ReplyTo: e.Message, Text: text, Plain: true}
}

func testSend(t *testing.T, b *bench) {
	b.start(t)
	o := b.question(t, 1, "1 < 2 & 3 > 2, *not bold*, <b>nor this</b>")
	if b.adapter.Limits().Buttons > 1 {
		o.Buttons = []gateway.Button{{ID: strings.Repeat("x", 64), Label: "Yes"}, {ID: "n", Label: strings.Repeat("N", 20)}}
	}
	m, err := b.adapter.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sent := b.Sent()
	if len(sent) != 1 {
		t.Fatalf("got %d messages, want 1", len(sent))
	}
	got := sent[0]
	if got.Message != m || got.Text != o.Text || got.Place != o.Place || got.ReplyTo != o.ReplyTo || !slices.Equal(got.Buttons, o.Buttons) {
		t.Errorf("got %+v, want %+v as message %s", got, o, m)
	}
}

func testEdit(t *testing.T, b *bench) {
	b.start(t)
	if b.adapter.Limits().Edit == 0 {
		return
	}
	o := b.question(t, 1, "Wait")
	m, err := b.adapter.Send(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Text = "Wait <for> it"
	for range 2 { // the second time nothing changes
		if err := b.adapter.Edit(t.Context(), m, o); err != nil {
			t.Fatal(err)
		}
	}
	if sent := b.Sent(); len(sent) != 1 || sent[0].Text != o.Text || sent[0].Edits == 0 {
		t.Errorf("got %+v, want one message, edited to %q", sent, o.Text)
	}
}

func testSendFile(t *testing.T, b *bench) {
	b.start(t)
	if b.adapter.Limits().FileSize == 0 {
		return
	}
	o := b.question(t, 1, "All of it")
	o.File = &gateway.File{Name: "answer.md", Data: []byte("# An answer\n")}
	if _, err := b.adapter.Send(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	sent := b.Sent()
	if len(sent) != 1 || sent[0].File == nil || sent[0].Text != o.Text {
		t.Fatalf("got %+v, want one message with a file", sent)
	}
	if f := sent[0].File; f.Name != o.File.Name || !bytes.Equal(f.Data, o.File.Data) {
		t.Errorf("got %s with %q", f.Name, f.Data)
	}
}

// testLongest: a text of the greatest length is taken. Count counts as the platform does.
func testLongest(t *testing.T, b *bench) {
	b.start(t)
	l := b.adapter.Limits()
	text := strings.Repeat("😀", l.Length/2) + strings.Repeat("a", l.Length)
	for l.Count(text) > l.Length {
		text = text[:len(text)-1]
	}
	if _, err := b.adapter.Send(t.Context(), b.question(t, 1, text)); err != nil {
		t.Fatal(err)
	}
	if sent := b.Sent(); len(sent) != 1 || sent[0].Text != text {
		t.Errorf("got %d messages, want one with the whole text", len(sent))
	}
}

func testSignals(t *testing.T, b *bench) {
	b.start(t)
	o := b.question(t, 1, "")
	marks := []gateway.Mark{
		gateway.Typing, gateway.Waits, gateway.Works, gateway.Works, gateway.Broke, gateway.Clear, gateway.Clear,
	}
	for _, mark := range marks {
		if err := b.adapter.Signal(t.Context(), o.Place, o.ReplyTo, mark); err != nil {
			t.Errorf("mark %d: %v", mark, err)
		}
	}
}

// testMany: messages that are sent at once to several chats arrive, each once.
func testMany(t *testing.T, b *bench) {
	b.start(t)
	const chats = 20
	var places []gateway.Event
	for i := range chats {
		name := fmt.Sprintf("person %d", i)
		places = append(places, b.chat(t, Act{Type: gateway.DM, Chat: name, Name: name, Text: "hello " + name}))
	}
	var wait sync.WaitGroup
	errs := make([]error, chats)
	for i := range chats {
		wait.Go(recovery.Func(func() {
			o := &gateway.Out{ID: outID(i), Place: places[i].Place, Type: gateway.DM, Text: fmt.Sprintf("to %d", i), Plain: true}
			_, errs[i] = b.adapter.Send(t.Context(), o)
		}, func(err error) { errs[i] = err }))
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
	got := map[string]gateway.Place{}
	for _, s := range b.Sent() {
		got[s.Text] = s.Place
	}
	for i := range chats {
		if place := got[fmt.Sprintf("to %d", i)]; place != places[i].Place {
			t.Errorf("message %d: got it in %+v", i, place)
		}
	}
	if len(b.Sent()) != chats {
		t.Errorf("got %d messages, want %d", len(b.Sent()), chats)
	}
}

func testOptional(t *testing.T, b *bench) {
	b.start(t)
	o := b.question(t, 1, "so far")
	if a, ok := b.adapter.(gateway.Checker); ok {
		if c, err := a.Check(t.Context()); err != nil || c.Account != o.Place.Account || c.Name == "" {
			t.Errorf("check: got %+v, %v, want account %s", c, err, o.Place.Account)
		}
	}
	if a, ok := b.adapter.(gateway.Reporter); ok {
		if h := a.Health(); h.State != "connected" && h.State != "webhook" {
			t.Errorf("health: got %+v, want connected", h)
		}
	}
	if a, ok := b.adapter.(gateway.Commander); ok {
		list := []gateway.CommandInfo{
			{Name: "new", Usage: "Begin a new session"}, {Name: "resume", Usage: "Go back to a session", Args: "n or title"},
		}
		for range 2 {
			if err := a.Commands(t.Context(), list); err != nil {
				t.Errorf("commands: %v", err)
			}
		}
	}
	if a, ok := b.adapter.(gateway.Drafter); ok {
		if err := a.Draft(t.Context(), 7, o); err != nil {
			t.Errorf("draft: %v", err)
		}
	}
	b.stop(t)
	if a, ok := b.adapter.(gateway.Reporter); ok {
		if h := a.Health(); h.State != "stopped" {
			t.Errorf("health after the end: got %+v, want stopped", h)
		}
	}
}
