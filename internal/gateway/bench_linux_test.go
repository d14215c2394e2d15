package gateway_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// BenchmarkTurn is the CPU of a turn that a bridge asks for, and of the same turn as a run. The
// bar of the difference is 1 ms. Messages of a chat are gathered for 0.8 s, so that many chats talk
// at once, and the time of a turn says nothing.
func BenchmarkTurn(b *testing.B) {
	for name, turn := range map[string]func(h *house, chat string, n int64) error{"bridge": bridgedTurn, "run": followedTurn} {
		b.Run(name, func(b *testing.B) {
			h := setup(b, func(h *house) { h.waking = true })
			defer h.end()
			const chats = 40
			var left, chat atomic.Int64
			left.Store(int64(b.N))
			before := cpu(b)
			var talking sync.WaitGroup
			for range chats {
				talking.Go(func() {
					in := fmt.Sprint("c", chat.Add(1))
					for n := left.Add(-1); n >= 0; n = left.Add(-1) {
						if err := turn(h, in, n); err != nil {
							b.Error(err)
						}
					}
				})
			}
			talking.Wait()
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N)/float64(time.Millisecond), "cpu-ms/op")
		})
	}
}

// told is what is said in the turns.
func told(chat string, n int64) string {
	return fmt.Sprintf("In week %d I moved the scheduler %s to Oslo, since the old cluster was slower.", n, chat)
}

// bridgedTurn sends a message over a bridge, and waits for its answer.
func bridgedTurn(h *house, chat string, n int64) error {
	_, err := h.gateway.Bridge(h.t.Context(), h.bot.Owner, gateway.Event{
		ID: fmt.Sprint(n), Place: gateway.Place{Platform: "matrix", Chat: chat}, Type: gateway.DM, From: gateway.Sender{ID: chat, Name: "Ada"},
		Text: told(chat, n), At: time.Now(),
	}, true)
	return err
}

// followedTurn starts a run, and follows it to its end.
func followedTurn(h *house, chat string, n int64) error {
	id := fmt.Sprint("run_", n)
	_, err := h.registry.Start(h.t.Context(), h.bot.Owner, live.Spec{ID: id, Kind: live.KindPlatform, OnRestart: live.Retry, Turn: &run.Request{
		Owner: h.bot.Owner, Session: session.ID(chat), Key: session.Key(chat), Fresh: true, Streaming: true,
		Messages: []session.Message{{Role: session.User, Content: told(chat, n), SaidAt: time.Now()}},
	}})
	if err != nil {
		return err
	}
	for _, err := range h.registry.Follow(h.t.Context(), h.bot.Owner, id, 0, nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

// cpu is the CPU time of the process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
