package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/tool"
)

// idle is how long a chat of these tests is quiet before its session is reset.
const idle = 10 * time.Minute

// saving is a house in which a model saves memories before a reset.
func saving(t *testing.T, change func(*house)) *house {
	t.Helper()
	return setup(t, func(h *house) {
		h.settings.Resets = gateway.Resets{Default: gateway.Policy{Mode: gateway.ResetIdle, Idle: idle}, Save: true}
		h.tools = tool.Set{tool.OnChoice{Source: tool.Memory{}}, tool.OnChoice{Source: tool.Skills{Home: t.TempDir()}}}
		if change != nil {
			change(h)
		}
	})
}

// asksToSave reports whether a prompt is of the turn before a reset.
func asksToSave(p *run.Prompt) bool {
	return slices.ContainsFunc(p.Messages, func(m session.Message) bool { return m.Role == session.User && isSavePrompt(m.Content) })
}

func isSavePrompt(text string) bool { return strings.HasPrefix(text, "This conversation ends now") }

// asked is how often the model was asked to save, not counting the prompts with results of its
// calls.
func (m *model) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, p := range m.prompts {
		if isSavePrompt(p.Messages[len(p.Messages)-1].Content) {
			n++
		}
	}
	return n
}

// remembered is what is remembered in a private chat, a statement each.
func (h *house) remembered(user string) string {
	h.t.Helper()
	facts, err := h.curator.Facts(h.t.Context(), h.bot.Owner, memory.Scope{Key: h.chat(user).Key})
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for i := range facts {
		out = append(out, facts[i].Quote)
	}
	return strings.Join(out, "\n")
}

func callOf(index int, id, name, arguments string) run.ToolCall {
	return run.ToolCall{Index: index, ID: id, Name: name, Arguments: arguments}
}

// TestSaveTurn: before a reset the model is asked in the old session. It may add to memory and
// do nothing else to it, and nobody sees or remembers what was said then.
func TestSaveTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := saving(t, nil)
		defer h.end()
		var asked []session.ID // the session of the chat when the model was asked
		script := [][]run.ToolCall{
			{callOf(0, "a", "memory", `{"action":"save","statement":"The user likes short answers.","kind":"preference"}`)},
			{callOf(0, "b", "memory", `{"action":"edit","fact_id":"f_1","statement":"The dog is called Tom."}`),
				callOf(1, "c", "memory", `{"action":"forget","fact_id":"f_1"}`), callOf(2, "d", "shell", `{}`)},
		}
		h.model.calls = func(p *run.Prompt) []run.ToolCall {
			if !asksToSave(p) || len(script) == 0 {
				return nil
			}
			if asked = append(asked, h.chat(ada).Session); len(asked) == 1 {
				for _, part := range []string{`"name":"memory"`, `"enum":["save"]`, `"name":"skills"`} {
					if !bytes.Contains(p.Tools, []byte(part)) {
						t.Errorf("tools: got %s, want %s", p.Tools, part)
					}
				}
				if all := fmt.Sprint(p.Messages); !strings.Contains(all, "Rex") {
					t.Errorf("got %s, want the conversation", all)
				}
			}
			next := script[0]
			script = script[1:]
			return next
		}
		h.model.script = func(_ context.Context, p *run.Prompt, say func(string)) error {
			if asksToSave(p) {
				say("I kept the preference for terse replies.")
			} else {
				say("I see.")
			}
			return nil
		}
		h.receive(h.dm(ada, "My dog is called Rex."))
		h.settled()
		first := h.chat(ada).Session
		pass(idle)
		if len(asked) == 0 || slices.ContainsFunc(asked, func(id session.ID) bool { return id != first }) {
			t.Errorf("asked in %v, want %s", asked, first)
		}
		if second := h.chat(ada).Session; second == first {
			t.Fatal("the session was not reset")
		}
		want(t, "messages to the person", h.wire.said(), []string{"I see."})
		h.checkSaved(first)

		h.receive(h.dm(ada, "How should you answer?"))
		h.settled()
		h.checkPrompt("a new session")
		h.receive(h.dm(ada, "/resume "+string(first)))
		h.settled()
		h.holds("/resume", ", 2 messages.")
		for _, command := range []string{"/sessions", "/status"} {
			h.receive(h.dm(ada, command))
			h.settled()
			h.holds(command, map[string]string{"/sessions": ", 2 messages\n2. ", "/status": "Messages: 2\n"}[command])
		}
		h.receive(h.dm(ada, "How should you answer me?"))
		h.settled()
		want(t, "session", h.chat(ada).Session, first)
		h.checkPrompt("the old session")
		for _, back := range []string{"How should you answer me?", "My dog is called Rex."} {
			h.receive(h.dm(ada, "/undo"))
			h.settled()
			if said := h.wire.said(); !strings.Contains(said[len(said)-1], back) {
				t.Errorf("undo: got %q, want %q back", said[len(said)-1], back)
			}
		}
	})
}

// holds wants a text in the newest answer.
func (h *house) holds(what, text string) {
	h.t.Helper()
	if said := h.wire.said(); !strings.Contains(said[len(said)-1], text) {
		h.t.Errorf("%s: got %q, want %q in it", what, said[len(said)-1], text)
	}
}

// checkSaved checks the transcript of the save turn, and what was learnt from it.
func (h *house) checkSaved(id session.ID) {
	h.t.Helper()
	ms, err := h.db.Messages(h.t.Context(), h.bot.Owner, id, session.Range{From: 2})
	if err != nil {
		h.t.Fatal(err)
	}
	var got []string
	for i := range ms {
		got = append(got, fmt.Sprintf("%s %s %s", ms[i].Role, ms[i].Note, ms[i].FinishReason))
	}
	want(h.t, "the turn", got, []string{
		"user aside ", "assistant aside tool_calls", "tool preference done",
		"assistant aside tool_calls", "tool echo failed", "tool echo failed", "tool echo failed", "assistant aside stop",
	})
	got = strings.Split(h.remembered(ada), "\n")
	want(h.t, "facts", got, []string{"My dog is called Rex.", "The user likes short answers."})
}

// checkPrompt checks that the newest prompt has what the model saved, and nothing of what it
// was asked and said then.
func (h *house) checkPrompt(name string) {
	h.t.Helper()
	p := h.model.last()
	if len(p.Tools) > 0 {
		h.t.Errorf("%s: got the tools %s, want none", name, p.Tools)
	}
	all := ""
	for i := range p.Messages {
		all += p.Messages[i].Content + string(p.Messages[i].ToolCalls) + "\n"
	}
	if !strings.Contains(all, "The user likes short answers.") {
		h.t.Errorf("%s: got %s, want what was saved", name, all)
	}
	for _, gone := range []string{"This conversation ends", "terse replies", `"memory"`, "there is no tool"} {
		if strings.Contains(all, gone) {
			h.t.Errorf("%s: got %s, want nothing of the save turn", name, all)
		}
	}
}

// TestSaveFails: a model that refuses or hangs delays a reset by a minute at most, and nothing
// is lost; the chats do not wait for each other.
func TestSaveFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fail func(m *model)
		most time.Duration // from the time when the reset is due
	}{
		{"500", func(m *model) {
			m.refuse = func(p *run.Prompt) error {
				if asksToSave(p) {
					return &fault.Error{Kind: fault.Upstream, Code: "upstream_error", Msg: "The model server failed.", Status: 500}
				}
				return nil
			}
		}, 2 * time.Second},
		{"breaks off", func(m *model) {
			m.script = func(_ context.Context, p *run.Prompt, say func(string)) error {
				say("Well, ")
				if asksToSave(p) {
					return fault.New(fault.Upstream, "upstream_error", "The model server broke off.")
				}
				return nil
			}
		}, 2 * time.Second},
		{"hangs", func(m *model) {
			m.script = func(ctx context.Context, p *run.Prompt, say func(string)) error {
				if asksToSave(p) {
					<-ctx.Done()
					return ctx.Err()
				}
				say("I see.")
				return nil
			}
		}, 61 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := saving(t, func(h *house) { h.bot.Users = []string{"1", "2", "3"} })
				defer h.end()
				tt.fail(h.model)
				for _, user := range h.bot.Users {
					h.receive(h.dm(user, "My dog is called Rex."))
				}
				h.settled()
				old := make(map[string]session.ID)
				var due time.Time
				for _, user := range h.bot.Users {
					c := h.chat(user)
					old[user] = c.Session
					if at := c.Active.Add(idle); at.After(due) {
						due = at
					}
				}
				pass(time.Until(due) + tt.most)
				synctest.Wait()
				for _, user := range h.bot.Users {
					if h.chat(user).Session == old[user] {
						t.Errorf("%s: the session is not reset %s after it was due", user, tt.most)
					}
					want(t, "remembered", h.remembered(user), "My dog is called Rex.")
				}
				want(t, "asked", h.model.asked(), 3)
			})
		})
	}
}

// TestSaveWithoutModel: the recall responder is not asked.
func TestSaveWithoutModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := saving(t, func(h *house) { h.models = run.Models{Recall: recall.New(), Fallback: true} })
		defer h.end()
		h.receive(h.dm(ada, "My dog is called Rex."))
		h.settled()
		first := h.chat(ada).Session
		pass(idle)
		if h.chat(ada).Session == first {
			t.Error("the session was not reset")
		}
		want(t, "messages", len(h.transcript(first)), 2)
	})
}

// TestSaveOnce: a server that goes on after another one ended between save and reset does not
// ask again, however far the save turn had come.
func TestSaveOnce(t *testing.T) {
	t.Parallel()
	for _, hangs := range []bool{false, true} {
		t.Run(fmt.Sprint("hangs ", hangs), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := saving(t, func(h *house) { h.settings.Resets.Save = false })
				defer func() { h.end() }()
				h.receive(h.dm(ada, "My dog is called Rex."))
				h.settled()
				first := h.chat(ada).Session
				h.model.script = func(ctx context.Context, p *run.Prompt, say func(string)) error {
					if hangs {
						<-ctx.Done()
						return ctx.Err()
					}
					say("nothing")
					return nil
				}
				tip, err := h.db.Tip(t.Context(), h.bot.Owner, first)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				err = gateway.NewSaver(h.runner, h.db, tool.Saving()).Save(ctx, h.bot.Owner, tip)
				if (err != nil) != hangs {
					t.Errorf("save: got %v", err)
				}
				want(t, "asked", h.model.asked(), 1)
				h.end()
				h.settings.Resets.Save = true
				h.begin()
				pass(idle + time.Minute)
				if h.chat(ada).Session == first {
					t.Error("the session was not reset")
				}
				want(t, "asked after the restart", h.model.asked(), 1)
			})
		})
	}
}

// TestSaveWhileSpoken: a message that comes during the save turn is answered in the new
// session.
func TestSaveWhileSpoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := saving(t, nil)
		defer h.end()
		saving := make(chan struct{}, 4)
		h.model.script = func(_ context.Context, p *run.Prompt, say func(string)) error {
			if asksToSave(p) {
				saving <- struct{}{}
				pass(20 * time.Second)
			}
			say("I see.")
			return nil
		}
		h.receive(h.dm(ada, "My dog is called Rex."))
		h.settled()
		first := h.chat(ada).Session
		<-saving
		h.receive(h.dm(ada, "Are you there?"))
		h.settled()
		want(t, "asked", h.model.asked(), 1)
		second := h.chat(ada).Session
		if second == first {
			t.Fatal("the session was not reset")
		}
		want(t, "the new session", h.transcript(second), []string{"user: Are you there?", "assistant: I see."})
	})
}
