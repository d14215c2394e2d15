package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// probed is a platform that cannot be asked what became of a message, but whether it answers.
type probed struct {
	*wire
	probe func() error
}

func (p probed) Probe(context.Context) error { return p.probe() }

// TestRepeats: while responses are lost, a message is repeated only once the platform answers, and four times at most. One
// whose connection was refused is tried until it arrives.
func TestRepeats(t *testing.T) {
	t.Parallel()
	lost := &gateway.SendError{Reason: gateway.Unknown, Text: "the connection broke"}
	refused := &gateway.SendError{Reason: gateway.Temporary, Text: "out of reach"}
	for _, c := range []struct {
		name          string
		lose, refuse  time.Duration // how long responses are lost, and then how long connections are refused
		blind, probes bool          // the responses to messages alone are lost; there are probes
		copies        int
		fails         bool
	}{
		{"25 seconds", 25 * time.Second, 0, false, true, 2, false},
		{"an hour", time.Hour, 0, false, true, 2, false},
		{"an hour, then refused", time.Hour, time.Hour, false, true, 2, false},
		{"refused for ten hours", 0, 10 * time.Hour, false, true, 1, false},
		{"a minute, messages alone", time.Minute, 0, true, true, 3, false},
		{"for ever, messages alone", 48 * time.Hour, 0, true, true, 5, true},
		{"a minute, without probes", time.Minute, 0, true, false, 3, false},
		{"for ever, without probes", 48 * time.Hour, 0, true, false, 5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				lossy := func() bool { return time.Since(began) < c.lose }
				h := setup(t, func(h *house) {
					h.bot.Stream = false
					h.wire.lose = func(o *gateway.Out) error {
						if lossy() && strings.Contains(o.Text, "Hello.") {
							return lost
						}
						return nil
					}
					h.wire.refuse = func(*gateway.Out) error {
						if !lossy() && time.Since(began) < c.lose+c.refuse {
							return refused
						}
						return nil
					}
					if c.probes {
						h.adapter = probed{h.wire, func() error {
							if lossy() && !c.blind {
								return lost
							}
							return nil
						}}
					}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				pass(12 * time.Hour)
				h.receive(h.dm(ada, "And?"))
				h.settled()
				said := h.wire.said()
				want(t, "copies", len(said)-1, c.copies)
				want(t, "the next answer", said[len(said)-1], "You said: And?")
				events, err := h.db.ChatEvents(t.Context(), h.bot.Owner, gateway.EventFilter{Limit: 10})
				if err != nil || len(events) != 2 {
					t.Fatalf("got %v, %v", events, err)
				}
				want(t, "failed", events[1].State == gateway.Lost, c.fails)
				want(t, "reason", strings.Contains(events[1].Reason, "without confirming"), c.fails)
			})
		})
	}
}
