package slack_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
	"github.com/hermes-memory/hermes/internal/recovery"
)

func TestContract(t *testing.T) {
	t.Parallel()
	for name, overHTTP := range map[string]bool{"socket": false, "http": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gatewaytest.Contract(t, func(t *testing.T) *gatewaytest.Rig { return rig(t, overHTTP) })
		})
	}
}

// rig is a fake in the words of the contract.
func rig(t *testing.T, overHTTP bool) *gatewaytest.Rig {
	t.Helper()
	o := gatewaytest.SlackOptions{HTTP: overHTTP, Resend: 200 * time.Millisecond, Ping: 50 * time.Millisecond, ShareAfter: 2}
	if overHTTP {
		o.Retries = slices.Repeat([]time.Duration{20 * time.Millisecond}, 1000)
	}
	s := gatewaytest.NewSlack(t, o)
	return s.Rig(func(t *testing.T, log *slog.Logger) gateway.Adapter {
		return adapter(t, s, overHTTP, func(c *slack.Config) { c.Log = log })
	})
}

// adapter is a hasty adapter for a fake. A test may change its configuration.
func adapter(t *testing.T, s *gatewaytest.Slack, overHTTP bool, changes ...func(*slack.Config)) *slack.Adapter {
	t.Helper()
	c := slack.Config{BotToken: gatewaytest.SlackBotToken, AppToken: gatewaytest.SlackAppToken, APIURL: s.URL(), HTTP: s.Client(t)}
	if overHTTP {
		c.AppToken, c.SigningSecret = "", gatewaytest.SlackSecret
	}
	for _, change := range changes {
		change(&c)
	}
	a, err := slack.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s.Connect(a.Webhooks())
	return a.Hasten()
}

// running is an adapter that runs until the test ends.
type running struct {
	*gatewaytest.Slack
	*slack.Adapter
	ledger   *gatewaytest.Ledger
	stop     func()
	stopping context.Context // ends when the adapter is told to end
}

// awaitStopping waits until the adapter is told to end.
func (r *running) awaitStopping(t *testing.T) {
	t.Helper()
	r.await(t, "the end", func() bool { return r.stopping.Err() != nil })
}

// run runs an adapter at a new fake.
func run(t *testing.T, o gatewaytest.SlackOptions) *running {
	t.Helper()
	return runWith(t, o)
}

// runWith runs an adapter whose configuration a test changes.
func runWith(t *testing.T, o gatewaytest.SlackOptions, changes ...func(*slack.Config)) *running {
	t.Helper()
	s := gatewaytest.NewSlack(t, o)
	return begin(t, s, adapter(t, s, o.HTTP, changes...))
}

// begin runs an adapter.
func begin(t *testing.T, s *gatewaytest.Slack, a *slack.Adapter) *running {
	t.Helper()
	r := &running{Slack: s, Adapter: a, ledger: gatewaytest.NewLedger()}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r.stopping = ctx
	done := recovery.Async(func() error { return r.Run(ctx, r.ledger) })
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run was told to end: got %v", err)
		}
	})
	t.Cleanup(func() {
		r.stop()
		for _, broken := range s.Broken() {
			t.Errorf("Slack was sent what it does not allow: %s", broken)
		}
	})
	return r
}

// event waits for an event.
func (r *running) event(t *testing.T, id string) gateway.Event {
	t.Helper()
	r.ledger.AwaitEvents(t, id)
	return r.ledger.Event(t, id)
}

// timeout is a context that ends after a time.
func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// awaitState waits until the connection has a state.
func (r *running) awaitState(t *testing.T, state string) {
	t.Helper()
	r.await(t, "the state "+state, func() bool { return r.Health().State == state })
}

// await waits until something holds.
func (r *running) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s; the state is %+v", what, r.Health())
		}
	}
}
