package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// updates is how many updates the tests of acknowledgements push.
const updates = 10_000

// acks counts acknowledgements, and those of updates that are not stored.
type acks struct{ all, early atomic.Int64 }

// watch counts the acknowledgements that a fake sees.
func (a *acks) watch(s *gatewaytest.Telegram, stored func(id string) bool) {
	s.OnAck(func(id string) {
		a.all.Add(1)
		if !stored(id) {
			a.early.Add(1)
		}
	})
}

// push adds messages of ten people, and returns the ids of their updates.
func push(s *gatewaytest.Telegram, n int) []int64 {
	var ids []int64
	for i := range n {
		person := map[string]any{"id": 1 + i%10, "first_name": "Alex"}
		ids = append(ids, s.Push(map[string]any{"message": map[string]any{
			"message_id": i + 2, "date": 1_700_000_000, "chat": map[string]any{"id": 1 + i%10, "type": "private"}, "from": person, "text": fmt.Sprintf("message %d", i),
		}}))
	}
	return ids
}

// run runs an adapter, and returns a function that ends it.
func run(t *testing.T, a *telegram.Adapter, in gateway.Intake) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := recovery.Async(func() error { return a.Run(ctx, in) })
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// TestAcks: at each of 10,000 acknowledgements the event is stored, while commits fail and
// are slow, and while updates come shuffled and repeatedly.
func TestAcks(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	ledger := gatewaytest.NewLedger()
	var acked acks
	acked.watch(s, ledger.Has)
	s.Shuffle(rand.Shuffle)
	ids := push(s, updates)
	commits := 0
	ledger.FailBy(func() error {
		switch commits++; {
		case commits%3 == 0:
			return errors.New("the store refuses")
		case commits%5 == 0:
			<-time.After(time.Millisecond)
		}
		return nil
	})
	repeated := 0
	for range 500 {
		s.Repeat(ids[rand.IntN(len(ids))])
		repeated++
	}
	stop := run(t, adapter(t, s, telegram.Config{}), ledger)
	ledger.Await(t, "all updates are stored", func() bool { return len(ledger.Events()) == updates })
	last := push(s, 1)[0] // its poll acknowledges those before it
	ledger.AwaitEvents(t, fmt.Sprint(last))
	stop()
	all, failed := ledger.Commits()
	t.Logf("%d acknowledgements, %d before the commit; %d commits, %d of them failed; %d updates repeated",
		acked.all.Load(), acked.early.Load(), all, failed, repeated)
	if acked.all.Load() < updates || acked.early.Load() != 0 {
		t.Errorf("got %d acknowledgements, %d before the commit, want at least %d and none", acked.all.Load(), acked.early.Load(), updates)
	}
	if failed == 0 {
		t.Error("no commit failed")
	}
	texts := map[string]bool{}
	for _, e := range ledger.Events() {
		texts[e.Text] = true
	}
	if len(texts) != updates || len(ledger.Events()) != updates+1 {
		t.Errorf("got %d events with %d texts", len(ledger.Events()), len(texts))
	}
}

// TestAcksOfTheLibrary: the fake sees that the library's own poller acknowledges too
// early. This is why the adapter has its own.
func TestAcksOfTheLibrary(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	var acked acks
	acked.watch(s, func(string) bool { return false }) // nothing is ever stored
	push(s, 300)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	library, err := bot.New(s.Token, bot.WithServerURL(s.URL), bot.WithSkipGetMe(), bot.WithNotAsyncHandlers(), bot.WithUpdatesChannelCap(0),
		bot.WithHTTPClient(2*time.Second, s.Client(t)), bot.WithErrorsHandler(func(error) {}),
		bot.WithDefaultHandler(func(ctx context.Context, _ *bot.Bot, _ *models.Update) {
			if acked.early.Load() > 0 {
				cancel()
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	library.Start(ctx)
	t.Logf("%d acknowledgements, %d before the commit", acked.all.Load(), acked.early.Load())
	if acked.early.Load() == 0 {
		t.Error("no acknowledgement came too early")
	}
}
