package gateway_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// tardy is a wire that takes its time to set a mark, and takes marks away at once.
type tardy struct {
	*wire
	takes time.Duration

	marking sync.Mutex
	busy    map[gateway.MessageID]int
	most    int // requests for one message that were under way together
}

func (d *tardy) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	if mark == gateway.Typing {
		return nil
	}
	d.begun(m, 1)
	defer d.begun(m, -1)
	if mark != gateway.Clear {
		<-time.After(d.takes)
	}
	return d.wire.Signal(ctx, at, m, mark)
}

func (d *tardy) begun(m gateway.MessageID, n int) {
	d.marking.Lock()
	defer d.marking.Unlock()
	if d.busy == nil {
		d.busy = make(map[gateway.MessageID]int)
	}
	d.busy[m] += n
	d.most = max(d.most, d.busy[m])
}

// TestMarksInOrder: the mark of a message is taken away behind the request that sets it, also if the
// answer was there before. A mark that is no longer true when its turn comes is not set.
func TestMarksInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &tardy{takes: 3 * time.Second}
		h := setup(t, func(h *house) {
			slow.wire, h.adapter = h.wire, slow
			h.model.script = slowly(2) // the second message waits, and its turn is over, while its first mark is set
		})
		defer h.end()
		first, second := h.dm(ada, "One."), h.dm(ada, "Two.")
		h.receive(first)
		pass(1500 * time.Millisecond)
		h.receive(second)
		h.settled()
		want(t, "mark", h.wire.mark(first.Message), gateway.Clear)
		want(t, "mark", h.wire.mark(second.Message), gateway.Clear)
		want(t, "requests at once", slow.most, 1)
		want(t, "marks", h.wire.marks, []gateway.Mark{gateway.Works, gateway.Clear, gateway.Waits, gateway.Clear})
	})
}
