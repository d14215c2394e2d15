package study_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestForget: summaries and vectors are erased with their sources, to the last byte, and
// do not come back.
func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: 1200})
	const secret = "As for the harbour, well, the quay is run by Quetzalcoatl, and the crane lifts 40 tons. By the way, the pier, as ever, opens at seven, and the fog is thick."
	w.say("s", "", secret)
	for i := 0; ; i++ {
		if w.say("s", "", boat(i)).Compressed {
			break
		}
	}
	one := [3]any{0, "the quay is run by Quetzalcoatl", "the quay is run by Quetzalcoatl"}
	two := [3]any{0, "the crane lifts 40 tons", "the crane lifts 40 tons"}
	three := [3]any{0, "the fog is thick", "the fog is thick"}
	w.says(proposed(one, two, three))
	w.catchUp()
	w.identical()
	if s := w.tip("s").Summary; !strings.Contains(s, "~ the crane lifts") {
		t.Fatalf("got summary %q", s)
	}
	if w.traces("quetzalcoatl") == 0 {
		t.Fatal("the test itself: no trace to begin with")
	}
	kept := w.vectors("s")
	out, err := w.curator.Forget(context.Background(), owner.Local(), "Quetzalcoatl", false)
	if err != nil || out.Left != 0 {
		t.Fatalf("forget: %+v, %v", out, err)
	}
	if n := w.traces("quetzalcoatl"); n != 0 {
		t.Errorf("got %d traces", n)
	}
	for _, f := range w.facts(memory.Scope{Root: "s"}) {
		if strings.Contains(f.Statement, "crane") { // it was in the same sentence
			t.Errorf("still known: %+v", f)
		}
	}
	if s := w.tip("s").Summary; strings.Contains(s, "crane lifts") || !strings.Contains(s, "~ the fog is thick") {
		t.Errorf("got summary %q", s)
	}
	if got := w.vectors("s"); got != kept-1 {
		t.Errorf("got %d vectors, want one less than %d", got, kept)
	}
	w.identical()

	// A model that still remembers does not bring it back.
	w.says(proposed([3]any{0, secret, "the quay is run by Quetzalcoatl"}))
	late := memory.Extract{Seq: 0, End: 40, Statement: "the quay is run by Quetzalcoatl"}
	generation := w.tip("s").Generation
	swapped, v, err := w.curator.Summarize(context.Background(), owner.Local(), curate.Task{Root: "s"}, generation, []memory.Extract{late})
	if err != nil || swapped || v.Refused[memory.RefusedErased] != 1 {
		t.Fatalf("too late: got %v, %+v, %v", swapped, v, err)
	}
	w.restart()
	w.catchUp()
	if n := w.traces("quetzalcoatl"); n != 0 {
		t.Errorf("got %d traces after it was proposed again", n)
	}
	if got := w.vectors("s"); got != kept {
		t.Errorf("got %d vectors, want the changed message's computed again: %d", got, kept)
	}
}

// TestErasedStaysOut: a forgotten thing does not get into the summary of later messages.
func TestErasedStaysOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	w.say("s", "", "The quay is run by Quetzalcoatl.")
	if _, err := w.curator.Forget(context.Background(), owner.Local(), "quetzalcoatl", false); err != nil {
		t.Fatal(err)
	}
	const again = "Well, the pier is long, and the crane was sold to Quetzalcoatl in May, and so on."
	w.says(proposed([3]any{2, again, "the crane was sold to Quetzalcoatl in May"}))
	w.chat("s", again)
	w.catchUp()
	w.draws("s")
	if s := w.study.Stats(); s.Accepted != 0 || s.Refused != 1 {
		t.Errorf("got %+v, want it refused", s)
	}
}

// TestForgetFact: a line that a model drew goes with the words of a forgotten fact.
func TestForgetFact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding})
	const green = "My favourite colour is green."
	w.says(proposed([3]any{0, green, green}))
	w.chat("s", green)
	w.catchUp()
	w.draws("s", green)
	if err := forgetFact("favourite")(w); err != nil {
		t.Fatal(err)
	}
	w.draws("s")
	w.identical()
}

func (w *world) vectors(root session.ID) int {
	w.t.Helper()
	n := 0
	err := w.db.Vectors(context.Background(), owner.Local(), memory.Scope{Root: root, Whole: true}, "embed", func(ranking.Vector) bool { n++; return true })
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestMeaning: a question finds an answer with which it shares no word. When the server
// hangs, the same question finds by words alone what it found before.
// TestOwners: the study of one owner summarizes no lineage of another owner.
func TestOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	w.says(proposed(terraceProposed(0)))
	w.chat("s", terrace)
	f := memory.Extract{Seq: 0, End: len(terrace), Statement: terraceDrawn}
	swapped, v, err := w.curator.Summarize(context.Background(), owner.Stored("stranger"), curate.Task{Root: "s"}, 1, []memory.Extract{f})
	if err == nil || swapped || v.Accepted != 0 {
		t.Errorf("a stranger's summary: got %v, %+v, %v", swapped, v, err)
	}
	w.draws("s")
	w.catchUp()
	w.draws("s", terraceDrawn)
}

// TestUndone: the vectors of messages that are undone go with them.
func TestUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.say("s", "", "Hello there, the boat is green.")
	w.say("s", "", terrace)
	w.catchUp()
	before := w.vectors("s")
	if _, err := w.curator.Undo(context.Background(), owner.Local(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := w.vectors("s"); got != before-2 {
		t.Errorf("got %d vectors, want 2 less than %d", got, before)
	}
	w.identical()
	w.catchUp()
	w.restart()
	w.identical()
}
