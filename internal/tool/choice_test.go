package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestChosenTools: a turn with a choice is offered what it chose, enabled or not, and every
// other call is refused.
func TestChosenTools(t *testing.T) {
	t.Parallel()
	config, log := stdioServer(t, "test")
	mcp, _ := servers(t, config)
	h := newHouse(t, func(h *house) Set {
		return Set{Search{&search.Tool{Store: h.db, Transcripts: h.db}}, OnChoice{Memory{}}, OnChoice{Skills{Home: t.TempDir()}}, mcp}
	})
	for _, tt := range []struct {
		name, tool, arguments string
		want                  string // of the result; "" for a call that is done
	}{
		{"add", "memory", `{"action":"save","statement":"The cat is called Tom."}`, ""},
		{"edit", "memory", `{"action":"edit","fact_id":"f_0123456789abcdef","statement":"x"}`, "action is one of save"},
		{"forget", "memory", `{"action":"forget","fact_id":"f_0123456789abcdef"}`, "action is one of save"},
		{"find", "memory", `{"action":"find","query":"cat"}`, "action is one of save"},
		{"the last action counts", "memory", `{"action":"save","statement":"x","Action":"forget","fact_id":"f_0123456789abcdef"}`, "action is one of save"},
		{"a skill", "skills", `{"action":"save","name":"tea","description":"How to make tea.","instructions":"Boil water."}`, ""},
		{"an enabled tool", search.ToolName, `{"query":"cat"}`, "there is no tool"},
		{"a tool of an MCP server", "mcp_test_echo", `{"text":"hello"}`, "there is no tool"},
		{"an unknown tool", "shell", `{}`, "there is no tool"},
	} {
		h.model.Queue(calls(tt.tool, tt.arguments), upstreamtest.Reply("Done."))
		s, err := h.runner.Start(t.Context(), &run.Request{
			Owner: owner.Local(), Session: "s", Source: session.SourceAPI, Only: Saving(),
			Messages: []session.Message{{Role: session.User, Content: "Save what matters: " + tt.name}},
		})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var res *run.Result
		for d, err := range s.Deltas(t.Context()) {
			if res = d.Result; err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		if len(res.Tools) != 1 || res.Tools[0].OK != (tt.want == "") || !strings.Contains(h.result(), tt.want) {
			t.Errorf("%s: got %+v: %s, want %q", tt.name, res.Tools, h.result(), tt.want)
		}
		if diff := cmp.Diff([]string{"memory", "skills"}, offeredIn(t, h.model.Last().Body)); diff != "" {
			t.Errorf("%s: offered (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := starts(t, log); got != nil {
		t.Errorf("got the starts %q of a server that no turn could use", got)
	}
}

// offeredIn are the names of the tools in a request to a model.
func offeredIn(t *testing.T, body []byte) []string {
	t.Helper()
	var in struct {
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range in.Tools {
		out = append(out, d.Function.Name)
	}
	return out
}

// TestGrantOfChoice: the tools check the choice themselves, and those that are not enabled are
// there for no other turn.
func TestGrantOfChoice(t *testing.T) {
	t.Parallel()
	set := Set{OnChoice{Memory{}}, Skills{Home: t.TempDir()}}
	save := json.RawMessage(`{"action":"save","statement":"x"}`)
	list := json.RawMessage(`{"action":"list"}`)
	for _, tt := range []struct {
		name          string
		only          []run.ToolChoice
		offered       []string
		memory, skill bool // done
	}{
		{"no choice", nil, []string{"skills"}, false, true},
		{"nothing", []run.ToolChoice{}, nil, false, false},
		{"memory", []run.ToolChoice{{Name: "memory"}}, []string{"memory"}, true, false},
		{"to save", Saving(), []string{"memory", "skills"}, true, true},
		{"to find", []run.ToolChoice{{Name: "memory", Actions: []string{"find"}}, {Name: "skills", Actions: []string{"view"}}}, []string{"memory", "skills"}, false, false},
	} {
		g := localGrant("")
		g.Only = tt.only
		if diff := cmp.Diff(tt.offered, names(set.Offer(t.Context(), g))); diff != "" {
			t.Errorf("%s: offered (-want +got):\n%s", tt.name, diff)
		}
		if got := set.Call(t.Context(), g, run.ToolRequest{Name: "memory", Arguments: save}); got.Failed == tt.memory {
			t.Errorf("%s: memory: got %+v", tt.name, got)
		}
		if got := set.Call(t.Context(), g, run.ToolRequest{Name: "skills", Arguments: list}); got.Failed == tt.skill {
			t.Errorf("%s: skills: got %+v", tt.name, got)
		}
	}
}

func TestCheckChoice(t *testing.T) {
	t.Parallel()
	set := Set{OnChoice{Memory{}}, Search{}}
	for _, tt := range []struct {
		name   string
		choice run.ToolChoice
		fine   bool
	}{
		{"a tool", run.ToolChoice{Name: search.ToolName}, true},
		{"a tool that is not enabled", run.ToolChoice{Name: "memory"}, true},
		{"an action", run.ToolChoice{Name: "memory", Actions: []string{"save", "find"}}, true},
		{"an unknown tool", run.ToolChoice{Name: "skills"}, false},
		{"no name", run.ToolChoice{}, false},
		{"an unknown action", run.ToolChoice{Name: "memory", Actions: []string{"save", "explode"}}, false},
		{"an action of a tool without actions", run.ToolChoice{Name: search.ToolName, Actions: []string{"save"}}, false},
	} {
		err := set.Check([]run.ToolChoice{tt.choice})
		if (err == nil) != tt.fine || err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	if set := (Set{Memory{}, Skills{}}); set.Check(Saving()) != nil || !slices.Equal(namesOf(Memory{}.actions()), []string{"save", "find", "edit", "forget"}) {
		t.Error("the tools to save with are refused")
	}
}
