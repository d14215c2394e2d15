package gatewaytest

import (
	"slices"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

func ackCases() []contractCase {
	return []contractCase{
		{"nothing is acknowledged before it is stored", testAcks},
		{"what was said during a stop comes after it", testRestart},
	}
}

// testAcks: a commit that fails acknowledges nothing, and its events come again.
func testAcks(t *testing.T, b *bench) {
	var mu sync.Mutex
	acked := 0
	if b.OnAck != nil {
		b.OnAck(func(eventID string) {
			mu.Lock()
			defer mu.Unlock()
			if acked++; !b.ledger.Has(eventID) {
				t.Errorf("event %s was acknowledged before it was stored", eventID)
			}
		})
	}
	b.ledger.FailNext(3)
	b.start(t)
	ids := b.dm(t, "one", "two", "three")
	b.ledger.AwaitEvents(t, ids...)
	if _, failed := b.ledger.Commits(); failed != 3 {
		t.Errorf("%d commits failed, want 3", failed)
	}
	if !slices.ContainsFunc(ids, func(id string) bool { return b.ledger.Offered(id) > 1 }) {
		t.Error("no event came again")
	}
	// The acknowledgement of one event may only be seen together with the next one.
	b.ledger.AwaitEvents(t, b.dm(t, "four", "five")...)
	b.stop(t)
	mu.Lock()
	defer mu.Unlock()
	if b.OnAck != nil && acked == 0 {
		t.Error("nothing was acknowledged")
	}
}

func testRestart(t *testing.T, b *bench) {
	b.start(t)
	before := b.dm(t, "one", "two")
	b.ledger.AwaitEvents(t, before...)
	b.stop(t)
	away := b.dm(t, "three", "four")
	b.start(t)
	b.ledger.AwaitEvents(t, away...)
	b.ledger.AwaitEvents(t, b.dm(t, "five")...)
	var texts []string
	for _, e := range b.ledger.Events() {
		if e.Kind == gateway.Said {
			texts = append(texts, e.Text)
		}
	}
	if want := []string{"one", "two", "three", "four", "five"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}
