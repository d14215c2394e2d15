package study_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// kitchen is the first exchange of a lineage whose title a model improves.
const (
	kitchen        = "Could you have a look at whether, in spring, my kitchen renovation can start? Maybe in Graz."
	kitchenDerived = "Have a look at whether, in spring, my"
	kitchenTitle   = "Kitchen renovation in spring"
)

// titled is a reply with a title.
func titled(title string) upstreamtest.Step {
	text, err := json.Marshal(map[string]string{"title": title})
	if err != nil {
		panic(err)
	}
	return upstreamtest.Reply("Sure:\n" + string(text))
}

// names sets what the model replies when asked for a title from now on.
func (w *world) names(steps ...upstreamtest.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.titles = steps
}

// named counts the questions for a title so far.
func (w *world) named() int {
	n := 0
	for _, r := range w.up.Requests() {
		if naming(r) {
			n++
		}
	}
	return n
}

// next takes the next step; the last one stays. Without steps it replies with the text.
func next(steps *[]upstreamtest.Step, text string) upstreamtest.Step {
	if len(*steps) == 0 {
		return upstreamtest.Reply(text)
	}
	step := (*steps)[0]
	if len(*steps) > 1 {
		*steps = (*steps)[1:]
	}
	return step
}

// naming reports whether a model is asked for a title.
func naming(r *upstreamtest.Request) bool {
	return bytes.Contains(r.Body, []byte("name it for a list"))
}

// title fails unless a session has this title from this source, and the model was asked
// exactly this often.
func (w *world) title(id session.ID, title string, from session.TitleSource, asked int) {
	w.t.Helper()
	if tip := w.tip(id); tip.Title != title || tip.TitleSource != from {
		w.t.Errorf("title of %s: got %q by %q, want %q by %q", id, tip.Title, tip.TitleSource, title, from)
	}
	if n := w.named(); n != asked {
		w.t.Errorf("got %d questions for a title, want %d", n, asked)
	}
}

// TestTitle: a model is asked once, after the first exchange, and its title
// stands from then on.
func TestTitle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.names(titled(kitchenTitle), titled("My kitchen"))
	w.say("s", "", kitchen)
	w.title("s", kitchenDerived, session.TitleDerived, 0)
	w.catchUp()
	w.title("s", kitchenTitle, session.TitleModel, 1)
	w.say("s", "", "And what does the renovation cost?")
	w.catchUp()
	w.clock.Advance(time.Hour)
	w.restart()
	w.say("s", "", "And the walls?")
	w.catchUp()
	w.title("s", kitchenTitle, session.TitleModel, 1)
	if s := w.study.Stats(); s.Failures != 0 {
		t.Errorf("got %+v", s)
	}
}

// TestTitleAfterGreeting: a greeting alone asks no model.
func TestTitleAfterGreeting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.names(titled(kitchenTitle))
	w.say("s", "", "Hi there!")
	w.catchUp()
	w.title("s", "", "", 0)
	w.say("s", "", kitchen)
	w.catchUp()
	w.title("s", kitchenTitle, session.TitleModel, 1)
}

// TestTitleOfAPerson: a title given by a person stays, even if it was given while the
// model was thinking.
func TestTitleOfAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.names(titled(kitchenTitle))
	ctx := context.Background()
	w.say("s", "", kitchen)
	w.rename("s", kitchenDerived) // in the very same words
	fork, err := w.curator.Fork(ctx, &curate.Branch{Owner: owner.Local(), Session: "s", Title: "Mine"})
	if err != nil {
		t.Fatal(err)
	}
	w.catchUp()
	w.title("s", kitchenDerived, session.TitlePerson, 0)
	w.title(fork.ID, "Mine", session.TitlePerson, 0)
	if named, err := w.curator.Retitle(ctx, owner.Local(), curate.Task{Root: "s"}, kitchenTitle); named || err != nil {
		t.Errorf("too late: got %v, %v", named, err)
	}
	w.title("s", kitchenDerived, session.TitlePerson, 0)
	w.rename("s", "") // the next turn derives one again
	w.say("s", "", "And the walls?")
	w.catchUp()
	w.title("s", kitchenTitle, session.TitleModel, 1)
}

func (w *world) rename(id session.ID, title string) {
	w.t.Helper()
	if _, err := w.curator.Edit(context.Background(), owner.Local(), id, session.Patch{Title: &title}, nil); err != nil {
		w.t.Fatal(err)
	}
}

// TestTitleRefused: a title with words that the exchange lacks, or with private words,
// is refused, and the model is not asked again.
func TestTitleRefused(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]upstreamtest.Step{
		"invented":        titled("Kitchen renovation in Vienna"),
		"longer":          titled("Have a look at my kitchen renovation in Graz in spring"),
		"one word":        titled("Kitchen"),
		"private":         titled("Kitchen and diabetes"),
		"nothing":         titled(""),
		"two lines":       titled("Kitchen\nin Graz"),
		"a story":         upstreamtest.Reply("Let me tell you a story."),
		"half JSON":       upstreamtest.Reply(`{"title": "Kitch`),
		"other JSON":      upstreamtest.Reply(`{"title": {"text": "Kitchen in Graz"}}`),
		"the derived one": titled(kitchenDerived),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{noEmbed: true})
			w.names(step)
			w.say("s", "", kitchen+" I was diagnosed with diabetes. The key is sk-abcdefghij0123456789abcdefghij.")
			for range 3 {
				w.catchUp()
				w.clock.Advance(2 * time.Hour)
				w.say("s", "", "Go on.")
			}
			w.title("s", kitchenDerived, session.TitleDerived, 1)
			for _, r := range w.up.Requests() {
				if naming(r) && (strings.Contains(string(r.Body), "diagnosed") || strings.Contains(string(r.Body), "sk-abc")) {
					t.Errorf("the model was shown what is private: %s", r.Body)
				}
			}
		})
	}
}

// TestTitleBroken: a failing model changes nothing and is asked again with backoff.
func TestTitleBroken(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]upstreamtest.Step{
		"a refusal":  upstreamtest.Refuse(500, "oops", "Oops."),
		"broken off": {Text: `{"title": "Kitchen renovation in spring"}`, Cut: true},
		"no answer":  {Raw: []byte{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{noEmbed: true})
			w.names(step, step, titled(kitchenTitle))
			w.say("s", "", kitchen)
			for range 3 {
				w.catchUp()
				w.catchUp()
			}
			w.title("s", kitchenDerived, session.TitleDerived, 1)
			w.clock.Advance(time.Minute)
			w.catchUp()
			w.title("s", kitchenDerived, session.TitleDerived, 2)
			w.clock.Advance(time.Hour)
			w.catchUp()
			w.title("s", kitchenTitle, session.TitleModel, 3)
		})
	}
}

// TestTitleCrash: a lost call is made again, once.
func TestTitleCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.names(upstreamtest.Step{Hang: true}, titled(kitchenTitle))
	w.say("s", "", kitchen)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := w.study.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for r := range w.up.Arrivals() {
		if naming(r) {
			break
		}
	}
	w.say("s", "", "And the walls?") // the model hangs; the turn returns
	cancel()
	done.Wait()
	w.restart()
	w.title("s", kitchenDerived, session.TitleDerived, 1)
	w.catchUp()
	w.restart()
	w.catchUp()
	w.title("s", kitchenTitle, session.TitleModel, 2)
}

// TestTitleCosts: calls for titles count towards the hourly token budget.
func TestTitleCosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{perHour: 2200, noEmbed: true})
	for i := range 8 {
		w.say(session.ID(fmt.Sprintf("s%d", i)), "", kitchen)
	}
	w.catchUp()
	first := w.named()
	if first == 0 || first > 2 {
		t.Fatalf("got %d questions, want as many as an hour's tokens pay for: 1 or 2", first)
	}
	w.clock.Advance(time.Hour)
	w.catchUp()
	if got := w.named(); got <= first || got > first+2 {
		t.Errorf("got %d questions after an hour, want one or two more than %d", got, first)
	}
}

// TestTitleNumbers: titles stay unique, and a compression keeps the title of its
// parent.
func TestTitleNumbers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{budget: 1200, noEmbed: true})
	w.names(titled(kitchenTitle))
	compressed := func(id session.ID) session.ID {
		for i := 0; ; i++ {
			if w.say(id, "", boat(i)).Compressed {
				return w.tip(id).ID
			}
		}
	}
	w.say("a", "", kitchen)
	w.catchUp()
	w.title("a", kitchenTitle, session.TitleModel, 1)
	w.title(compressed("a"), kitchenTitle+" #2", session.TitleModel, 1)
	w.say("b", "", kitchen)
	w.title(compressed("b"), kitchenDerived+" #2", session.TitleDerived, 1)
	w.catchUp() // the whole lineage gets the title
	w.title("b", kitchenTitle+" #4", session.TitleModel, 2)
	parent, err := w.db.Session(context.Background(), owner.Local(), "b")
	if err != nil || parent.Title != kitchenTitle+" #3" || parent.TitleSource != session.TitleModel {
		t.Errorf("got %+v, %v", parent, err)
	}
	fork, err := w.curator.Fork(context.Background(), &curate.Branch{Owner: owner.Local(), Session: "a"})
	if err != nil {
		t.Fatal(err)
	}
	w.catchUp()
	w.title(fork.ID, kitchenTitle+" #5", session.TitleModel, 2)
}

// TestTitleOfReset: a session opened by a reset is named after its first exchange.
func TestTitleOfReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	w.names(upstreamtest.Reply("no"), titled("Garden fence of wood"))
	w.say("s", "", kitchen)
	w.catchUp()
	reset, err := w.curator.Reset(context.Background(), owner.Local(), "s")
	if err != nil {
		t.Fatal(err)
	}
	w.say(reset.ID, "", "Another matter that came up meanwhile: the garden needs a fence of wood.")
	w.catchUp()
	w.title(reset.ID, "Garden fence of wood", session.TitleModel, 2)
	w.title("s", kitchenDerived, session.TitleDerived, 2)
}

// TestTitleErased: a model's title is erased with the words it was drawn from, and may
// be given again.
func TestTitleErased(t *testing.T) {
	t.Parallel()
	const text = "Let us talk at length about renovation of the kitchen. The plumber, as ever, is Quetzalcoatl. My favourite colour is green."
	for _, tt := range []struct {
		name, given, want string
		erase             func(*world) error
	}{
		{"the thing in the title", "Renovation, plumber Quetzalcoatl", "[erased]", forget("quetzalcoatl")},
		{"a word of the sentence that went", "Kitchen plumber", "", forget("Quetzalcoatl")},
		{"another sentence", "Kitchen renovation", "Kitchen renovation", forget("Quetzalcoatl")},
		{"the words of a fact", "Green renovation", "", forgetFact("green")},
		{"another fact", "Kitchen renovation", "Kitchen renovation", forgetFact("green")},
		{"the exchange taken back", "Kitchen renovation", "", undo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{noEmbed: true})
			w.names(titled(tt.given), titled("Kitchen renovation"))
			w.say("s", "", text)
			w.catchUp()
			w.title("s", tt.given, session.TitleModel, 1)
			if err := tt.erase(w); err != nil {
				t.Fatal(err)
			}
			tip := w.tip("s")
			if tip.Title != tt.want || (tip.Title == "") != (tip.TitleSource == "") {
				t.Errorf("got title %q by %q, want %q", tip.Title, tip.TitleSource, tt.want)
			}
			if tt.want == "[erased]" && w.traces("quetzalcoatl") != 0 {
				t.Error("a trace is left")
			}
			if tip.Title != "" {
				return
			}
			if named, err := w.curator.Retitle(context.Background(), owner.Local(), curate.Task{Root: "s"}, "Renovation at length"); named || err != nil {
				t.Errorf("an answer that comes too late: got %v, %v", named, err)
			}
			w.say("s", "", "Go on about renovation of the old kitchen.")
			w.catchUp()
			if n := w.named(); n != 2 {
				t.Errorf("got %d questions, want one more for the next title", n)
			}
		})
	}
}

func forget(about string) func(*world) error {
	return func(w *world) error {
		out, err := w.curator.Forget(context.Background(), owner.Local(), about, false)
		if err == nil && out.Left != 0 {
			return fmt.Errorf("got %+v", out)
		}
		return err
	}
}

func forgetFact(word string) func(*world) error {
	return func(w *world) error {
		scope := memory.Scope{Root: "s"}
		for _, f := range w.facts(scope) {
			if strings.Contains(f.Quote, word) {
				_, err := w.curator.ForgetFact(context.Background(), owner.Local(), scope, f.ID)
				return err
			}
		}
		return fmt.Errorf("no fact of %s", word)
	}
}

func undo(w *world) error {
	_, err := w.curator.Undo(context.Background(), owner.Local(), "s")
	return err
}

// TestTitleUndone: undoing later turns, or asking for another first answer, leaves the
// title. Only a title whose words come from the undone answer alone goes.
func TestTitleUndone(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{kitchenTitle: kitchenTitle, "Spring paint": kitchenDerived} {
		w := newWorld(t, options{noEmbed: true})
		w.names(titled(title))
		w.say("s", "", "Hi there!")
		w.answer = "A kitchen renovation begins with paint."
		w.say("s", "", kitchen)
		w.catchUp()
		w.say("s", "", "Is a kitchen renovation with paint in spring dear?")
		if err := undo(w); err != nil {
			t.Fatal(err)
		}
		w.title("s", title, session.TitleModel, 1)
		w.answer = "No."
		w.turn("s", "", session.Message{Role: session.User, Content: "Hi there!"}, session.Message{Role: session.Assistant, Content: "ok"},
			session.Message{Role: session.User, Content: kitchen})
		if tip := w.tip("s"); tip.NextSeq != 7 || tip.Title != want {
			t.Errorf("after another answer: got title %q of %d messages, want %q", tip.Title, tip.NextSeq, want)
		}
	}
}

// TestTitleForgottenMeanwhile: a title that arrives after its words were forgotten is
// refused, and the next one may be asked for.
func TestTitleForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{noEmbed: true})
	ctx := context.Background()
	w.say("s", "", "Please tell me more about the life of birds. The plumber is Quetzalcoatl, in the kitchen.")
	if _, err := w.curator.Forget(ctx, owner.Local(), "Quetzalcoatl", false); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Plumber Quetzalcoatl", "Kitchen plumber"} {
		if named, err := w.curator.Retitle(ctx, owner.Local(), curate.Task{Root: "s"}, title); named || err != nil {
			t.Errorf("%s: got %v, %v", title, named, err)
		}
	}
	w.title("s", "Tell me more about the life of birds", session.TitleDerived, 0)
	w.say("again", "", "Tell me where the plumber Quetzalcoatl lives now.")
	if named, err := w.curator.Retitle(ctx, owner.Local(), curate.Task{Root: "again"}, "Plumber Quetzalcoatl"); named || err != nil {
		t.Errorf("in another lineage: got %v, %v", named, err)
	}
	if named, err := w.curator.Retitle(ctx, owner.Stored("stranger"), curate.Task{Root: "s"}, "Life of birds"); named || err == nil {
		t.Errorf("a stranger's: got %v, %v", named, err)
	}
	if named, err := w.curator.Retitle(ctx, owner.Local(), curate.Task{Root: "s"}, "Life of birds"); !named || err != nil {
		t.Errorf("got %v, %v", named, err)
	}
}
