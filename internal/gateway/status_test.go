package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestWaitingIsCountedForAllOwners: what waits is counted with the messages of people who have an owner of their own.
func TestWaitingIsCountedForAllOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm("660", "Let me in."))
		h.settled()
		_, code, _ := strings.Cut(h.wire.said()[0], "approve telegram ")
		if _, err := h.gateway.Approve(t.Context(), h.bot.Owner, gateway.Telegram, strings.Trim(code[:8], "`"), "carol"); err != nil {
			t.Fatal(err)
		}
		h.wire.mu.Lock()
		h.wire.refuse = func(*gateway.Out) error { return &gateway.SendError{Reason: gateway.Temporary, Text: "out of order"} }
		h.wire.mu.Unlock()
		h.receive(h.dm("660", "My dog is called Rex."))
		synctest.Wait()
		list, err := h.gateway.Statuses(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("got %+v, %v", list, err)
		}
		want(t, "what waits", list[0].Queues.Events+list[0].Queues.Sends, 1)
		events, err := h.gateway.Events(t.Context(), h.bot.Owner, gateway.EventFilter{State: gateway.Answered, Limit: 10})
		if err != nil || len(events) != 0 {
			t.Errorf("the owner of the bot sees %+v of carol, %v", events, err)
		}
		h.wire.mu.Lock()
		h.wire.refuse = nil
		h.wire.mu.Unlock()
	})
}

// TestFiltersOfEvents: a filter that no event can fit is refused, and the valid ones are named.
func TestFiltersOfEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.overBridge("Hello.")
		for _, c := range []struct {
			filter gateway.EventFilter
			wrong  string
		}{
			{gateway.EventFilter{State: "bogus"}, "waiting, taken, answered, command, ignored, failed"},
			{gateway.EventFilter{State: "Answered"}, "answered"},
			{gateway.EventFilter{Platform: "telegrm"}, "telegram, discord, slack, whatsapp"},
			{gateway.EventFilter{Platform: "Telegram"}, "telegram"},
			{gateway.EventFilter{}, ""}, {gateway.EventFilter{State: gateway.Lost}, ""}, {gateway.EventFilter{Platform: gateway.Slack}, ""},
			{gateway.EventFilter{Platform: "matrix"}, ""},
		} {
			c.filter.Limit = 10
			_, err := h.gateway.Events(t.Context(), h.bot.Owner, c.filter)
			switch {
			case c.wrong == "" && err != nil:
				t.Errorf("%+v: got %v", c.filter, err)
			case c.wrong != "" && (fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("%+v: got %v, want an error that names %q", c.filter, err, c.wrong)
			}
		}
	})
}
