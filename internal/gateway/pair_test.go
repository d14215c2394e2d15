package gateway_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestUnknownPlatforms: a platform that is none is told to whoever pairs, with those that there
// are, and is no wrong code.
func TestUnknownPlatforms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		refused := func(what string, err error) {
			t.Helper()
			if fault.CodeOf(err) != "unknown_platform" || !strings.Contains(fault.MessageOf(err), "telegram, discord, slack, whatsapp") {
				t.Errorf("%s: got %v, want the names of the platforms", what, err)
			}
		}
		for _, name := range []gateway.Platform{"telegramm", "", "matrix"} {
			for range 6 {
				_, err := h.gateway.Approve(t.Context(), h.bot.Owner, name, "ABCDEFGH", "")
				refused("approve", err)
			}
			_, err := h.gateway.Revoke(t.Context(), h.bot.Owner, name, ada)
			refused("revoke", err)
		}
		_, err := h.gateway.People(t.Context(), h.bot.Owner, "telegramm")
		refused("list", err)
		if list, err := h.gateway.People(t.Context(), h.bot.Owner, ""); err != nil || len(list) != 0 {
			t.Errorf("all platforms: got %v, %v", list, err)
		}
		_, err = h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, "ABCDEFGH", "")
		want(t, "a wrong code", fault.CodeOf(err), "pairing_not_found")
	})
}

// TestLockedPairingIsAudited: each try with a code has an entry in the audit, also while pairing is locked.
func TestLockedPairingIsAudited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.audited = true })
		defer h.end()
		for range 7 {
			if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, "ABCDEFGH", ""); err == nil {
				t.Fatal("a code that nobody was sent lets somebody in")
			}
		}
		list, err := h.db.Audit(t.Context(), h.bot.Owner, audit.Filter{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		var outcomes []string
		for i := range list {
			if list[i].Action == "pairing.approve" {
				outcomes = append(outcomes, list[i].Outcome)
			}
		}
		slices.Sort(outcomes)
		want(t, "outcomes", outcomes, []string{"not_found", "not_found", "not_found", "not_found", "not_found", "pairing_locked", "pairing_locked"})
	})
}
