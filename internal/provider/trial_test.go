package provider_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

// parrot is a provider that stores nothing and always answers the same.
type parrot struct{ shelf }

// Recall implements run.Provider.
func (*parrot) Recall(_ context.Context, p run.Place, question string, _ int) (string, error) {
	return p.Session + " " + p.User + " " + question + " This is a test of the connection.", nil
}

// TestTrial: a step is called fine only if the provider has shown it.
func TestTrial(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider run.Provider
		want     []string // what the steps say
	}{
		"all is well":           {&shelf{}, []string{"", "", ""}},
		"it stores nothing":     {&shelf{stores: func(string) bool { return false }}, []string{"", "not yet: not found yet", ""}},
		"it answers all things": {&parrot{}, []string{"", "not yet: not found yet", ""}},
		"it deletes soon":       {&shelf{left: []string{"1 in the bin", "1 in the bin", ""}}, []string{"", "", ""}},
		"it does not delete":    {&shelf{left: []string{"2 in the freezer"}}, []string{"", "", "failed: 2 in the freezer. The line is in the place hermes-test-"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := provider.New(provider.Parts{
				Config: provider.Config{ID: "shelf@test", Type: "shelf", Owners: []string{owner.LocalID}}, Provider: c.provider,
				Now: time.Now, Log: slog.New(slog.DiscardHandler),
			})
			steps, err := m.Test(t.Context(), owner.Local())
			if err != nil || len(steps) != len(c.want) {
				t.Fatalf("%s: got %+v, %v", name, steps, err)
			}
			for i := range steps {
				if says := saysOf(&steps[i]); !fits(says, c.want[i]) {
					t.Errorf("%s: %s: got %q, want %q", name, steps[i].Step, says, c.want[i])
				}
			}
		})
	}
}

func saysOf(c *provider.Check) string {
	switch {
	case c.Problem != "":
		return "failed: " + c.Problem
	case c.Pending != "":
		return "not yet: " + c.Pending
	}
	return ""
}

// fits reports whether a text is empty as wanted, or begins and goes on as wanted.
func fits(says, want string) bool {
	kind, text, _ := strings.Cut(want, ": ")
	return (says == "") == (want == "") && strings.HasPrefix(says, kind) && strings.Contains(says, text)
}

// TestTrialOfSlow: what a provider has stored late cannot have been deleted.
func TestTrialOfSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, stores := range []bool{true, false} {
			p := &slow{}
			p.stores = func(string) bool { return stores }
			m := provider.New(provider.Parts{
				Config: provider.Config{ID: "slow@test", Type: "slow", Owners: []string{owner.LocalID}}, Provider: p,
				Now: time.Now, Log: slog.New(slog.DiscardHandler),
			})
			steps, err := m.Test(t.Context(), owner.Local())
			says := []string{saysOf(&steps[1]), saysOf(&steps[2])}
			if want := []string{"", ""}; err != nil || slices.Equal(says, want) != stores {
				t.Errorf("stored at once %v: got %q, %v", stores, says, err)
			}
			if !stores && !fits(says[1], "not yet: may still be storing the line") {
				t.Errorf("got %q", says[1])
			}
		}
	})
}

// slow is a provider that stores later than it answers.
type slow struct{ shelf }

// StoresWithin implements provider.Slow.
func (*slow) StoresWithin() time.Duration { return time.Minute }

// TestTrialEndsFailure: a question that was answered in a test is the last one, so that the failure of an earlier one is no
// longer shown.
func TestTrialEndsFailure(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "key", "I like tea.")
	h.catchUp()
	h.honcho.Next(providertest.Fault{On: "/context", Status: 500})
	h.say("s", "key", "What do I like?")
	before, err := h.manager.Status(t.Context(), owner.Local())
	if err != nil || before.Problem == "" {
		t.Fatalf("got %+v, %v, want a failure", before, err)
	}
	if _, err := h.manager.Test(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	after, err := h.manager.Status(t.Context(), owner.Local())
	if err != nil || after.Problem != "" || !after.RestsUntil.IsZero() {
		t.Errorf("after a test: got %+v, %v", after, err)
	}
}
