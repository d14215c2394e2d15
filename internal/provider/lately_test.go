package provider_test

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// slowly is a provider that stores what it is told some minutes later.
type slowly struct{ run.Provider }

func (slowly) StoresWithin() time.Duration { return 10 * time.Minute }

// TestForgetOfASlowProvider: a forgetting is not confirmed while what is to go may still be on its
// way to the provider's store. It is asked again, and confirmed then.
func TestForgetOfASlowProvider(t *testing.T) {
	t.Parallel()
	h := build(t, func(p *provider.Parts) { p.Provider = slowly{p.Provider} })
	h.say("s", "key", "My dentist is Dr. Zanzibar.")
	h.later(20 * time.Minute)
	h.manager.CatchUp(t.Context())
	h.has("key", "My dentist is Dr. Zanzibar.", "ok")
	got := h.forget("Zanzibar").External
	if got == nil || got.Confirmed != 0 || len(got.Left) != 1 || got.Left[0].Why != "The provider may still be storing what it was told a while ago." {
		t.Fatalf("got %+v at once, want it unconfirmed", got)
	}
	h.honcho.Conclude("hermes", "key", "user-key", "goes to Zanzibar")
	h.catchUp()
	if h.holds("Zanzibar") {
		t.Error("the provider still has what it stored late")
	}
	debts, err := h.db.Debts(t.Context(), owner.Local())
	if err != nil || len(debts) > 0 {
		t.Errorf("later: got %+v, %v, want nothing owed", debts, err)
	}
}

// TestForgetAfterARestart: what an earlier process told a slow provider is not known.
func TestForgetAfterARestart(t *testing.T) {
	t.Parallel()
	slow := func(p *provider.Parts) { p.Provider = slowly{p.Provider} }
	h := build(t, slow)
	h.say("s", "key", "My dentist is Dr. Zanzibar.")
	h.later(20 * time.Minute)
	h.manager.CatchUp(t.Context())
	h.restart(slow)
	if got := h.forget("Zanzibar").External; got == nil || len(got.Left) != 1 {
		t.Errorf("just after the start: got %+v, want it unconfirmed", got)
	}
	h.say("t", "other", "My barber is Mr. Aldabra.")
	h.catchUp()
	if got := h.forget("Aldabra").External; got == nil || got.Confirmed != 1 || len(got.Left) > 0 {
		t.Errorf("an hour later: got %+v, want it confirmed", got)
	}
}
