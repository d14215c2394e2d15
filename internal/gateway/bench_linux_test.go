package gateway_test

import (
	"fmt"
	"runtime"
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

const (
	// benchRate is how many turns begin in a second. Messages of a chat are gathered for 0.8 s, so that the
	// time of a turn says nothing.
	benchRate = 40
	// benchChats are how many chats talk. Each gets a message in two seconds: platforms make a chat wait that
	// gets more than one in a second, which costs processor time of its own.
	benchChats = 2 * benchRate
)

// BenchmarkTurn is the CPU of a turn that a bridge asks for, of one on a platform, of the same turn
// as a run, and of a plain turn as the API takes it. The bar is 1 ms more than the same turn as a run. Turns of
// every kind begin one after the other: their transactions are shared as little, and their caches are as
// cold.
func BenchmarkTurn(b *testing.B) {
	for _, kind := range []struct {
		name string
		turn func(h *house, chat string, n int64) error
	}{{"plain", plainTurn}, {"run", followedTurn}, {"bridge", bridgedTurn}, {"platform", platformTurn}} {
		b.Run(kind.name, func(b *testing.B) {
			h := setup(b, benched)
			defer h.end()
			var left, chat atomic.Int64
			left.Store(int64(b.N))
			next := time.NewTicker(time.Second / benchRate)
			defer next.Stop()
			before := cpu(b)
			var talking sync.WaitGroup
			for range benchChats {
				talking.Go(func() {
					in := fmt.Sprint("c", chat.Add(1))
					for n := left.Add(-1); n >= 0; n = left.Add(-1) {
						<-next.C
						if err := kind.turn(h, in, n); err != nil {
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

// benched prepares a house outside of a bubble whose platform shows answers once they are complete.
func benched(h *house) {
	h.waking, h.bot.Stream = true, false
	shown := make(map[string]chan struct{})
	h.bot.Users = nil
	for n := range benchChats {
		chat := fmt.Sprint("c", n+1)
		shown[chat] = make(chan struct{}, 1)
		h.bot.Users = append(h.bot.Users, chat)
	}
	h.wire.lose = func(o *gateway.Out) error {
		shown[o.Place.Chat] <- struct{}{}
		return nil
	}
	h.shown = shown
}

// plainTurn takes a turn as the API does for a client that reads a stream.
func plainTurn(h *house, chat string, n int64) error {
	stream, err := h.runner.Start(h.t.Context(), turnOf(h, chat, n))
	if err != nil {
		return err
	}
	defer stream.Close()
	for _, err := range stream.Deltas(h.t.Context()) {
		if err != nil {
			return err
		}
	}
	return nil
}

// platformTurn sends a message on a platform, and waits until its answer is shown.
func platformTurn(h *house, chat string, n int64) error {
	err := h.intake().Commit(h.t.Context(), []gateway.Event{{
		ID: fmt.Sprint(n), Kind: gateway.Said, Place: gateway.Place{Chat: chat}, Type: gateway.DM, Addressed: true, Message: gateway.MessageID(fmt.Sprint(n)),
		From: gateway.Sender{ID: chat, Name: "Ada"}, Text: told(chat, n), At: time.Now(),
	}}, "")
	if err == nil {
		<-h.shown[chat]
	}
	return err
}

// intake is what the platform hands events to, once it receives.
func (h *house) intake() gateway.Intake {
	for {
		h.wire.mu.Lock()
		in := h.wire.in
		h.wire.mu.Unlock()
		if in != nil {
			return in
		}
		runtime.Gosched()
	}
}

// turnOf is the same turn as a request.
func turnOf(h *house, chat string, n int64) *run.Request {
	return &run.Request{
		Owner: h.bot.Owner, Session: session.ID(chat), Key: session.Key(chat), Fresh: true, Streaming: true,
		Messages: []session.Message{{Role: session.User, Content: told(chat, n), SaidAt: time.Now()}},
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
	_, err := h.registry.Start(h.t.Context(), h.bot.Owner, live.Spec{ID: id, Kind: live.KindPlatform, OnRestart: live.Retry, Turn: turnOf(h, chat, n)})
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
