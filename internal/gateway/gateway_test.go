package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

func want(t testing.TB, what string, got, wanted any) {
	t.Helper()
	if d := cmp.Diff(wanted, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestAMessageIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		e := h.dm(ada, "My cat is called Minka.")
		h.receive(e)
		h.receive(e) // the platform sends it again
		h.settled()
		h.receive(e)
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: My cat is called Minka."})
		c := h.chat(ada)
		want(t, "key", string(c.Key), "agent:main:telegram:dm")
		want(t, "transcript", h.transcript(c.Session), []string{"user: My cat is called Minka.", "assistant: You said: My cat is called Minka."})
	})
}

func TestMessagesAreGathered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "One thing."))
		pass(500 * time.Millisecond)
		h.receive(h.dm(ada, "And another."))
		h.settled()
		h.receive(h.dm(ada, "A third, later."))
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: And another.", "You said: A third, later."})
		want(t, "transcript", len(h.transcript(h.chat(ada).Session)), 5)
	})
}

// TestMessagesOvertake: messages that come in another order than they were said in are one turn, in
// the order of the platform's clock.
func TestMessagesOvertake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		first := h.dm(ada, "My cat is called")
		pass(100 * time.Millisecond)
		second, third := h.dm(ada, "Minka."), h.dm(ada, "She is old.") // of one moment
		h.receive(second)
		pass(10 * time.Millisecond)
		h.receive(third)
		pass(10 * time.Millisecond)
		h.receive(first)
		h.settled()
		want(t, "transcript", h.transcript(h.chat(ada).Session),
			[]string{"user: My cat is called", "user: Minka.", "user: She is old.", "assistant: You said: She is old."})
	})
}

func TestEqualWordsAfterAFailureAreTwoMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.model.script = func(context.Context, *run.Prompt, func(string)) error { return errors.New("no answer") }
		h.receive(h.dm(ada, "Again?"))
		h.settled()
		h.model.script = nil
		h.receive(h.dm(ada, "Again?"))
		h.settled()
		want(t, "transcript", h.transcript(h.chat(ada).Session), []string{"user: Again?", "user: Again?", "assistant: You said: Again?"})
		said := h.wire.said()
		if len(said) != 2 || !strings.Contains(said[0], "/retry") {
			t.Errorf("got %q, want a failure that names /retry, and an answer", said)
		}
	})
}

func TestStrangersAreNotServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for range 5 {
			h.receive(h.dm("666", "Let me in."), h.group("666", "Eve", "Let me in.", true))
		}
		h.settled()
		said := h.wire.said()
		if len(said) != 1 || !strings.Contains(said[0], "hermes pairing approve telegram ") {
			t.Fatalf("got %q, want one message with a pairing code", said)
		}
		want(t, "prompts", len(h.model.prompts), 0)
		_, code, _ := strings.Cut(said[0], "approve telegram ")
		if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, strings.Trim(code[:8], "`"), ""); err != nil {
			t.Fatal(err)
		}
		h.receive(h.dm("666", "Thank you."))
		h.settled()
		want(t, "the newest answer", h.wire.said()[1:], []string{"You said: Thank you."})
		want(t, "the key of a second person", string(h.chat("666").Key), "agent:main:telegram:dm:666")
	})
}

// TestPeopleAreCounted: who may write is counted with the people who have an owner of their own. The key of a private
// chat is the short one all the same, while the bot's owner has the chats of one person.
func TestPeopleAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for i, forOwner := range []string{"carol", "dave"} {
			h.receive(h.dm(fmt.Sprint("66", i), "Let me in."))
			h.settled()
			_, code, _ := strings.Cut(h.wire.said()[i], "approve telegram ")
			if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, strings.Trim(code[:8], "`"), forOwner); err != nil {
				t.Fatal(err)
			}
		}
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		want(t, "the key", string(h.chat(ada).Key), "agent:main:telegram:dm")
		list, err := h.gateway.Statuses(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("got %+v, %v", list, err)
		}
		want(t, "people who may write", list[0].Users, 3)
	})
}

func TestGroups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats = []string{"-42"} })
		defer h.end()
		h.receive(h.group("1", "Alex", "Not for the bot.", false))
		h.receive(h.group("1", "Alex", "I live in Oslo.", true))
		h.settled()
		h.receive(h.group("2", "Alex", "I live in Porto.", true))
		h.settled()
		c := h.chat("-42")
		want(t, "key", string(c.Key), "agent:main:telegram:group:-42")
		want(t, "transcript", h.transcript(c.Session), []string{
			"user Alex: I live in Oslo.", "assistant: You said: I live in Oslo.", "user Alex (2): I live in Porto.",
			"assistant: You said: I live in Porto.",
		})
		p := h.model.last()
		newest := p.Messages[len(p.Messages)-1]
		want(t, "wire", string(newest.Wire), `{"content":"[Alex (2)] I live in Porto.","role":"user"}`)
	})
}

func TestNewRotatesTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "My cat is called Minka."))
		h.settled()
		first := h.chat(ada)
		e := h.dm(ada, "/new")
		h.receive(e)
		h.settled()
		h.receive(e)
		h.receive(h.dm(ada, "What is my cat called?"))
		h.settled()
		second := h.chat(ada)
		if second.Session == first.Session || second.Key != first.Key {
			t.Errorf("got session %s and key %s, want another session and the same key", second.Session, second.Key)
		}
		want(t, "messages of the new session", len(h.transcript(second.Session)), 2)
		if p := h.model.last(); !strings.Contains(promptText(p), "Minka") {
			t.Errorf("memory was lost with the session: the prompt has no Minka:\n%s", promptText(p))
		}
		h.receive(h.dm(ada, "/resume 2"))
		h.settled()
		want(t, "session", h.chat(ada).Session, first.Session)
	})
}

func promptText(p *run.Prompt) string {
	var b strings.Builder
	for i := range p.Messages {
		b.WriteString(p.Messages[i].Content + "\n")
	}
	return b.String()
}

func TestUndoAndRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "First."))
		h.settled()
		h.receive(h.dm(ada, "Second."))
		h.settled()
		h.receive(h.dm(ada, "/undo"))
		h.settled()
		want(t, "after an undo", h.transcript(h.chat(ada).Session), []string{"user: First.", "assistant: You said: First."})
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error { say("Other words."); return nil }
		h.receive(h.dm(ada, "/retry"))
		h.settled()
		want(t, "after a retry", h.transcript(h.chat(ada).Session), []string{"user: First.", "assistant: Other words."})
	})
}

func TestStreaming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			for range 30 {
				say("A few words more. ")
				pass(300 * time.Millisecond)
			}
			return nil
		}
		h.receive(h.dm(ada, "Tell me."))
		pass(4 * time.Second)
		synctest.Wait()
		if said := h.wire.said(); len(said) != 1 || !strings.HasPrefix(said[0], "A few words more.") {
			t.Fatalf("after four seconds: got %q, want the beginning of the answer", said)
		}
		h.settled()
		said := h.wire.said()
		whole := strings.TrimSpace(strings.Repeat("A few words more. ", 30))
		words := func(s string) string { return strings.Join(strings.Fields(s), " ") } // a blank between parts is not sent
		want(t, "the answer", words(strings.Join(said, " ")), words(whole))
		if h.wire.edits < 3 || h.wire.edits > 9 { // parts that are complete are not edited again
			t.Errorf("got %d edits in nine seconds, want one each 1.2 s", h.wire.edits)
		}
	})
}

func TestAServerGoesOnWhereAnotherStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		cut := true
		h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
			say("The beginning of a long answer, which is shown at once. ")
			if cut {
				<-ctx.Done()
				return ctx.Err()
			}
			say("And its end.")
			return nil
		}
		h.receive(h.dm(ada, "Tell me."))
		pass(5 * time.Second)
		h.end()
		cut = false
		h.begin()
		defer h.end()
		h.settled()
		want(t, "sent", h.wire.said(), []string{"The beginning of a long answer, which is shown at once. And its end."})
		want(t, "transcript", h.transcript(h.chat(ada).Session), []string{
			"user: Tell me.", "assistant: The beginning of a long answer, which is shown at once. And its end.",
		})
	})
}

func TestDoubtIsCleared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		can  bool
		want int
	}{{"a platform that can be asked", true, 1}, {"a platform that cannot", false, 2}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.bot.Stream = false
					if c.can {
						h.adapter = finder{h.wire}
					}
					lost := false
					h.wire.lose = func(*gateway.Out) error {
						if lost {
							return nil
						}
						lost = true
						return &gateway.SendError{Reason: gateway.Unknown, Text: "the connection broke"}
					}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				h.settled()
				want(t, "copies", len(h.wire.said()), c.want)
			})
		})
	}
}

func TestAFloodWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.bot.Stream = false
			until := time.Now().Add(20 * time.Second)
			h.wire.refuse = func(*gateway.Out) error {
				if left := time.Until(until); left > 0 {
					if left < 15*time.Second {
						t.Error("a request was sent during the wait")
					}
					return &gateway.SendError{Reason: gateway.Limited, After: left, Text: "wait"}
				}
				return nil
			}
		})
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		want(t, "sent", h.wire.said(), []string{"You said: Hello."})
	})
}

func TestIdleReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetIdle, Idle: 10 * time.Minute}, Notify: true}
		})
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		first := h.chat(ada).Session
		pass(9 * time.Minute)
		want(t, "after nine minutes", h.chat(ada).Session, first)
		pass(2 * time.Minute)
		second := h.chat(ada)
		if second.Session == first {
			t.Fatal("after eleven minutes: got the same session")
		}
		old, err := h.db.Session(t.Context(), h.bot.Owner, first)
		if err != nil || old.EndReason != "idle" {
			t.Errorf("end reason: got %q, %v, want idle", old.EndReason, err)
		}
		pass(24 * time.Hour)
		want(t, "a session in which nothing was said", h.chat(ada).Session, second.Session)
		h.receive(h.dm(ada, "Hello again."))
		h.settled()
		said := h.wire.said()
		if newest := said[len(said)-1]; !strings.Contains(newest, "New session") || !strings.Contains(newest, "/resume") {
			t.Errorf("got %q, want a notice", newest)
		}
	})
}

// TestWhy: an answer's facts are shown, and before an answer there is none.
func TestWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "/why"))
		h.settled()
		h.receive(h.dm(ada, "My cat is called Minka."))
		h.settled()
		h.receive(h.dm(ada, "What is my cat called?"))
		h.settled()
		h.receive(h.dm(ada, "/why"))
		h.settled()
		said := h.wire.said()
		want(t, "before an answer", said[0], "Nothing has been said in this session yet.")
		if why := said[len(said)-1]; !strings.HasPrefix(why, "The last answer was given ") {
			t.Errorf("got %q, want what the answer was given", why)
		}
	})
}
