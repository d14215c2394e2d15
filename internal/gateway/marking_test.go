package gateway_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
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

// drowsy is a wire that takes its time to show that the bot is typing.
type drowsy struct {
	*wire
	takes      time.Duration
	busy, most atomic.Int32 // requests that are under way, and the most that were under way together
}

func (d *drowsy) Signal(ctx context.Context, at gateway.Place, m gateway.MessageID, mark gateway.Mark) error {
	if mark == gateway.Typing {
		d.most.Store(max(d.most.Load(), d.busy.Add(1)))
		<-time.After(d.takes)
		d.busy.Add(-1)
	}
	return d.wire.Signal(ctx, at, m, mark)
}

// TestTypingOneAfterTheOther: a chat has one request at a time that shows the bot typing, also if turns are over before the
// platform has answered. The newest message is marked as read at the end, as WhatsApp does with the request.
func TestTypingOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &drowsy{takes: 5 * time.Second}
		h := setup(t, func(h *house) { slow.wire, h.adapter = h.wire, slow })
		defer h.end()
		for range 3 {
			h.receive(h.dm(ada, "Hello."))
			pass(1500 * time.Millisecond)
		}
		h.settled()
		pass(20 * time.Second)
		want(t, "requests at once", slow.most.Load(), int32(1))
		want(t, "requests", h.wire.count(gateway.Typing), 2)
	})
}

// count is how often a mark was shown.
func (w *wire) count(mark gateway.Mark) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.marks {
		if m == mark {
			n++
		}
	}
	return n
}

// TestQuickAnswersShowNoMark: a mark that would be taken away at once is not shown.
func TestQuickAnswersShowNoMark(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		takes time.Duration
		fails bool
		want  []gateway.Mark
	}{
		"at once":       {0, false, nil},
		"quick":         {200 * time.Millisecond, false, nil},
		"not so quick":  {400 * time.Millisecond, false, []gateway.Mark{gateway.Works, gateway.Clear}},
		"quick failure": {0, true, []gateway.Mark{gateway.Broke}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.bot.Stream = false
					h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
						<-time.After(tt.takes)
						if !tt.fails {
							say("Hello.")
						}
						return nil
					}
				})
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				h.settled()
				var got []gateway.Mark
				for _, mark := range h.wire.marks {
					if mark != gateway.Typing {
						got = append(got, mark)
					}
				}
				want(t, "marks", got, tt.want)
			})
		})
	}
}

// TestNextServerTakesMarksAway: a server that goes on with a turn shows and takes away its mark, although the turn is
// over at once: the server before may have shown it.
func TestNextServerTakesMarksAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, slow)
		e := h.dm(ada, "Hello.")
		h.receive(e)
		pass(5 * time.Second)
		want(t, "the mark", h.wire.mark(e.Message), gateway.Works)
		h.model.script = nil
		h.end()
		h.begin()
		defer h.end()
		h.settled()
		want(t, "the mark at the end", h.wire.mark(e.Message), gateway.Clear)
	})
}

// flooded is a wire that takes its time to ask for a wait.
type flooded struct {
	*wire
	asked atomic.Int32
}

func (f *flooded) Send(ctx context.Context, o *gateway.Out) (gateway.MessageID, error) {
	if f.asked.Add(1) > 1 {
		return f.wire.Send(ctx, o)
	}
	<-time.After(time.Second)
	return "", &gateway.SendError{Reason: gateway.Limited, After: 30 * time.Second, Text: "slow down"}
}

// TestMarksWaitForMessages: a mark that is due while a message is being sent waits for the answer of the platform, which may
// ask to send nothing for a time.
func TestMarksWaitForMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.adapter = &flooded{wire: h.wire}
			h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
				say("These are more than forty characters, which are shown at once.")
				<-time.After(10 * time.Second)
				return nil
			}
		})
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		pass(8 * time.Second)
		want(t, "marks while the chat rests", h.wire.count(gateway.Works), 0)
		h.settled()
		want(t, "answers", len(h.wire.said()), 1)
	})
}

// TestRestsAreNotShort: a chat rests longer than asked for by some milliseconds: the platform may have begun to count later.
func TestRestsAreNotShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked, sent time.Time
		h := setup(t, func(h *house) {
			h.bot.Stream = false
			h.wire.refuse = func(*gateway.Out) error {
				if asked.IsZero() {
					asked = time.Now()
					return &gateway.SendError{Reason: gateway.Limited, After: 30 * time.Second, Text: "slow down"}
				}
				sent = time.Now()
				return nil
			}
		})
		defer h.end()
		<-time.After(900 * time.Microsecond) // no whole millisecond
		h.receive(h.dm(ada, "Hello."))
		pass(time.Minute)
		h.settled()
		if rested := sent.Sub(asked); rested < 30*time.Second+5*time.Millisecond {
			t.Errorf("the chat rested for %s", rested)
		}
	})
}
