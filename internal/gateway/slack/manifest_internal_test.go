package slack

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestCommandNames: a command is named as Slack passes it on: with a prefix if Slack keeps the name for itself, and
// with "!" in a thread.
func TestCommandNames(t *testing.T) {
	t.Parallel()
	var a gateway.Namer = &Adapter{}
	for _, c := range []struct{ name, thread, want string }{
		{"help", "", "/hermes-help"}, {"status", "", "/hermes-status"}, {"retry", "", "/retry"}, {"help", "1.2", "!help"}, {"retry", "1.2", "!retry"},
	} {
		if got := a.CommandName(c.name, gateway.Place{Chat: "C1", Thread: c.thread}, gateway.Channel); got != c.want {
			t.Errorf("%s in the thread %q: got %s, want %s", c.name, c.thread, got, c.want)
		}
	}
}
