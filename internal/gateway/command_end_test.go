package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestSignsBehindACommand: signs that end a sentence do not make talk of a command that stands alone. Behind other words, behind a
// command with an argument, and in a question they are what they are.
func TestSignsBehindACommand(t *testing.T) {
	t.Parallel()
	const none, began = "Nothing is under way.", "Nothing has been said in this session yet."
	for text, answer := range map[string]string{
		"/stop!": none, "/stop.": none, " /stop!!! ": none, "/STOP…": none, "!stop!": none,
		"/stop,": none, "/stop;\n": none, "/stop:": none, "/stop！": none, "/stop。": none,
		"/stop@hermes!": none, "/new,": began, "/new.": began, "/status.": began,
		"/stop?": "You said: /stop?", "/stop!?": "You said: /stop!?", "/new, please": "You said: /new, please",
		"/stpo!": "You said: /stpo!", "/stat!": "You said: /stat!",
		"/etc/hosts.": "You said: /etc/hosts.", "!": "You said: !", "/.": "You said: /.", "!wow!": "You said: !wow!", "stop!": "You said: stop!",
		"/title Tea!": began, "/new .": "takes nothing behind it",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				defer h.end()
				h.receive(h.dm(ada, text))
				h.settled()
				if said := strings.Join(h.wire.said(), "\n"); !strings.Contains(said, answer) {
					t.Errorf("got %q, want %q", said, answer)
				}
				want(t, "a command", h.newest().State == gateway.Commanded, !strings.HasPrefix(answer, "You said"))
			})
		})
	}
}
