package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Rig is a provider with a server that the test controls.
type Rig struct {
	Provider run.Provider
	Faults   *Faults
	// Texts are the texts that the server has of a place, oldest first.
	Texts func(p run.Place) []string
	// Settle lets the server finish deletions; nil if it does at once.
	Settle func()
	// Single says that the server can erase single messages.
	Single bool
	// Terse says that the server may answer any JSON, or nothing, to what it is told.
	Terse bool
	// Pages makes the pages of the server's lists so long, whatever is asked for; nil if its lists
	// have none.
	Pages func(size int)
	// Stranger is the same provider with a wrong key; nil if the server has none.
	Stranger run.Provider
}

// Run checks a provider against the contract. open returns a rig with an empty server.
func Run(t *testing.T, open func(t *testing.T) *Rig) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, *Rig){
		"tells in order":            testTells,
		"tells once":                testTellsOnce,
		"tells much":                testTellsMuch,
		"cuts long messages":        testCuts,
		"recalls of a place":        testRecalls,
		"forgets messages":          testForgetsMessages,
		"forgets a place":           testForgetsPlace,
		"reads short pages":         testShortPages,
		"reports what goes awry":    testFaults,
		"confirms no lost deletion": testLost,
		"does not wait for ever":    testHangs,
		"needs its key":             testKey,
		"takes any text":            testTexts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open(t))
		})
	}
}

// Place is a place of the local owner.
func Place(name string) run.Place {
	return run.Place{Workspace: "hermes", Session: name, User: "user-" + name, Assistant: provider.Assistant}
}

// Said are messages with ids from first on, user and assistant in turn.
func Said(first int64, texts ...string) []run.Said {
	out := make([]run.Said, len(texts))
	for i, text := range texts {
		out[i] = run.Said{ID: first + int64(i), Role: session.User, Text: text, At: time.Date(2026, 3, 1, 9, 0, i, 0, time.UTC)}
		if i%2 == 1 {
			out[i].Role = session.Assistant
		}
	}
	return out
}

func told(t *testing.T, r *Rig, p run.Place, said []run.Said) {
	t.Helper()
	if err := r.Provider.Told(t.Context(), p, said); err != nil {
		t.Fatalf("tell: %v", err)
	}
}

func has(t *testing.T, r *Rig, p run.Place, want ...string) {
	t.Helper()
	if got := r.Texts(p); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", p.Session, brief(got), brief(want))
	}
}

func brief(texts []string) []string {
	out := slices.Clone(texts[:min(len(texts), 12)])
	for i := range out {
		out[i] = out[i][:min(len(out[i]), 40)]
	}
	return out
}

func testTells(t *testing.T, r *Rig) {
	a, b := Place("a"), Place("b")
	told(t, r, a, Said(1, "I like tea.", "Noted.", "And cake."))
	told(t, r, b, Said(4, "I like beer."))
	group := Said(5, "I like milk.")
	group[0].Speaker = "user-a-bob"
	told(t, r, a, group)
	has(t, r, a, "I like tea.", "Noted.", "And cake.", "I like milk.")
	has(t, r, b, "I like beer.")
}

func testTellsOnce(t *testing.T, r *Rig) {
	p := Place("a")
	said := Said(1, "one", "two", "three")
	told(t, r, p, said)
	told(t, r, p, Said(4, "four"))
	for range 3 { // the outcome is unknown: it was stored and the answer was lost, or it was not
		more := Said(5, "five", "six")
		for _, fault := range []Fault{{On: "", Cut: true, Stored: true}, {Cut: true}, {Cut: true, Stored: true}} {
			r.Faults.Next(fault)
			if err := r.Provider.Told(t.Context(), p, more); err == nil {
				continue // the fault came where it did not matter
			}
		}
		told(t, r, p, more)
	}
	has(t, r, p, "one", "two", "three", "four", "five", "six")
}

func testTellsMuch(t *testing.T, r *Rig) {
	p := Place("a")
	texts := make([]string, 100)
	for n := range 3 {
		for i := range texts {
			texts[i] = fmt.Sprintf("message %d", n*100+i)
		}
		told(t, r, p, Said(int64(n*100+1), texts...))
	}
	got := r.Texts(p)
	if len(got) != 300 || got[0] != "message 0" || got[299] != "message 299" {
		t.Errorf("got %d messages: %q", len(got), brief(got))
	}
}

func testCuts(t *testing.T, r *Rig) {
	p := Place("a")
	long := strings.Repeat("é世x", 20_000)
	told(t, r, p, Said(1, long, "short"))
	got := r.Texts(p)
	for _, text := range got {
		if n := utf8.RuneCountInString(text); n > provider.MaxPiece || !utf8.ValidString(text) {
			t.Errorf("got a piece of %d characters", n)
		}
	}
	if strings.Join(got, "") != long+"short" || len(got) != 4 {
		t.Errorf("got %d pieces %q, want the whole text", len(got), brief(got))
	}
}

func recall(t *testing.T, r *Rig, p run.Place) string {
	t.Helper()
	text, err := r.Provider.Recall(t.Context(), p, "What do I like?", 500)
	if err != nil {
		t.Fatalf("recall: %v", err)
	}
	return text
}

func testRecalls(t *testing.T, r *Rig) {
	a, b := Place("a"), Place("b")
	if got := recall(t, r, a); got != "" {
		t.Errorf("of an unknown place: got %q", got)
	}
	told(t, r, a, Said(1, "I like tea."))
	told(t, r, b, Said(2, "I like beer."))
	if got := recall(t, r, a); !strings.Contains(got, "I like tea.") || strings.Contains(got, "beer") {
		t.Errorf("got %q, want what was told there, and nothing else", got)
	}
}

func testForgetsMessages(t *testing.T, r *Rig) {
	p, other := Place("a"), Place("b")
	told(t, r, p, Said(1, "one", "two", "three"))
	told(t, r, other, Said(4, "four"))
	got, err := r.Provider.Forget(t.Context(), p, []int64{2})
	if !r.Single {
		if !errors.Is(err, run.ErrWholePlace) {
			t.Errorf("got %+v, %v, want the refusal", got, err)
		}
		has(t, r, p, "one", "two", "three")
		return
	}
	for range 2 { // what is gone stays confirmed
		if err != nil || got.Left != "" {
			t.Fatalf("got %+v, %v", got, err)
		}
		got, err = r.Provider.Forget(t.Context(), p, []int64{2})
	}
	has(t, r, p, "one", "three")
	if _, err := r.Provider.Forget(t.Context(), p, []int64{4}); err != nil {
		t.Errorf("a message of another place: %v", err)
	}
	has(t, r, other, "four")
}

func testForgetsPlace(t *testing.T, r *Rig) {
	p, other := Place("a"), Place("b")
	told(t, r, p, Said(1, "I like tea."))
	told(t, r, other, Said(2, "I like beer."))
	got, err := r.Provider.Forget(t.Context(), p, nil)
	if err != nil {
		t.Fatalf("forget: %v", err)
	}
	if r.Settle != nil {
		if got.Left == "" {
			t.Errorf("got %+v before the deletion is done", got)
		}
		r.Settle()
		if got, err = r.Provider.Forget(t.Context(), p, nil); err != nil {
			t.Fatalf("ask again: %v", err)
		}
	}
	if got.Left != "" || got.Confirmed == 0 {
		t.Errorf("got %+v, want a confirmation", got)
	}
	has(t, r, p)
	if got := recall(t, r, p); got != "" {
		t.Errorf("recalled %q", got)
	}
	has(t, r, other, "I like beer.")
	if got, err := r.Provider.Forget(t.Context(), Place("never"), nil); err != nil || got.Left != "" {
		t.Errorf("a place that was never told: got %+v, %v", got, err)
	}
}

func testShortPages(t *testing.T, r *Rig) {
	if r.Pages == nil {
		t.Skip("this server has no pages")
	}
	p := Place("a")
	told(t, r, p, Said(1, "one", "two", "three", "four", "five", "six", "seven"))
	r.Pages(3)
	for _, id := range []int64{7, 2} {
		if got, err := r.Provider.Forget(t.Context(), p, []int64{id}); err != nil || got.Left != "" {
			t.Errorf("message %d: got %+v, %v", id, got, err)
		}
	}
	has(t, r, p, "one", "three", "four", "five", "six")
	if got, err := r.Provider.Forget(t.Context(), p, nil); err != nil || got.Left != "" {
		t.Errorf("the place: got %+v, %v", got, err)
	}
	has(t, r, p)
}

// broken are answers that no server should give. A 404 that does not name the missing thing comes
// from a router or a proxy that does not know the path.
func broken() map[string]Fault {
	out := map[string]Fault{
		"500": {Status: http.StatusInternalServerError, Body: `{"detail":"broken"}`}, "429": {Status: http.StatusTooManyRequests, Body: "slow"},
		"503": {Status: http.StatusServiceUnavailable}, "302": {Status: http.StatusFound}, "no JSON": {Body: "<html>hello</html>"},
		"an array": {Body: `[[[1]]]`}, "a number": {Body: `7`}, "an empty object": {Body: `{}`}, "half": {Body: `{"text": "abc`},
		"cut": {Cut: true}, "huge": {Body: `{"text":"` + strings.Repeat("x", provider.MaxRecall) + `"}`},
		"deep": {Body: strings.Repeat(`[`, 20_000)}, "null": {Body: "null"},
	}
	for _, body := range []string{
		"", "404 page not found", "<html>404 Not Found</html>", "null", "7", "[]", "{}", `{"detail":null}`, `{"detail":"Not Found"}`, `{"detail":"not found."}`,
		`{"detail":"Route not found"}`, `{"detail":"The page was not found"}`, `{"detail":[{"msg":"Session not found"}]}`, `{"error":"Not Found","status":404}`,
		`{"message":"no Route matched with those values"}`, `{"items":[],"total":0,"pages":0}`, `{"detail":"Session not found"} ` + `trailing`,
	} {
		out["404 "+body] = Fault{Status: http.StatusNotFound, Body: body}
	}
	return out
}

// takes reports whether an answer is one that a terse server gives when it was told something.
func (r *Rig) takes(f *Fault) bool {
	return r.Terse && f.Status == 0 && !f.Cut && json.Valid([]byte(f.Body))
}

func testFaults(t *testing.T, r *Rig) {
	p, next := Place("a"), int64(1)
	for name, fault := range broken() {
		r.Faults.Always(nil)
		told(t, r, p, Said(next, "I like tea.")) // the outcome of the last call is known
		next++
		r.Faults.Always(&fault)
		if text, err := r.Provider.Recall(t.Context(), p, "What?", 100); err == nil {
			t.Errorf("%s: recalled %q", name, brief([]string{text}))
		}
		if err := r.Provider.Told(t.Context(), p, Said(next, "more")); err == nil && !r.takes(&fault) {
			t.Errorf("%s: told", name)
		}
		for _, ids := range [][]int64{{1}, nil} {
			if got, err := r.Provider.Forget(t.Context(), p, ids); err == nil && got.Left == "" {
				t.Errorf("%s: forgotten: %v %+v", name, ids, got)
			}
		}
	}
	r.Faults.Always(nil)
	told(t, r, p, Said(next, "more"))
}

// testLost: deletions that a proxy answers with a 404 prove nothing. What is still there is not
// confirmed.
func testLost(t *testing.T, r *Rig) {
	p := Place("a")
	told(t, r, p, Said(1, "I like tea."))
	r.Faults.Always(&Fault{On: http.MethodDelete, Status: http.StatusNotFound, Body: "<html>404</html>"})
	got, err := r.Provider.Forget(t.Context(), p, nil)
	if left := r.Texts(p); len(left) > 0 && err == nil && got.Left == "" {
		t.Errorf("got %+v, and %q is left", got, left)
	}
}

func testHangs(t *testing.T, r *Rig) {
	p := Place("a")
	r.Faults.Always(&Fault{Hang: true})
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := r.Provider.Recall(ctx, p, "What?", 100); err == nil {
		t.Error("recalled")
	}
	if err := r.Provider.Told(ctx, p, Said(1, "one")); err == nil {
		t.Error("told")
	}
	if _, err := r.Provider.Forget(ctx, p, nil); err == nil {
		t.Error("forgotten")
	}
}

func testKey(t *testing.T, r *Rig) {
	if r.Stranger == nil {
		t.Skip("this server has no keys")
	}
	p := Place("a")
	told(t, r, p, Said(1, "I like tea."))
	if err := r.Stranger.Told(t.Context(), p, Said(2, "hello")); provider.StatusOf(err) != http.StatusUnauthorized {
		t.Errorf("told with a wrong key: %v", err)
	}
	if text, err := r.Stranger.Recall(t.Context(), p, "What?", 100); err == nil {
		t.Errorf("recalled %q with a wrong key", text)
	}
	if got, err := r.Stranger.Forget(t.Context(), p, nil); err == nil {
		t.Errorf("forgotten with a wrong key: %+v", got)
	}
	has(t, r, p, "I like tea.")
}

func testTexts(t *testing.T, r *Rig) {
	p := Place("a")
	texts := []string{`"}]}`, "a\u2028b\u0085c", "👩‍🚀 \u202e", "../../etc/passwd", "{{x}} ${y} %s", "<script>", "'; DROP TABLE messages; --"}
	told(t, r, p, Said(1, texts...))
	has(t, r, p, texts...)
	if _, err := r.Provider.Recall(t.Context(), p, strings.Repeat("é?&=#/..", 5000), 100); err != nil {
		t.Errorf("a long question: %v", err)
	}
}
