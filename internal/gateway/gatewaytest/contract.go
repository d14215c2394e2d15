package gatewaytest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// Contract is what every adapter must do. Each case has its own fake.
func Contract(t *testing.T, h Harness) {
	t.Helper()
	lists := [][]contractCase{receiveCases(), ackCases(), sendCases(), fileCases(), refusalCases()}
	for _, cases := range lists {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, newBench(t, h(t)))
			})
		}
	}
}

// contractCase is one case of the contract.
type contractCase struct {
	name string
	run  func(t *testing.T, b *bench)
}

// bench is a rig with an adapter that runs.
type bench struct {
	*Rig
	ledger  *Ledger
	adapter gateway.Adapter
	log     *safeBuffer
	stop    func(t *testing.T)
}

// newBench begins to run an adapter. At the end of the test it looks at what was logged.
func newBench(t *testing.T, r *Rig) *bench {
	t.Helper()
	b := &bench{Rig: r, ledger: NewLedger(), log: &safeBuffer{}, stop: func(*testing.T) {}}
	t.Cleanup(func() {
		b.stop(t)
		b.noSecret(t, "the log", b.log.String())
		if t.Failed() {
			t.Logf("the log:\n%s", b.log.String())
		}
		for _, broken := range r.Broken() {
			t.Errorf("the platform was sent what it does not allow: %s", broken)
		}
	})
	return b
}

// start runs a new adapter.
func (b *bench) start(t *testing.T) {
	t.Helper()
	b.adapter = b.Adapter(t, slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := recovery.Async(func() error { return b.adapter.Run(ctx, b.ledger) })
	b.stop = func(t *testing.T) {
		t.Helper()
		b.stop = func(*testing.T) {}
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run was told to end: got %v, want no error", err)
			}
		case <-time.After(patience):
			t.Error("Run does not end")
		}
	}
}

// say emits a message of a person.
func (b *bench) say(t *testing.T, a Act) string {
	t.Helper()
	a.Kind = gateway.Said
	id, _ := b.Emit(t, a)
	return id
}

// dm emits messages of alice to the bot, and returns the ids of their events.
func (b *bench) dm(t *testing.T, texts ...string) []string {
	t.Helper()
	var ids []string
	for _, text := range texts {
		ids = append(ids, b.say(t, Act{Type: gateway.DM, Chat: "alice", Name: "alice", Text: text}))
	}
	return ids
}

// chat emits a message, and returns its event as the adapter gave it.
func (b *bench) chat(t *testing.T, a Act) gateway.Event {
	t.Helper()
	id := b.say(t, a)
	b.ledger.AwaitEvents(t, id)
	return b.ledger.Event(t, id)
}

// noSecret checks that a text holds none of the secrets.
func (b *bench) noSecret(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range b.Secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s holds a secret: %s", what, text)
		}
	}
}

// reason checks that an error of sending is one, and returns it.
func (b *bench) reason(t *testing.T, err error) *gateway.SendError {
	t.Helper()
	failed, ok := errors.AsType[*gateway.SendError](err)
	if !ok {
		t.Fatalf("got %v (%T), want a *SendError", err, err)
	}
	b.noSecret(t, "the error", err.Error())
	b.noSecret(t, "the error's text", failed.Text)
	if failed.Text == "" || strings.Contains(failed.Text, "<") {
		t.Errorf("the text of the error is %q, want words for a person", failed.Text)
	}
	return failed
}

// safeBuffer is a buffer that many can write.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends to the buffer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is what was written.
func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
