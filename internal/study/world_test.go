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

// nothingLeft checks that the queue is empty.
func (w *world) nothingLeft() {
	w.t.Helper()
	items, err := w.db.Work(context.Background(), owner.Local(), study.Filter{Limit: 9})
	if err != nil || len(items) > 0 {
		w.t.Errorf("got %+v, %v, want no work left", items, err)
	}
}
