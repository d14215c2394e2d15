package prove_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/prove"
)

// TestPromisesCanFail plays every promise against a server that agrees with
// everything and does nothing. A promise that holds there shows nothing.
func TestPromisesCanFail(t *testing.T) {
	t.Parallel()
	all, err := prove.Promises()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("got %d promises, want them all", len(all))
	}
	idle := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"key": "k", "choices": [{"message": {"content": "Noted."}}]}`))
	}))
	t.Cleanup(idle.Close)
	start := func(context.Context, prove.Setup) (*prove.Server, error) {
		return &prove.Server{
			HTTP: idle.Client(), URL: idle.URL, Token: "t",
			Stop: func() error { return nil }, Kill: func() error { return nil },
		}, nil
	}
	names := make(map[string]bool)
	for i := range all {
		s := &all[i]
		if names[s.Name] || s.Promise == "" {
			t.Errorf("%q: a scenario needs a name of its own and a promise", s.Name)
		}
		names[s.Name] = true
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			if out := prove.Play(t.Context(), start, s); out.Holds {
				t.Error("holds for a server that does nothing")
			} else if !strings.HasPrefix(out.Why, "step ") {
				t.Errorf("got %q, want the step that failed", out.Why)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", "has no scenario"},
		{"no name", "steps: [{say: hi}]", "it has no name"},
		{"no steps", "name: a", `"a" has no steps`},
		{"a step of nothing", "name: a\nsteps: [{session: s}]", "it does 0"},
		{"an unknown model", "name: a\nmodel: gpt\nsteps: [{say: hi}]", "use scripted or none"},
		{"a kill without a process", "name: a\nsteps: [{kill: true}]", "process: true"},
		{"a clock of a process", "name: a\nprocess: true\nsteps: [{advance: 1h}]", "machine's clock"},
		{"a model that is not there", "name: a\nmodel: none\nsteps: [{sent: {contains: [x]}}]", "no model"},
		{"half down", "name: a\nsteps: [{upstream: slow}]", "neither up nor down"},
		{"no rounds", "name: a\nsteps: [{repeat: {times: 0, steps: [{say: hi}]}}]", "1 to 100000 times"},
		{"an error inside", "name: a\nsteps: [{repeat: {times: 2, steps: [{}]}}]", "it does 0"},
		{"no YAML", "\tname", "scenario 1"},
		{"the second one", "name: a\nsteps: [{say: hi}]\n---\nname: b", "scenario 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := prove.Parse("f.yaml", []byte(c.in))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("name: a\nsteps: [{say: hi, expect: {contains: [x]}}]")
	f.Add("name: a\nsteps: [{repeat: {times: 2, steps: [{get: /x}]}}]\n---\nname: b")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := prove.Parse("f.yaml", []byte(text))
		if (err == nil) == (len(all) == 0) {
			t.Errorf("got %d scenarios and %v", len(all), err)
		}
	})
}
