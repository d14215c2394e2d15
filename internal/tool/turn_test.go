package tool

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// house is a whole server but for its doors: turns with tools, a real database,
// a scripted model.
type house struct {
	t       *testing.T
	db      *sqlite.DB
	model   *upstreamtest.Server
	runner  *run.Runner
	curator *curate.Curator

	upstream run.Model
}

// newHouse makes a house whose tools are made of its parts.
func newHouse(t *testing.T, tools func(*house) Set) *house {
	t.Helper()
	db := runtest.Open(t, filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() { _ = db.Close() })
	h := &house{t: t, db: db, model: upstreamtest.New(t, upstreamtest.Options{})}
	pool := &http.Transport{}
	t.Cleanup(pool.CloseIdleConnections)
	var clock atomic.Int64 // moves with every look at it
	now := func() time.Time { return time.UnixMilli(1_772_366_400_000 + clock.Add(1)).UTC() }
	h.upstream = upstream.New(upstream.Options{BaseURL: h.model.URL + "/v1", Model: "m", Transport: pool, Log: slog.New(slog.DiscardHandler)})
	h.runner, h.curator = runtest.New(db, &runtest.Parts{
		Tools: tools(h), Models: run.Models{Upstream: h.upstream}, Config: run.Config{Budgets: compression.Budgets{Model: "m"}, Now: now},
	})
	return h
}

// said is what a turn ended with.
type said struct {
	text string
	run.Result
}

// chat runs a turn in which the model does what the steps say.
func (h *house) chat(o owner.Owner, id session.ID, key session.Key, text string, steps ...upstreamtest.Step) said {
	h.t.Helper()
	h.model.Queue(steps...)
	body, _ := json.Marshal(map[string]any{"messages": []any{}, "stream": true})
	s, err := h.runner.Start(h.t.Context(), &run.Request{
		Owner: o, Session: id, Key: key, Source: session.SourceAPI, Streaming: true, Body: body,
		Messages: []session.Message{{Role: session.User, Content: text}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	var out said
	for d, err := range s.Deltas(h.t.Context()) {
		if err != nil {
			h.t.Fatal(err)
		}
		out.text += d.Content
		if d.Result != nil {
			out.Result = *d.Result
		}
	}
	return out
}

// calls is a step that calls a tool.
func calls(name, arguments string) upstreamtest.Step {
	return upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: name, Arguments: arguments}}}
}

// result is what the model was shown of the newest call.
func (h *house) result() string {
	h.t.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(h.model.Last().Body, &body); err != nil {
		h.t.Fatal(err)
	}
	last := body.Messages[len(body.Messages)-1]
	if last.Role != "tool" {
		h.t.Fatalf("got %+v as the last message, want a result", last)
	}
	return last.Content
}

// TestMemoryOfOneScope: whatever a model asks of the memory tool, it gets what
// its own turn's scope holds, and nothing of another key or owner.
func TestMemoryOfOneScope(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(*house) Set { return Set{Memory{}} })
	local, alice := owner.Local(), someone(t, "alice")
	type place struct {
		name string
		o    owner.Owner
		id   session.ID
		key  session.Key
	}
	places := []place{
		{"ONE", local, "s", ""}, {"TWO", local, "other", ""}, {"THREE", local, "keyed", "user:1"},
		{"FOUR", local, "keyed2", "user:2"}, {"FIVE", alice, "s", ""}, {"SIX", alice, "keyed", "user:1"},
	}
	ids := make(map[string]string)
	for _, p := range places {
		got := h.chat(p.o, p.id, p.key, "Remember something.", calls("memory", `{"action":"save","statement":"The cat is called CANARY`+p.name+`."}`), upstreamtest.Reply("Done."))
		if got.text != "Done." || len(got.Tools) != 1 || !got.Tools[0].OK || len(got.Learned) == 0 {
			t.Fatalf("%s: got %+v", p.name, got)
		}
		ids[p.name] = string(got.Learned[len(got.Learned)-1].ID)
	}
	for _, p := range places {
		h.chat(p.o, p.id, p.key, "Hm.", calls("memory", `{"action":"find","query":"What is the cat called?"}`), upstreamtest.Reply("Done."))
		found := h.result()
		for _, other := range places {
			if got := strings.Contains(found, "CANARY"+other.name+"."); got != (other.name == p.name) {
				t.Errorf("%s finds what %s knows: %v in %s", p.name, other.name, got, found)
			}
		}
		for _, other := range places {
			if other.name == p.name {
				continue
			}
			for _, action := range []string{
				`{"action":"forget","fact_id":"` + ids[other.name] + `"}`, `{"action":"edit","fact_id":"` + ids[other.name] + `","statement":"x"}`,
			} {
				got := h.chat(p.o, p.id, p.key, "Hm.", calls("memory", action), upstreamtest.Reply("Done."))
				if got.Tools[0].OK || !strings.Contains(h.result(), "No fact with this id") {
					t.Errorf("%s changes what %s knows: got %s", p.name, other.name, h.result())
				}
			}
		}
	}
}

// TestMemoryEditAndForget: an edit keeps the old version as history, a forgotten
// fact is gone from every file.
func TestMemoryEditAndForget(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(*house) Set { return Set{Memory{}} })
	local := owner.Local()
	for _, key := range []session.Key{"", "user:1"} {
		id := session.ID("s" + string(key))
		first := h.chat(local, id, key, "One.", calls("memory", `{"action":"save","statement":"The deploy takes 7 minutes.","kind":"number"}`), upstreamtest.Reply("Done."))
		old := first.Learned[0]
		second := h.chat(local, id, key, "Two.", calls("memory", `{"action":"edit","fact_id":"`+string(old.ID)+`","statement":"The deploy takes nine minutes now."}`), upstreamtest.Reply("Done."))
		scope := memory.Scope{Root: id, Key: key}
		fact, err := h.curator.Fact(t.Context(), local, scope, old.ID)
		if err != nil || fact.Current() || fact.Source.Role != session.Tool {
			t.Errorf("the old version: got %+v, %v, want it replaced", fact, err)
		}
		for _, id := range []memory.FactID{second.Learned[0].ID, old.ID} {
			got := h.chat(local, session.ID("s"+string(key)), key, "Three.", calls("memory", `{"action":"forget","fact_id":"`+string(id)+`"}`), upstreamtest.Reply("Done."))
			if !got.Tools[0].OK {
				t.Fatalf("forget: got %s", h.result())
			}
		}
		ms, err := h.db.Messages(t.Context(), local, id, session.Range{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			if text := m.Content + string(m.ToolCalls); strings.Contains(text, "minutes") {
				t.Errorf("message %d still says %q", m.Seq, text)
			}
		}
		facts, err := h.curator.Facts(t.Context(), local, scope)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			if strings.Contains(f.Quote, "deploy") || strings.Contains(f.Quote, "erased") {
				t.Errorf("got the fact %q, want it gone", f.Quote)
			}
		}
		// What is stored is what the messages say: nothing is learnt twice.
		again, err := h.curator.Rebuild(t.Context(), local, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range again {
			if !r.Identical() {
				t.Errorf("distilled again, the memory differs: %+v", r)
			}
		}
	}
}

// TestMemoryRefuses: what is not kept.
func TestMemoryRefuses(t *testing.T) {
	t.Parallel()
	readOnly, outside := localGrant(""), localGrant("")
	readOnly.ReadOnly, outside.Outside = "this turn is off the record", true
	for _, tt := range []struct {
		name, arguments, want string
		grant                 *run.Grant
	}{
		{"nothing", `{"action":"save","statement":"  "}`, "1–2000", localGrant("")},
		{"too much", `{"action":"save","statement":"` + strings.Repeat("x", maxStatement+1) + `"}`, "1–2000", localGrant("")},
		{"control characters", `{"action":"save","statement":"a\u001b[31m"}`, "control", localGrant("")},
		{"a secret", `{"action":"save","statement":"The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789."}`, "password or a key", localGrant("")},
		{"a kind there is not", `{"action":"save","statement":"x","kind":"question"}`, "kind is one of", localGrant("")},
		{"an action there is not", `{"action":"erase everything"}`, "action is one of", localGrant("")},
		{"an argument there is not", `{"action":"save","statement":"x","session_key":"user:2"}`, "schema", localGrant("")},
		{"two values", `{"action":"save","statement":"x"}{}`, "more than one", localGrant("")},
		{"no question", `{"action":"find"}`, "what to look for", localGrant("")},
		{"off the record", `{"action":"save","statement":"x"}`, "off the record", readOnly},
		{"forget off the record", `{"action":"forget","fact_id":"x"}`, "off the record", readOnly},
		{"text of others in sight", `{"action":"save","statement":"x"}`, "text of other programs", outside},
		{"no scope", `{"action":"save","statement":"x"}`, "may not use memory", &run.Grant{Owner: owner.Stored("local")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Memory{}.Call(t.Context(), tt.grant, run.ToolRequest{Name: MemoryName, Arguments: json.RawMessage(tt.arguments)})
			if !got.Failed || !strings.Contains(got.Text, tt.want) || got.Note != memory.EchoNote {
				t.Errorf("got %+v, want it refused because of %q", got, tt.want)
			}
		})
	}
	if got := (Memory{Trust: true}).Call(t.Context(), outside, run.ToolRequest{Arguments: json.RawMessage(`{"action":"save","statement":"x"}`)}); got.Failed {
		t.Errorf("trusted: got %+v", got)
	}
}

// TestSchemas: what models are told is JSON.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, d := range (Set{Memory{}, Skills{}}).Offer(t.Context(), localGrant("")) {
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil || schema.Type != "object" || schema.Properties["action"].Type != "string" {
			t.Errorf("%s: got %+v, %v", d.Name, schema, err)
		}
	}
}
