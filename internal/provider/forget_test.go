package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// holds reports whether any place at the provider has a text.
func (h *house) holds(text string) bool {
	for _, place := range h.honcho.Sessions("hermes") {
		if strings.Contains(strings.Join(h.texts("hermes", place), "\n"), text) {
			return true
		}
	}
	for _, c := range h.honcho.Conclusions("hermes") {
		if strings.Contains(c.Content, text) {
			return true
		}
	}
	return false
}

func (h *house) forget(about string) *curate.Forgotten {
	h.t.Helper()
	got, err := h.curator.Forget(h.t.Context(), owner.Local(), about, false)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

// TestForgetAbout: a thing is gone there, too, with what was concluded from it, and the rest
// is told again in another place.
func TestForgetAbout(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "key", "My dentist is Dr. Zanzibar.")
	h.say("s", "key", "I like tea.")
	h.say("t", "key", "I like cake.")
	h.say("u", "other", "I like beer.")
	h.catchUp()
	h.honcho.Conclude("hermes", "key", "user-key", "goes to Zanzibar")
	got := h.forget("Zanzibar")
	if got.Left != 0 || got.External == nil || got.External.Confirmed != 1 || len(got.External.Left) > 0 {
		t.Errorf("got the certificate %+v with %+v", got, got.External)
	}
	if h.holds("Zanzibar") {
		t.Error("the provider still has it")
	}
	h.catchUp()
	text := strings.Join(h.texts("hermes", "key-g2"), "|")
	if !strings.Contains(text, "I like tea.") || !strings.Contains(text, "I like cake.") || strings.Contains(text, "Zanzibar") ||
		strings.Contains(text, "erased") {
		t.Errorf("told again: %s", text)
	}
	h.has("other", "I like beer.", "ok")
	if b := h.external(h.say("s", "key", "What do I like?")); b == nil || !strings.Contains(strings.Join(b.Lines, ""), "tea") {
		t.Errorf("recalled %+v of the next place", b)
	}
}

// TestForgetKinds: P6. Sessions, keys, facts and undone messages are gone there, too.
func TestForgetKinds(t *testing.T) {
	t.Parallel()
	ctx, me := context.Background(), owner.Local()
	for name, do := range map[string]func(h *house) (*curate.Forgotten, error){
		"session": func(h *house) (*curate.Forgotten, error) { return h.curator.ForgetSession(ctx, me, "s", false) },
		"key":     func(h *house) (*curate.Forgotten, error) { return h.curator.ForgetKey(ctx, me, "key", false) },
		"fact": func(h *house) (*curate.Forgotten, error) {
			for _, f := range h.facts("key") {
				if strings.Contains(f.Quote, "Zanzibar") {
					return h.curator.ForgetFact(ctx, me, memory.Scope{Key: "key"}, f.ID)
				}
			}
			return nil, fmt.Errorf("no fact")
		},
		"undo": func(h *house) (*curate.Forgotten, error) {
			_, err := h.curator.Undo(ctx, me, "s")
			h.catchUp()
			return nil, err
		},
		"deleted session": func(h *house) (*curate.Forgotten, error) {
			_, err := h.curator.Delete(ctx, me, "s", nil)
			h.catchUp()
			return nil, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := build(t, nil)
			h.say("t", "other", "I like beer.")
			h.say("s", "key", "I live in Zanzibar.")
			h.catchUp()
			if !h.holds("Zanzibar") {
				t.Fatal("it was not told")
			}
			got, err := do(h)
			if err != nil {
				t.Fatal(err)
			}
			if got != nil && (got.External == nil || got.External.Confirmed == 0 || len(got.External.Left) > 0) {
				t.Errorf("got the certificate %+v", got.External)
			}
			if h.holds("Zanzibar") || !h.holds("beer") {
				t.Error("the provider still has it, or has lost something else")
			}
			if list, err := h.db.Debts(ctx, me); err != nil || len(list) > 0 {
				t.Errorf("still owed: %+v, %v", list, err)
			}
		})
	}
}

// TestForgetWhileResting: what is forgotten in the pause after a failure is asked for behind the pause, and that is what is
// shown.
func TestForgetWhileResting(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "zanzibar", "I live there.")
	h.say("t", "lagoon", "I swim there.")
	h.catchUp()
	h.honcho.Always(&providertest.Fault{Status: 503})
	h.forget("zanzibar")
	got := h.forget("lagoon")
	st, err := h.manager.Status(t.Context(), owner.Local())
	if err != nil || st.RestsUntil.IsZero() || got.External == nil || len(got.External.Left) == 0 {
		t.Fatalf("got %+v, %+v, %v", st, got.External, err)
	}
	for _, list := range [][]curate.Owed{got.External.Left, st.Owed} {
		for _, l := range list {
			if l.NextAttemptAt == nil || l.NextAttemptAt.Before(st.RestsUntil) || l.Why == "" {
				t.Errorf("rests until %v: got %+v", st.RestsUntil, l)
			}
		}
	}
}

// TestForgetDown: while the provider is down, the certificate says so; an hour later it is
// gone there.
func TestForgetDown(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "zanzibar", "I live there.")
	h.catchUp()
	h.honcho.Always(&providertest.Fault{Status: 503})
	got := h.forget("zanzibar")
	if got.External == nil || got.External.Confirmed != 0 || len(got.External.Left) != 1 {
		t.Fatalf("got the certificate %+v", got.External)
	}
	if l := got.External.Left[0]; l.AskedAt != nil || l.NextAttemptAt == nil || l.Why == "" || !l.Whole || l.Place != "zanzibar" {
		t.Errorf("got %+v", l)
	}
	if got.Left == 0 { // the name of the place is needed to ask again
		t.Error("the certificate does not count the name of the place")
	}
	h.catchUp()
	h.honcho.Always(nil)
	h.restart(nil)
	h.catchUp()
	if got := h.forget("zanzibar"); got.Left != 0 || got.External != nil || h.holds("I live there") {
		t.Errorf("an hour later: got %d left, %+v", got.Left, got.External)
	}
}

// TestForgetAsked: a request that was taken and not finished is not confirmed.
func TestForgetAsked(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.honcho.Hold()
	h.say("s", "", "I live in Zanzibar.")
	h.catchUp()
	got, err := h.curator.ForgetSession(t.Context(), owner.Local(), "s", false)
	if err != nil || got.External == nil || len(got.External.Left) != 1 || got.External.Left[0].AskedAt == nil {
		t.Fatalf("got %+v, %v", got.External, err)
	}
	h.honcho.Settle()
	h.catchUp()
	if status, err := h.manager.Status(t.Context(), owner.Local()); err != nil || len(status.Owed) > 0 {
		t.Errorf("got %+v, %v", status, err)
	}
}

// TestForgetGivesUp: after 30 days the provider is not asked any more, and it is still listed.
func TestForgetGivesUp(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.honcho.Hold()
	h.say("s", "", "I live in Zanzibar.")
	h.catchUp()
	if _, err := h.curator.ForgetSession(t.Context(), owner.Local(), "s", false); err != nil {
		t.Fatal(err)
	}
	for range 32 {
		h.later(24 * time.Hour)
		h.manager.CatchUp(context.Background())
	}
	before := len(h.honcho.Requests())
	h.catchUp()
	status, err := h.manager.Status(t.Context(), owner.Local())
	if err != nil || len(status.Owed) != 1 || status.Owed[0].NextAttemptAt != nil || len(h.honcho.Requests()) != before {
		t.Errorf("got %+v, %v", status, err)
	}
}

// TestForgetOff: switching the provider off erases nothing there and sends nothing; a
// certificate says what it still has.
func TestForgetOff(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "", "I live in Zanzibar.")
	h.catchUp()
	h.off()
	before := len(h.honcho.Requests())
	got := h.forget("Zanzibar")
	h.catchUp()
	if n := len(h.honcho.Requests()) - before; n > 0 {
		t.Errorf("got %d requests", n)
	}
	if got.External == nil || len(got.External.Left) != 1 || !strings.Contains(got.External.Left[0].Why, "switched off") || !h.holds("Zanzibar") {
		t.Errorf("got the certificate %+v", got.External)
	}
	h.restart(nil)
	h.catchUp()
	if h.holds("Zanzibar") {
		t.Error("it was not passed on after the provider was switched on again")
	}
}

// TestForgetBetween: what is forgotten while it is being told is gone there, too.
func TestForgetBetween(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "", "I live in Zanzibar.")
	h.honcho.Next(providertest.Fault{On: "/messages$", Cut: true, Stored: true}) // the outcome is unknown here
	h.manager.CatchUp(context.Background())
	if !h.holds("Zanzibar") {
		t.Fatal("it was not told")
	}
	if _, err := h.curator.ForgetSession(t.Context(), owner.Local(), "s", false); err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	if h.holds("Zanzibar") {
		t.Error("the provider still has it")
	}
}

// TestForgetSpeaker: what was concluded about a speaker goes with the place.
func TestForgetSpeaker(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.ask(&run.Request{Session: "s", Key: "room", Messages: []session.Message{{Role: session.User, Name: "Bob", Content: "I live in Zanzibar."}}})
	h.catchUp()
	h.honcho.Conclude("hermes", "room", "user-room-Bob", "lives in Zanzibar")
	if got := h.forget("Zanzibar"); got.External == nil || len(got.External.Left) > 0 || h.holds("Zanzibar") {
		t.Errorf("got the certificate %+v", got.External)
	}
}

// TestForgetAll: everything of an owner is gone there, and is not told again.
func TestForgetAll(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.Owners = []string{"*"} })
	h.say("s", "key", "I live in Zanzibar.")
	h.say("t", "", "So do I.")
	h.ask(&run.Request{Owner: ada(), Session: "a", Messages: []session.Message{{Role: session.User, Content: "I do not."}}})
	h.catchUp()
	got, err := h.manager.ForgetAll(t.Context(), owner.Local())
	if err != nil || got.Confirmed != 2 || len(got.Left) > 0 || h.holds("") {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := h.texts(provider.Workspace(ada(), ""), "a"); len(got) != 2 {
		t.Errorf("another owner has %q", got)
	}
	h.say("s", "key", "I have moved.")
	h.catchUp()
	h.has("key-g2", "I have moved.", "ok")
}

// TestForgetAllBackfilled: what a backfill has told and everything's forgetting took away is not told
// again when a place is told anew.
func TestForgetAllBackfilled(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "key", "I live in Zanzibar.")
	if _, err := h.manager.Backfill(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	if _, err := h.manager.ForgetAll(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	h.say("s", "key", "I like tea. I like cake.")
	h.catchUp()
	if !h.holds("cake") || h.holds("Zanzibar") {
		t.Fatal("what was said since is told, and nothing else")
	}
	h.forget("tea")
	h.catchUp()
	if h.holds("Zanzibar") || h.holds("tea") {
		t.Error("the provider was told again what it had to forget")
	}
}

// TestForgetWrongPath: P2. A server that answers 404 to everything has deleted nothing. The debt stays,
// and is paid once the provider is back.
func TestForgetWrongPath(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"detail":"Not Found"}`, "<html>404 Not Found</html>"} {
		h := build(t, nil)
		h.say("s", "key", "I like tea.")
		h.catchUp()
		h.honcho.Always(&providertest.Fault{Status: http.StatusNotFound, Body: body})
		checks, err := h.manager.Test(t.Context(), owner.Local())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Problem == "" {
				t.Errorf("%s: the test says that %s works", body, c.Step)
			}
		}
		passed, err := h.manager.ForgetAll(t.Context(), owner.Local())
		if err != nil || passed.Confirmed != 0 || len(passed.Left) != 1 {
			t.Errorf("%s: got %+v, %v, want nothing confirmed", body, passed, err)
		}
		h.has("key", "I like tea.", "ok")
		h.honcho.Always(nil)
		h.catchUp()
		h.has("key")
		if status, err := h.manager.Status(t.Context(), owner.Local()); err != nil || len(status.Owed) != 0 {
			t.Errorf("%s: got %+v, %v, want the debt paid", body, status, err)
		}
	}
}

// TestForgetAllUntold: what was said before everything was forgotten, and was yet to be told, is not
// told afterwards.
func TestForgetAllUntold(t *testing.T) {
	t.Parallel()
	h := build(t, nil)
	h.say("s", "key", "I live in Zanzibar.")
	h.catchUp()
	h.say("t", "key", "I like cake.")
	if _, err := h.manager.ForgetAll(t.Context(), owner.Local()); err != nil {
		t.Fatal(err)
	}
	h.catchUp()
	if h.holds("") {
		t.Error("the provider was told what had been said before")
	}
	h.say("t", "key", "I like tea.")
	h.catchUp()
	h.has("key-g2", "I like tea.", "ok")
}

// beforeName does something once before a place is given its name.
type beforeName struct {
	provider.Names
	do func()
}

func (b *beforeName) TakeProviderName(
	ctx context.Context, o owner.Owner, to string, s provider.Source, names func(int) []string,
) (string, error) {
	if do := b.do; do != nil {
		b.do = nil
		do()
	}
	return b.Names.TakeProviderName(ctx, o, to, s, names)
}

// TestForgetAllMeanwhile: a telling that has read what it is to tell, while everything is forgotten,
// tells nothing of it.
func TestForgetAllMeanwhile(t *testing.T) {
	t.Parallel()
	var names beforeName
	h := build(t, func(p *provider.Parts) { names.Names, p.Names = p.Names, &names })
	h.say("s", "key", "I live in Zanzibar.")
	h.catchUp()
	h.say("s", "key", "I like cake.")
	names.do = func() {
		if _, err := h.db.OweAll(t.Context(), owner.Local(), "honcho@test"); err != nil {
			t.Error(err)
		}
	}
	h.catchUp()
	h.catchUp()
	if h.holds("") {
		t.Error("the provider was told what had been said before")
	}
	h.say("s", "key", "I like tea.")
	h.catchUp()
	if !h.holds("I like tea.") || h.holds("cake") {
		t.Error("what was said since is told, and nothing else")
	}
}
