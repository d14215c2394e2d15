package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestChoiceOfTools: a turn is offered what it chose and nothing else, and a call of another
// tool is refused before any tool is asked.
func TestChoiceOfTools(t *testing.T) {
	t.Parallel()
	h, k := withTools(t, 8000, run.ToolLimits{}, "echo", "save")
	h.model.script = []saying{calling("", "save:The cat is called Tom.", "echo:no", "shell:no"), {text: "Done."}}
	got := h.mustTurn(&run.Request{
		Session: "s", Messages: []session.Message{{Role: session.User, Content: "Hm."}}, Only: []run.ToolChoice{{Name: "save"}},
	})
	if got.text != "Done." || len(k.calls) != 1 || k.calls[0].Name != "save" {
		t.Errorf("got %q and the calls %+v, want one of save", got.text, k.calls)
	}
	for _, p := range h.model.prompts() {
		if tools := string(p.Tools); !strings.Contains(tools, `"save"`) || strings.Contains(tools, `"echo"`) {
			t.Errorf("offered: got %s, want save alone", tools)
		}
	}
	for _, f := range got.result.Learned {
		if strings.Contains(f.Statement, "no tool") {
			t.Errorf("learned %+v", f)
		}
	}
	h.mustTurn(&run.Request{Session: "s", Messages: []session.Message{{Role: session.User, Content: "Hm!"}}, Only: []run.ToolChoice{}})
	if all := h.model.prompts(); len(all[len(all)-1].Tools) > 0 {
		t.Errorf("an empty choice: got %s, want no tools", all[len(all)-1].Tools)
	}
}

func TestRefusedChoice(t *testing.T) {
	t.Parallel()
	h, _ := withTools(t, 8000, run.ToolLimits{}, "echo")
	for _, only := range [][]run.ToolChoice{{{Name: "shell"}}, {{Name: "echo"}, {Name: "echo"}}, {{}}} {
		got := h.turn(&run.Request{Session: "s", Messages: []session.Message{{Role: session.User, Content: "Hm."}}, Only: only})
		if fault.KindOf(got.err) != fault.Invalid || fault.CodeOf(got.err) != "invalid_tool_choice" {
			t.Errorf("%v: got %v, want it refused", only, got.err)
		}
	}
	bare := setup(t, 8000)
	if got := bare.turn(&run.Request{Messages: []session.Message{{Role: session.User, Content: "Hm."}}, Only: []run.ToolChoice{{Name: "echo"}}}); fault.KindOf(got.err) != fault.Invalid {
		t.Errorf("without tools: got %v, want it refused", got.err)
	}
	if len(h.model.prompts())+len(bare.model.prompts()) > 0 {
		t.Error("a model was asked")
	}
}

// TestAside: what is said in a turn that the server took for itself is stored and in no later
// prompt: not with the history of the client, not with another answer, not in a summary. What
// was saved in it is remembered all the same.
func TestAside(t *testing.T) {
	t.Parallel()
	h, _ := withTools(t, 1000, run.ToolLimits{}, "save")
	said := []session.Message{{Role: session.User, Content: "My dog is called Rex."}}
	h.mustTurn(&run.Request{Session: "s", Messages: said})
	h.model.script = []saying{calling("I shall do that.", "save:The user likes short answers."), {text: "Kept the zebra."}}
	h.mustTurn(&run.Request{
		Session: "s", Fresh: true, Messages: []session.Message{{Role: session.User, Content: "Save the walrus.", Note: session.AsideNote}},
	})
	var got []string
	for _, m := range h.transcript("s") {
		got = append(got, fmt.Sprintf("%s %s", m.Role, m.Note))
	}
	want := []string{"user ", "assistant ", "user aside", "assistant aside", "tool note", "assistant aside"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	check := func(name string) {
		t.Helper()
		all := strings.Join(words(h.model.last()), "\n")
		for _, gone := range []string{"walrus", "zebra", "I shall do that"} {
			if strings.Contains(all, gone) {
				t.Errorf("%s: got %q in a prompt:\n%s", name, gone, all)
			}
		}
		if !strings.Contains(all, "short answers") {
			t.Errorf("%s: got %s, want what was saved", name, all)
		}
	}
	// A client that sends its history again knows nothing of the turn.
	said = append(said, session.Message{Role: session.Assistant, Content: "ok"}, session.Message{Role: session.User, Content: "And what do I like?"})
	h.mustTurn(&run.Request{Session: "s", Messages: slices.Clone(said)})
	check("a history that is sent again")
	for _, m := range h.transcript("s") {
		if !m.Stands() {
			t.Errorf("%q was undone", m.Content)
		}
	}
	if n := len(h.transcript("s")); n != 8 {
		t.Errorf("got %d messages, want 8", n)
	}
	for i := range 40 { // until the turns are folded into a summary
		h.mustTurn(&run.Request{Session: "s", Fresh: true, Messages: []session.Message{{
			Role: session.User, Content: fmt.Sprintf("Number %d of many questions on what I like, and how long a good answer ought to be.", i),
		}}})
		check("later")
	}
	if sessions := h.lineage("s"); len(sessions) < 2 || strings.Contains(sessions[len(sessions)-1].Summary, "walrus") {
		t.Errorf("got %d sessions, want a summary without the turn: %q", len(sessions), sessions[len(sessions)-1].Summary)
	}
}
