package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCost draws a session whose history has outgrown the budget.
func TestCost(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"HERMES_CONTEXT_BUDGET=400"}, "--addr", "127.0.0.1:0")
	run := func(args ...string) string {
		t.Helper()
		out, err := command(t, s.home, nil, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("hermes %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got := run("cost"); got != "There are no sessions yet.\n" {
		t.Errorf("got %q, want it to say that there is nothing", got)
	}
	s.say("short", "One note alone.")
	if got := run("cost", "short"); !strings.HasSuffix(got, " turn 1\n") {
		t.Errorf("got %q, want the one turn named once", got)
	}
	for i := range 40 {
		s.say("long", fmt.Sprintf("Note number %d is about the pond, the path and the fence behind the old shed.", i))
	}
	got := run("cost")
	for _, want := range []string{"40 turns", "times as much", "tokens per turn", "turn 1 ", "turn 40"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	rows := strings.Split(got, "\n")
	bars, dots := 0, 0
	for _, row := range rows {
		if strings.Contains(row, "│") {
			bars += strings.Count(row, "█")
			dots += strings.Count(row, "·")
		}
	}
	if bars == 0 || dots < 20 {
		t.Errorf("got %d bars and %d dots, want both lines drawn:\n%s", bars, dots, got)
	}
	var out struct {
		Turns int `json:"turns"`
		Sent  int `json:"sent_tokens"`
		Naive int `json:"naive_tokens"`
	}
	if err := json.Unmarshal([]byte(run("cost", "long", "--json")), &out); err != nil {
		t.Fatal(err)
	}
	if out.Turns != 40 || out.Sent > 40*400 || out.Naive < 2*out.Sent {
		t.Errorf("got %+v, want 40 turns under the budget, and a history of more than twice that", out)
	}
	s.stop()
}
