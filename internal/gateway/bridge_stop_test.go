package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestBridgeWaitsWhileStopping: a bridge that waits for an answer when the server is told to stop gets it if the turn
// ends within the grace. Otherwise it is told at once that the server stops, and the next server answers.
func TestBridgeWaitsWhileStopping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		stop, takes time.Duration // since the message came, and since the turn began
		want        string
	}{
		{"within the grace", 2 * time.Second, 2 * time.Second, "It is done."},
		{"behind the grace", 2 * time.Second, 10 * time.Second, ""},
		{"before the turn", 200 * time.Millisecond, time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
						select {
						case <-time.After(c.takes):
							say("It is done.")
							return nil
						case <-ctx.Done():
							return ctx.Err()
						}
					}
				})
				e := h.dm("ina", "Do it.")
				e.Place = gateway.Place{Platform: "matrix", Chat: "a"}
				type outcome struct {
					got gateway.Bridged
					err error
				}
				over := make(chan outcome, 1)
				go func() {
					got, err := h.gateway.Bridge(context.Background(), h.bot.Owner, e, true)
					over <- outcome{got, err}
				}()
				pass(c.stop)
				h.stop()
				select {
				case o := <-over:
					want(t, "the answer", o.got.Answer, c.want)
					if stopping := fault.CodeOf(o.err) == "draining"; stopping == (c.want != "") {
						t.Errorf("got the error %v", o.err)
					}
				case <-time.After(1500 * time.Millisecond):
					t.Error("the bridge still waits after the grace")
				}
				h.end()
				h.begin()
				defer h.end()
				got, err := h.bridge(e.ID, "a", "ina", "Do it.", false)
				if err != nil || got != "It is done." {
					t.Errorf("after a restart got %q, %v", got, err)
				}
			})
		})
	}
}
