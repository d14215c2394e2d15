package study_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestOffByDefault: without a setting, a turn is one call, and no other call is made.
func TestOffByDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{off: true})
	for i := range 10 {
		w.say("s", "", fmt.Sprintf("We have %d boats in the harbour.", i))
		if got := len(w.up.Requests()); got != i+1 {
			t.Fatalf("after turn %d: got %d calls, want one per turn", i+1, got)
		}
	}
	if w.woken != 0 {
		t.Errorf("got %d wakes, want none", w.woken)
	}
}

// TestSentencesAreChecked: only sentences that a folded message of the user supports get
// into the summary, and the fold is read once.
func TestSentencesAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding})
	w.says(proposed(
		terraceProposed(0),
		[3]any{0, terraceDrawn, "the roof terrace opens at seven daily"}, // "daily" is invented
		[3]any{0, "never said", "never said"},
		[3]any{1, "ok", "ok"},
		[3]any{77, "x", "x"},
	))
	w.chat("s", terrace)
	w.catchUp()
	w.draws("s", terraceDrawn)
	if s := w.study.Stats(); s.Accepted != 1 || s.Refused != 4 || s.Summarized != 1 {
		t.Errorf("got %+v, want 1 accepted and 4 refused for 1 summary", s)
	}
	w.identical()
	again := w.calls("student")
	w.catchUp()
	if n := w.calls("student"); n != again {
		t.Errorf("got %d more calls about the same messages", n-again)
	}
	w.restart()
	w.catchUp()
	w.identical()
	w.draws("s", terraceDrawn)
}

// TestNoFacts: a model adds no facts, whatever it replies, and no call reads a lineage
// without a fold.
func TestNoFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.says(proposed(terraceProposed(0)))
	w.say("s", "", terrace)
	for range 12 {
		w.say("s", "", "And so on.")
	}
	before := w.facts(memory.Scope{Root: "s"})
	w.catchUp()
	w.clock.Advance(time.Hour)
	w.catchUp()
	if n := w.calls("student"); n != 0 {
		t.Errorf("got %d calls, want none", n)
	}
	if got := w.facts(memory.Scope{Root: "s"}); len(got) != len(before) {
		t.Errorf("got %d facts, want the %d from before", len(got), len(before))
	}
	w.nothingLeft()
}

// TestUnassertedStays: a message that only asks, supposes or denies asserts nothing,
// even if a model claims that it does.
func TestUnassertedStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	texts := []string{
		"Does the crane lift 40 tons on Sundays?", "Maybe the crane lifts 40 tons.", "My brother prefers green tea in the cabin.",
		"We don't paint the crane.", "The password for the crane is hunter2secret9.",
	}
	var rows [][3]any
	for i, text := range texts {
		rows = append(rows, [3]any{2 * i, text, strings.TrimRight(text, "?.")})
	}
	w.says(proposed(rows...))
	w.chat("s", texts...)
	w.catchUp()
	w.draws("s")
	if s := w.study.Stats(); s.Accepted != 0 || s.Refused != int64(len(texts)) {
		t.Errorf("got %+v, want all %d refused", s, len(texts))
	}
	w.identical()
}

func TestBrokenModels(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]upstreamtest.Step{
		"garbage":     upstreamtest.Reply("I would rather not."),
		"half JSON":   upstreamtest.Reply(`{"statements": [{"message": 0, "quo`),
		"other JSON":  upstreamtest.Reply(`{"facts": 3}`),
		"a refusal":   upstreamtest.Refuse(500, "oops", "Oops."),
		"no thanks":   upstreamtest.Refuse(400, "bad", "Unknown parameter."),
		"broken off":  {Text: strings.Repeat("x", 1000), Cut: true},
		"no answer":   {Raw: []byte{}},
		"wrong types": upstreamtest.Reply(`{"statements": [{"message": "zero", "quote": 1, "statement": null}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{budget: folding})
			w.says(step)
			w.embedStep(upstreamtest.Step{Raw: []byte("nonsense")})
			w.chat("s", terrace)
			before, summary := w.facts(memory.Scope{Root: "s"}), w.tip("s").Summary
			for range 6 {
				w.catchUp()
				w.clock.Advance(2 * time.Hour)
				w.say("s", "", "And another thing.")
			}
			if got := w.facts(memory.Scope{Root: "s"}); len(got) < len(before) {
				t.Errorf("got %+v", got)
			}
			if got := w.tip("s").Summary; got != summary || got == "" {
				t.Errorf("got summary %q, want %q", got, summary)
			}
			if got := w.calls("student"); got > 14 {
				t.Errorf("got %d calls in six rounds: it is not left alone", got)
			}
			if w.study.Stats().Failures == 0 {
				t.Error("no failure was counted")
			}
			w.identical()
		})
	}
}

// TestLeftAlone: a failing model is not called again at once. A model that replies with
// nonsense about some messages is not asked about them for ever.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	w.says(upstreamtest.Reply("Let me tell you a story."))
	w.chat("s", terrace)
	for round := 1; round <= 5; round++ {
		for range 3 {
			w.catchUp()
		}
		if got, want := w.calls("student"), min(round, 3); got != want {
			t.Errorf("round %d: got %d calls, want %d", round, got, want)
		}
		w.clock.Advance(time.Hour)
	}
	w.draws("s")
	w.says(proposed(terraceProposed(int(w.tip("s").NextSeq))), proposed())
	w.say("s", "", terrace)
	for len(w.drawn("s")) == 0 && w.tip("s").Generation < 4 { // until a fold takes it in
		w.fold("s")
		w.catchUp()
	}
	w.draws("s", terraceDrawn) // what was said since
}

// TestHangingModel: turns go on while a model hangs, and a hanging call ends with the
// study.
func TestHangingModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, patience: 20 * time.Millisecond})
	w.chat("s", terrace)
	w.says(upstreamtest.Step{Hang: true})
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := w.study.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for r := range w.up.Arrivals() {
		if r.Model == "student" && !naming(r) {
			break
		}
	}
	for range 3 { // the model hangs; the turns return
		w.say("s", "", "Another turn.")
	}
	cancel()
	done.Wait()
	w.says(proposed(terraceProposed(0)))
	w.restart()
	w.catchUp()
	w.draws("s", terraceDrawn) // the lost call is made again
}

// TestTwoStudies: two studies on one database share the work, and no call is made twice.
func TestTwoStudies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	w.says(proposed(terraceProposed(0)))
	const lineages = 6
	for i := range lineages {
		w.chat(session.ID(fmt.Sprintf("s%d", i)), terrace)
	}
	var done sync.WaitGroup
	for _, s := range []*study.Study{w.study, study.New(w.parts)} {
		done.Go(func() { s.CatchUp(t.Context()) })
	}
	done.Wait()
	w.catchUp() // the tasks that one study had no permit for while the other was working
	w.clock.Advance(time.Hour)
	w.catchUp() // and the tasks queued again by one study just after the other had done them
	reads := 0
	for _, r := range w.up.Requests() {
		if r.Model == "student" && !naming(r) {
			reads++
		}
	}
	if reads != lineages {
		t.Errorf("got %d calls, want one for each of %d lineages", reads, lineages)
	}
	for i := range lineages {
		w.draws(session.ID(fmt.Sprintf("s%d", i)), terraceDrawn)
	}
	w.nothingLeft()
}

// TestVisibleFailure: a failed task stays in the queue with its error and the time of
// the next attempt. It goes once it succeeds.
func TestVisibleFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, noEmbed: true})
	w.says(upstreamtest.Refuse(500, "oops", "Oops."))
	w.chat("s", terrace)
	w.catchUp()
	items, err := w.db.Work(t.Context(), owner.Local(), study.Filter{Limit: 9})
	if err != nil || len(items) != 1 || items[0].Attempts != 1 || items[0].Error == "" || items[0].Running || !items[0].WakeAt.After(w.clock.Now()) {
		t.Fatalf("got %+v, %v, want one that failed once and waits", items, err)
	}
	w.says(proposed(terraceProposed(0)))
	w.clock.Advance(time.Hour)
	w.catchUp()
	w.nothingLeft()
}

// TestOffWritesNothing: without a model in the background, no task is queued.
func TestOffWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, off: true})
	w.chat("s", terrace)
	w.nothingLeft()
}

// TestHourlyBound: a call beyond the hourly token budget waits.
func TestHourlyBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: folding, perHour: 2500, noEmbed: true})
	for i := range 4 {
		w.chat(session.ID(fmt.Sprintf("s%d", i)))
	}
	w.catchUp()
	if got := w.calls("student"); got != 1 {
		t.Fatalf("got %d calls, want as many as an hour's tokens pay for: 1", got)
	}
	w.clock.Advance(20 * time.Minute)
	w.catchUp()
	first := w.calls("student")
	w.clock.Advance(3 * time.Hour)
	w.catchUp()
	if got := w.calls("student"); got <= first || got > first+2 {
		t.Errorf("got %d calls after a long wait, want one or two more than %d", got, first)
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noChat: true})
	w.say("s", "k", "The automobile stands in the garage.")
	for i := range 20 {
		w.say("s", "k", fmt.Sprintf("The tree number %d has leaves and a bird.", i))
	}
	w.turn("s", "k", session.Message{Role: session.User, Content: "A page that was fetched.", Note: session.EchoNote})
	w.catchUp()
	if got := w.vectors("s"); got != 43 {
		t.Fatalf("got %d vectors, want one for each message but the echo: 43", got)
	}
	recall := func(text string) []curate.Recalled {
		t.Helper()
		list, err := w.curator.Recall(context.Background(), owner.Local(), memory.Scope{Key: "k"}, ranking.Query{Text: text, Limit: 5, Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	got := recall("Where stands my leaves automobile?")
	if len(got) == 0 {
		t.Fatal("got nothing")
	}
	meant := false
	for _, r := range got[0].Reasons {
		meant = meant || r.Feature == "meaning"
	}
	if !strings.Contains(got[0].Quote.Text, "automobile") || !meant {
		t.Errorf("got %+v", got[0])
	}
	asked := w.calls("embed")
	w.embedStep(upstreamtest.Refuse(500, "oops", "Oops."))
	for range 3 {
		if again := recall("automobile"); len(again) == 0 || !strings.Contains(again[0].Quote.Text, "automobile") {
			t.Errorf("without the server: got %+v", again)
		}
	}
	if n := w.calls("embed"); n != asked+1 {
		t.Errorf("got %d calls to a server that fails, want it left alone after 1", n-asked)
	}
	w.restart()
	if got := w.vectors("s"); got != 43 {
		t.Errorf("after a restart: got %d vectors", got)
	}
}
