package study_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/study"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a runner with everything real: database, upstream client, and a scripted
// model server. The server answers turns with "ok" and studies with replies.
type world struct {
	t       *testing.T
	home    string
	db      *sqlite.DB
	up      *upstreamtest.Server
	runner  *run.Runner
	curator *curate.Curator
	study   *study.Study
	parts   study.Parts
	clock   *runtest.Clock
	opt     options

	mu      sync.Mutex
	answer  string              // to turns; "" for ok
	replies []upstreamtest.Step // to studies, in order; the last one stays
	titles  []upstreamtest.Step // to questions for a title, likewise
	embeds  upstreamtest.Step
	woken   int
}

// options are the differences from a world in which everything is on.
type options struct {
	off      bool // no model works on memory
	budget   int
	perHour  int
	noChat   bool
	noEmbed  bool
	patience time.Duration
}

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), opt: o, clock: runtest.NewClock()}
	w.up = upstreamtest.New(t, upstreamtest.Options{
		Default:   w.reply,
		EmbedStep: func(*upstreamtest.Request) upstreamtest.Step { w.mu.Lock(); defer w.mu.Unlock(); return w.embeds },
	})
	if w.opt.budget == 0 {
		w.opt.budget = 8000
	}
	if w.opt.perHour == 0 {
		w.opt.perHour = 1 << 20
	}
	if w.opt.patience == 0 {
		w.opt.patience = 10 * time.Second
	}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

// open assembles the program over the existing file.
func (w *world) open() {
	w.t.Helper()
	db := runtest.Open(w.t, filepath.Join(w.home, "state.db"))
	w.db = db
	up := upstream.New(upstream.Options{BaseURL: w.up.URL + "/v1"})
	parts := &runtest.Parts{
		Views: memory.NewViews(db, 64<<20), Studies: db, Models: run.Models{Upstream: up},
		Config: run.Config{Budgets: compression.Budgets{Model: "turns", Default: w.opt.budget}, Now: w.clock.Now},
	}
	p := study.Parts{
		Store: db, Queue: db, Owners: func(context.Context) ([]owner.Owner, error) { return []owner.Owner{owner.Local()}, nil },
		TokensPerHour: w.opt.perHour, Now: w.clock.Now, Log: slog.New(slog.DiscardHandler),
	}
	if !w.opt.off {
		parts.Wake = func(o owner.Owner, root session.ID) {
			w.mu.Lock()
			w.woken++
			w.mu.Unlock()
			w.study.Wake(o, root)
		}
		if !w.opt.noChat {
			p.Chat, p.Model = up, "student"
		}
		if !w.opt.noEmbed {
			p.Embed, p.Embeddings = up.Embedder("embed"), "embed"
			parts.Embed, parts.EmbedPatience = p.Embed, w.opt.patience
			parts.Views.Embed("embed")
		}
	}
	w.runner, w.curator = runtest.New(db, parts)
	p.Curator = w.curator
	w.parts, w.study = p, study.New(p)
}

func (w *world) close() {
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
}

// restart ends the program without a shutdown and opens it again.
func (w *world) restart() {
	w.t.Helper()
	w.close()
	w.open()
}

// says sets what the model replies to studies from now on.
func (w *world) says(steps ...upstreamtest.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replies = steps
}

func (w *world) embedStep(s upstreamtest.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.embeds = s
}

func (w *world) reply(r *upstreamtest.Request) upstreamtest.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Model != "student" {
		return upstreamtest.Reply(cmp.Or(w.answer, "ok"))
	}
	if naming(r) {
		return next(&w.titles, `{"title": ""}`)
	}
	return next(&w.replies, `{"statements": []}`)
}

// proposed is a reply with statements. Each row names a message by its number, the words
// cited, and the statement made of them.
func proposed(rows ...[3]any) upstreamtest.Step {
	type statement struct {
		Message   any `json:"message"`
		Quote     any `json:"quote"`
		Statement any `json:"statement"`
	}
	list := []statement{}
	for _, r := range rows {
		list = append(list, statement{r[0], r[1], r[2]})
	}
	text, err := json.Marshal(map[string]any{"statements": list})
	if err != nil {
		panic(err)
	}
	return upstreamtest.Reply("Here you are:\n```json\n" + string(text) + "\n```")
}

// say runs a turn.
func (w *world) say(id session.ID, key session.Key, text string) *run.Result {
	w.t.Helper()
	return w.turn(id, key, session.Message{Role: session.User, Content: text})
}

// turn runs a turn of a client that sends these messages.
func (w *world) turn(id session.ID, key session.Key, ms ...session.Message) *run.Result {
	w.t.Helper()
	text := ms[len(ms)-1].Content
	w.clock.Advance(time.Second)
	s, err := w.runner.Start(context.Background(), &run.Request{
		Owner: owner.Local(), Session: id, Key: key, Source: session.SourceAPI, Messages: ms,
	})
	if err != nil {
		w.t.Fatalf("say %q: %v", text, err)
	}
	var res *run.Result
	for d, err := range s.Deltas(context.Background()) {
		if err != nil {
			w.t.Fatalf("say %q: %v", text, err)
		}
		if d.Result != nil {
			res = d.Result
		}
	}
	return res
}

// chat says things, and goes on until the lineage is compressed: a model has folded
// turns to summarize.
func (w *world) chat(id session.ID, texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.say(id, "", text)
	}
	w.fold(id)
}

// fold talks until the lineage is compressed.
func (w *world) fold(id session.ID) {
	w.t.Helper()
	for i := 0; !w.say(id, "", boat(i)).Compressed; i++ {
	}
}

// boat is a long sentence about a boat.
func boat(i int) string {
	return fmt.Sprintf("Boat %d is long and green and lies next to the boat that came before it, with a rope that is nearly as old.", i)
}

func (w *world) catchUp() { w.study.CatchUp(context.Background()) }

func (w *world) facts(scope memory.Scope) []memory.Fact {
	w.t.Helper()
	facts, err := w.curator.Facts(context.Background(), owner.Local(), scope)
	if err != nil {
		w.t.Fatal(err)
	}
	return facts
}

// drawn are the lines of the newest summary of a lineage that a model drew.
func (w *world) drawn(root session.ID) []string {
	w.t.Helper()
	var out []string
	for line := range strings.SplitSeq(w.tip(root).Summary, "\n") {
		if text, ok := strings.CutPrefix(line, compression.DrawnLine); ok {
			out = append(out, text)
		}
	}
	return out
}

// draws fails unless these are the lines that a model drew.
func (w *world) draws(root session.ID, want ...string) {
	w.t.Helper()
	if got := w.drawn(root); !slices.Equal(got, want) {
		w.t.Errorf("drawn of %s: got %q, want %q", root, got, want)
	}
}

// calls counts the requests of the model server so far, by model. Requests for a title
// are not counted.
func (w *world) calls(model string) int {
	n := 0
	for _, r := range w.up.Requests() {
		if r.Model == model && !naming(r) {
			n++
		}
	}
	return n
}

// identical fails unless a rebuild gives the stored state.
func (w *world) identical() {
	w.t.Helper()
	list, err := w.curator.Rebuild(context.Background(), owner.Local(), true)
	if err != nil || len(list) == 0 {
		w.t.Fatalf("rebuild: %d scopes, %v", len(list), err)
	}
	for _, r := range list {
		if !r.Identical() {
			w.t.Errorf("rebuild of %+v: got %+v, want the same state", r.Scope, r)
		}
	}
}

// traces counts a text in all files of the home, byte by byte.
func (w *world) traces(text string) int {
	w.t.Helper()
	n := 0
	files, err := filepath.Glob(filepath.Join(w.home, "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			w.t.Fatal(err)
		}
		n += strings.Count(strings.ToLower(string(data)), strings.ToLower(text))
	}
	return n
}

const (
	terrace      = "By the way, the roof terrace opens at seven, and lunch is late."
	terraceDrawn = "the roof terrace opens at seven"
	folding      = 1200 // a budget that is small enough for a compression after a few turns
)

func terraceProposed(seq int) [3]any {
	return [3]any{seq, terraceDrawn, terraceDrawn}
}

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

// nothingLeft checks that the queue is empty.
func (w *world) nothingLeft() {
	w.t.Helper()
	items, err := w.db.Work(context.Background(), owner.Local(), study.Filter{Limit: 9})
	if err != nil || len(items) > 0 {
		w.t.Errorf("got %+v, %v, want no work left", items, err)
	}
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
