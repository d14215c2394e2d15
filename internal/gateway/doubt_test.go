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

// doubting is a house whose platform takes the first message and breaks the connection, and
// then answers questions about it with an error, as long as there is one.
func doubting(t *testing.T, answer func() error) *house {
	t.Helper()
	return setup(t, func(h *house) {
		h.bot.Stream = false
		h.adapter = finder{h.wire}
		h.wire.hide = answer
		lost := false
		h.wire.lose = func(*gateway.Out) error {
			if lost {
				return nil
			}
			lost = true
			return &gateway.SendError{Reason: gateway.Unknown, Text: "the connection broke"}
		}
	})
}

// TestDoubtIsKept: as long as a platform cannot say whether it has a message, the message is
// not sent again.
func TestDoubtIsKept(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]gateway.SendError{
		"an outage":     {Reason: gateway.Temporary, Text: "out of order"},
		"a flood wait":  {Reason: gateway.Limited, After: 2 * time.Minute, Text: "wait"},
		"no form":       {Reason: gateway.Malformed, Text: "what?"},
		"another place": {Reason: gateway.Elsewhere, MovedTo: ada, Text: "moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked, until := 0, time.Now().Add(10*time.Minute)
				h := doubting(t, func() error {
					if asked++; time.Now().Before(until) {
						return &failed
					}
					return nil
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				h.settled()
				sends, err := h.db.Sends(t.Context(), h.bot.Owner, h.chat(ada).Place, 10)
				if err != nil || len(sends) != 1 || sends[0].State != gateway.Doubtful {
					t.Errorf("got %+v, %v, want one message in doubt", sends, err)
				}
				pass(15 * time.Minute)
				h.receive(h.dm(ada, "And?"))
				h.settled()
				want(t, "sent", h.wire.said(), []string{"You said: Hello.", "You said: And?"})
				if asked < 3 || asked > 20 {
					t.Errorf("the platform was asked %d times", asked)
				}
			})
		})
	}
}

// hanging is a platform that does not answer before its client has gone. It has perhaps taken
// the message.
type hanging struct {
	finder
	sends *int
	takes bool
}

func (p hanging) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if *p.sends++; *p.sends > 1 || p.takes {
		m, err := p.finder.Send(ctx, o)
		if *p.sends > 1 || err != nil {
			return m, err
		}
	}
	<-ctx.Done()
	return "", ctx.Err()
}

// late is a platform that does not answer the first request in time, and takes its message after that;
// never, for zero.
type late struct {
	finder
	sends *int
	after time.Duration
}

func (p late) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if *p.sends++; *p.sends > 1 {
		return p.finder.Send(ctx, o)
	}
	<-ctx.Done()
	if p.after > 0 {
		time.AfterFunc(p.after, func() { _, _ = p.finder.Send(context.Background(), o) })
	}
	return "", ctx.Err()
}

// TestDoubtAfterTimeout: a message that the platform takes some time after its client has gone is not
// sent again. One that the platform does not take is.
func TestDoubtAfterTimeout(t *testing.T) {
	t.Parallel()
	for after, sent := range map[time.Duration]int{0: 2, 10 * time.Second: 1, 50 * time.Second: 1} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sends := 0
				h := setup(t, func(h *house) {
					h.bot.Stream = false
					h.adapter = late{finder{h.wire}, &sends, after}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				pass(3 * time.Minute)
				want(t, "shown", h.wire.said(), []string{"You said: Hello."})
				want(t, "requests", sends, sent)
			})
		})
	}
}

// TestDoubtWaits: the request of a server that is gone reaches the platform when the next
// server runs already. The message is found all the same.
func TestDoubtWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sends := 0
		h := setup(t, func(h *house) {
			h.bot.Stream = false
			h.adapter = hanging{finder{h.wire}, &sends, false}
		})
		h.receive(h.dm(ada, "Hello."))
		pass(2 * time.Second)
		h.end()
		h.begin()
		defer h.end()
		pass(time.Second / 2)
		list, err := h.db.Sends(t.Context(), h.bot.Owner, h.chat(ada).Place, 10)
		if err != nil || len(list) != 1 || list[0].State != gateway.Sending {
			t.Fatalf("got %+v, %v, want one message that was being sent", list, err)
		}
		h.wire.mu.Lock()
		h.wire.shown = append(h.wire.shown, shown{place: list[0].Place, id: "late", out: list[0].ID, text: list[0].Text})
		h.wire.mu.Unlock()
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello."})
	})
}

// TestDoubtGrows: a message whose text has grown since a platform took it in an earlier try
// gets the whole text.
func TestDoubtGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, rest = "This is the first part of an answer, which is long enough to be shown. ", "This is the rest."
		sends, turns := 0, 0
		h := setup(t, func(h *house) {
			h.adapter = hanging{finder{h.wire}, &sends, true}
			h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
				say(first)
				if turns++; turns == 1 {
					<-ctx.Done()
					return ctx.Err()
				}
				say(rest)
				return nil
			}
		})
		h.receive(h.dm(ada, "Hello."))
		pass(2 * time.Second)
		want(t, "sent by the first server", h.wire.said(), []string{strings.TrimSpace(first)})
		h.end()
		h.begin()
		defer h.end()
		h.settled()
		want(t, "sent", h.wire.said(), []string{first + rest})
	})
}

// TestLateEdit: an edit of a server that is gone, which reaches the platform when the next
// server runs already, does not take the final text away.
func TestLateEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, rest = "This is the first part of an answer, which is long enough to be shown. ", "This is the rest."
		turns := 0
		h := setup(t, func(h *house) {
			h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
				say(first)
				if turns++; turns == 1 {
					<-ctx.Done()
					return ctx.Err()
				}
				say(rest)
				return nil
			}
		})
		h.receive(h.dm(ada, "Hello."))
		pass(10 * time.Second)
		h.end()
		h.begin()
		defer h.end()
		pass(time.Second)
		m := h.wire.shown[0]
		if err := h.wire.Edit(t.Context(), m.id, &gateway.Out{Place: m.place, Text: strings.TrimSpace(first)}); err != nil {
			t.Fatal(err)
		}
		h.settled()
		want(t, "sent", h.wire.said(), []string{first + rest})
	})
}

// TestDoubtEnds: a message that stays in doubt for a day is given up, and holds up no other.
func TestDoubtEnds(t *testing.T) {
	t.Parallel()
	ended := func(t *testing.T, h *house) {
		t.Helper()
		want(t, "sent", h.wire.said(), []string{"You said: Hello.", "You said: And?"})
		s, err := h.db.FindSend(t.Context(), h.bot.Owner, h.chat(ada).Place, h.wire.shown[0].out, "")
		if err != nil || s.State != gateway.GaveUp || !strings.Contains(s.Error, "not sent again") {
			t.Errorf("got %s, %q, %v, want it given up with a reason", s.State, s.Error, err)
		}
	}
	t.Run("the platform never answers", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := doubting(t, func() error { return &gateway.SendError{Reason: gateway.Temporary, Text: "out of order"} })
			defer h.end()
			h.receive(h.dm(ada, "Hello."))
			h.settled()
			h.receive(h.dm(ada, "And?"))
			pass(25 * time.Hour)
			ended(t, h)
		})
	})
	t.Run("no server was running", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := doubting(t, func() error { return &gateway.SendError{Reason: gateway.Temporary, Text: "out of order"} })
			h.receive(h.dm(ada, "Hello."))
			h.settled()
			h.end()
			pass(48 * time.Hour)
			first := h.wire.shown
			h.wire.shown, h.wire.hide = nil, nil // the platform shows no message that old
			h.begin()
			defer h.end()
			h.settled()
			h.wire.mu.Lock()
			h.wire.shown = append(first, h.wire.shown...)
			h.wire.mu.Unlock()
			h.receive(h.dm(ada, "And?"))
			h.settled()
			ended(t, h)
		})
	})
}

// sameName is a platform that takes no two messages with one name, and does not show the names.
type sameName struct{ finder }

func (p sameName) Find(context.Context, *gateway.Out) (gateway.MessageID, bool, error) {
	return "", false, nil
}

func (p sameName) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if m, found, err := p.finder.Find(ctx, o); found || err != nil {
		return m, err
	}
	return p.finder.Send(ctx, o)
}

// TestDoubtOfANewText: a platform that has a message from an earlier try, and does not say so,
// shows the newest text of the message.
func TestDoubtOfANewText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const first, rest = "This is the first part of an answer, which is long enough to be shown. ", "This is the rest."
		h := doubting(t, nil)
		h.end()
		h.bot.Stream, h.adapter = true, sameName{finder{h.wire}}
		h.wire.hide = nil
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			say(first)
			pass(200 * time.Millisecond)
			say(rest)
			return nil
		}
		h.begin()
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		want(t, "sent", h.wire.said(), []string{first + rest})
	})
}
