package study_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestSummary: after a compression, sentences drawn from the folded turns replace the
// beginnings of those turns, within the bound. Invented sentences do not.
func TestSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: 1200, noEmbed: true})
	const first = "We talked at length about many boats, and by the way, the harbour master is Ines, and the weather was fine, as it is most of the time around here in the spring."
	w.say("s", "", first)
	var res *run.Result
	for i := 0; res == nil || !res.Compressed; i++ {
		res = w.say("s", "", boat(i))
	}
	tip := w.tip("s")
	before := tip.Summary
	if before == "" || strings.Contains(before, "~ ") {
		t.Fatalf("got summary %q", before)
	}
	invented := [3]any{0, first, "the harbour master is Ines Delgado"}
	w.says(proposed([3]any{0, first, "the harbour master is Ines"}, invented), proposed())
	w.catchUp()
	after := w.tip("s")
	if after.ID != tip.ID || !strings.Contains(after.Summary, "~ the harbour master is Ines") ||
		strings.Contains(after.Summary, "Delgado") || strings.Contains(after.Summary, "- We talked") {
		t.Errorf("got summary %q", after.Summary)
	}
	if n := len(after.Summary) / 3; n > 1200/16+20 {
		t.Errorf("got about %d tokens of summary, want no more than a sixteenth of the budget", n)
	}
	w.say("s", "", "Go on.")
	if prompt := string(w.up.Last().Body); !strings.Contains(prompt, `~ \"the harbour master is Ines\"`) || !strings.Contains(prompt, "what a model drew") {
		t.Errorf("the next turn is not shown it: %s", prompt)
	}
	calls := w.calls("student")
	w.catchUp()
	if w.calls("student") != calls {
		t.Error("the same fold was looked at again")
	}
}

// TestSummaryTooLate: a session that was compressed again meanwhile keeps its summary.
func TestSummaryTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: 1200, off: true})
	const first = "By the way, the harbour master is Ines, and the weather was fine."
	w.say("s", "", first)
	compressed := 0
	for i := 0; compressed < 2; i++ {
		if w.say("s", "", boat(i)).Compressed {
			compressed++
		}
	}
	before := w.tip("s").Summary
	parent, err := w.db.Session(context.Background(), owner.Local(), w.tip("s").ParentID)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := w.db.Messages(context.Background(), owner.Local(), "s", session.Range{From: parent.TailFrom, Limit: 1})
	if err != nil || len(ms) != 1 {
		t.Fatal(err, ms)
	}
	f := memory.Extract{Seq: ms[0].Seq, End: len(ms[0].Content), Statement: ms[0].Content}
	swapped, _, err := w.curator.Summarize(context.Background(), owner.Local(), curate.Task{Root: "s"}, 1, []memory.Extract{f})
	if err != nil || swapped {
		t.Errorf("got swapped %v, %v", swapped, err)
	}
	if got := w.tip("s").Summary; got != before {
		t.Errorf("got %q, want %q", got, before)
	}
	swapped, _, err = w.curator.Summarize(context.Background(), owner.Local(), curate.Task{Root: "s"}, 2, []memory.Extract{f})
	if err != nil || !swapped {
		t.Errorf("in time: got swapped %v, %v", swapped, err)
	}
}

func (w *world) tip(id session.ID) session.Session {
	w.t.Helper()
	tip, err := w.db.Tip(context.Background(), owner.Local(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return tip
}
