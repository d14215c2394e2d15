package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// withSearch is a house whose models may search.
func withSearch(t *testing.T) *house {
	t.Helper()
	return newHouse(t, func(h *house) Set { return Set{Search{&search.Tool{Store: h.db, Transcripts: h.db}}} })
}

// TestSearchOfOneScope: a model that searches gets what was said in its own
// turn's scope, and nothing of another lineage, key or owner.
func TestSearchOfOneScope(t *testing.T) {
	t.Parallel()
	h := withSearch(t)
	local, alice := owner.Local(), someone(t, "alice")
	type place struct {
		name  string
		o     owner.Owner
		id    session.ID
		key   session.Key
		scope string
	}
	places := []place{
		{"ONE", local, "a", "", "a"}, {"TWO", local, "b", "", "b"}, {"THREE", local, "c", "user:1", "user:1"},
		{"FOUR", local, "d", "user:1", "user:1"}, {"FIVE", local, "e", "user:2", "user:2"},
		{"SIX", alice, "a", "", "alice a"}, {"SEVEN", alice, "c", "user:1", "alice user:1"},
	}
	for _, p := range places {
		h.chat(p.o, p.id, p.key, "The walrus of "+p.name+" likes CANARY"+p.name+" best.", upstreamtest.Reply("Noted."))
	}
	for _, p := range places {
		got := h.chat(p.o, p.id, p.key, "And?", calls("session_search", `{"query":"walrus","limit":10}`), upstreamtest.Reply("Done."))
		if got.text != "Done." || len(got.Tools) != 1 || !got.Tools[0].OK {
			t.Fatalf("%s: got %+v", p.name, got)
		}
		found := h.result()
		for _, other := range places {
			if got := strings.Contains(found, "CANARY"+other.name+" "); got != (other.scope == p.scope) {
				t.Errorf("%s finds what %s said: %v in %s", p.name, other.name, got, found)
			}
		}
	}
}

// TestSearchAgain: a search brings up neither the question it was made for nor
// what searches before it have shown.
func TestSearchAgain(t *testing.T) {
	t.Parallel()
	h := withSearch(t)
	h.chat(owner.Local(), "told", "user:1", "The walrus lives in Tromsø.", upstreamtest.Reply("Noted."))
	for i := range 3 {
		question := fmt.Sprintf("Question %d on the walrus?", i)
		h.chat(owner.Local(), "asked", "user:1", question, calls("session_search", `{"query":"walrus"}`), upstreamtest.Reply("In Tromsø."))
		found := h.result()
		if strings.Contains(found, question) || strings.Contains(found, `"role":"tool"`) || !strings.Contains(found, "lives in Tromsø") {
			t.Errorf("search %d finds %s", i, found)
		}
	}
}

// TestSearchAdvice: the model is told when to use the tool, in the document's
// words, in front of everything that changes.
func TestSearchAdvice(t *testing.T) {
	t.Parallel()
	const advice = "When the user references something from a past conversation or you suspect relevant prior context exists, " +
		"use session_search to recall it before asking them to repeat themselves."
	h := withSearch(t)
	h.chat(owner.Local(), "s", "", "I use Rust because it is fast.")
	h.chat(owner.Local(), "s", "", "Hello.")
	var body struct {
		Messages []struct{ Role, Content string }
		Tools    []struct {
			Function struct {
				Name       string
				Parameters json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(h.model.Last().Body, &body); err != nil {
		t.Fatal(err)
	}
	if m := body.Messages[0]; m.Role != "system" || !strings.HasPrefix(m.Content, advice) {
		t.Errorf("got %+v first, want the advice", m)
	}
	if len(body.Tools) != 1 || body.Tools[0].Function.Name != "session_search" || string(body.Tools[0].Function.Parameters) != search.ToolSchema {
		t.Errorf("got the tools %+v", body.Tools)
	}
}

// TestSearchGrants: who may not search, and when.
func TestSearchGrants(t *testing.T) {
	t.Parallel()
	s := Search{&search.Tool{}}
	past := localGrant("")
	past.AsOf = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, g := range map[string]*run.Grant{"the past": past, "no scope": {Owner: owner.Stored("local")}} {
		if got := s.Offer(t.Context(), g); got != nil {
			t.Errorf("%s: got %+v offered", name, got)
		}
		if got := s.Call(t.Context(), g, run.ToolRequest{Arguments: json.RawMessage(`{"query":"x"}`)}); !got.Failed {
			t.Errorf("%s: got %+v, want it refused", name, got)
		}
	}
	for _, arguments := range []string{`{}`, `{"query":""}`, `{"query":"x","owner":"bob"}`, `{"query":["x"]}`} {
		if got := s.Call(t.Context(), localGrant(""), run.ToolRequest{Arguments: json.RawMessage(arguments)}); !got.Failed {
			t.Errorf("%s: got %+v, want it refused", arguments, got)
		}
	}
}

// TestSearchFits: what was found is cut to the room there is, around the match,
// and is still JSON.
func TestSearchFits(t *testing.T) {
	t.Parallel()
	h := withSearch(t)
	local := owner.Local()
	filler := strings.Repeat("Many words about nothing in particular, said again. ", 200)
	for i := range 3 {
		h.chat(local, session.ID(fmt.Sprintf("s%d", i)), "k", filler+"The needle is called Zimtstern. "+filler)
	}
	h.chat(local, "now", "k", "What is the needle called?", calls("session_search", `{"query":"Zimtstern"}`), upstreamtest.Reply("Zimtstern."))
	found := h.result()
	var got search.Result
	if err := json.Unmarshal([]byte(found), &got); err != nil || len(got.Sessions) != 3 || !utf8.ValidString(found) {
		t.Fatalf("got %d sessions, %v in %d bytes: %.300s", len(got.Sessions), err, len(found), found)
	}
	for _, s := range got.Sessions {
		if !strings.Contains(s.Summary, "The needle is called Zimtstern.") || s.SummaryMethod != search.ByExtraction {
			t.Errorf("%s: got the %s summary %q, want the match in it", s.SessionID, s.SummaryMethod, s.Summary)
		}
	}
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(h *house) Set {
		return Set{Search{&search.Tool{Store: h.db, Transcripts: h.db, Summarizer: Summaries{h.upstream, "fast"}}}}
	})
	h.chat(owner.Local(), "s", "", "The needle is called Zimtstern.")
	h.chat(owner.Local(), "s", "", "And?", calls("session_search", `{"query":"Zimtstern"}`), upstreamtest.Reply("It is a needle."), upstreamtest.Reply("A needle."))
	var body struct {
		Model    string
		Messages []struct{ Role, Content string }
		Tools    []any
	}
	requests := h.model.Requests()
	if err := json.Unmarshal(requests[len(requests)-2].Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Model != "fast" || len(body.Messages) != 2 || body.Messages[0].Content != search.SummaryPrompt || !strings.Contains(body.Messages[1].Content, "Zimtstern") || body.Tools != nil {
		t.Errorf("got the call %+v, want the fast model asked for a summary", body)
	}
	if found := h.result(); !strings.Contains(found, `"summary":"It is a needle.","summary_method":"model"`) {
		t.Errorf("got %s", found)
	}
}
