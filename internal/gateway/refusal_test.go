package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestRefusedText: a text that the platform cannot read in its dialect is sent once more, as
// plain text. One that it cannot read either way is given up.
func TestRefusedText(t *testing.T) {
	t.Parallel()
	for name, plainToo := range map[string]bool{"the dialect": false, "plain text, too": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var tries []bool
				h := setup(t, func(h *house) {
					h.bot.Stream = false
					h.wire.refuse = func(o *gateway.Out) error {
						if tries = append(tries, o.Plain); o.Plain && !plainToo {
							return nil
						}
						return &gateway.SendError{Reason: gateway.Malformed, Text: "cannot be read"}
					}
				})
				defer h.end()
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error { say("Eat *this*."); return nil }
				h.receive(h.dm(ada, "Hello."))
				h.settled()
				want(t, "tries, and whether they are plain", tries, []bool{false, true})
				said := []string{"Eat this."}
				if plainToo {
					said = nil
				}
				want(t, "sent", h.wire.said(), said)
			})
		})
	}
}
