package cli

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

// TestPlatformFindings: a bot that cannot receive or cannot send is a failure, with the reason.
func TestPlatformFindings(t *testing.T) {
	t.Parallel()
	refused := "WhatsApp refuses the access token."
	for _, c := range []struct {
		state  string
		reason *string
		level  verdict
		says   string
	}{
		{"connected", nil, fine, "connected; 2 people may write; waiting: 0 messages, 1 answer"},
		{"webhook", nil, fine, "webhook; 2 people may write; waiting: 0 messages, 1 answer"},
		{"webhook", &refused, failing, "webhook: " + refused},
		{"stopped", &refused, failing, "stopped: " + refused},
		{"connecting", nil, failing, "connecting; 2 people may write; waiting: 0 messages, 1 answer"},
	} {
		got := examinePlatforms([]httpapi.PlatformState{{Platform: gateway.WhatsApp, State: c.state, Reason: c.reason, Users: 2, Sends: 1}})
		if len(got) != 1 || got[0].Level != c.level || got[0].Says != c.says || (got[0].Do == "") != (c.level == fine) {
			t.Errorf("%s: got %+v, want %s, saying %q", c.state, got, c.level, c.says)
		}
	}
}
