package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// history is a wire whose chats can be read again. A message that is said in it while it is
// not connected is not received.
type history struct {
	*wire
	health gateway.Health
	said   map[gateway.Place][]gateway.Event
	reads  []string
	fails  []error // of the next reads
	most   int     // how many messages a read returns; 0: all
}

func (w *history) Health() gateway.Health {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.health
}

func (w *history) CatchUp(_ context.Context, at gateway.Place, after gateway.MessageID) ([]gateway.Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads = append(w.reads, at.Chat+at.Thread+" after "+string(after))
	if len(w.fails) > 0 {
		err := w.fails[0]
		w.fails = w.fails[1:]
		return nil, err
	}
	list := w.said[at]
	i := slices.IndexFunc(list, func(e gateway.Event) bool { return e.Message == after })
	list = list[i+1:]
	if w.most > 0 {
		list = list[:min(w.most, len(list))]
	}
	return slices.Clone(list), nil
}

// connect changes the state of the connection.
func (w *history) connect(state string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health = gateway.Health{State: state, Since: time.Now()}
}

// read returns what was read since the last call.
func (w *history) read() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.reads = nil }()
	return slices.Clone(w.reads)
}

// say says something in a chat. The gateway receives it if the wire is connected.
func (h *house) say(w *history, e gateway.Event) {
	h.t.Helper()
	at := e.Place
	at.Platform, at.Account = w.name, h.bot.Account
	w.said[at] = append(w.said[at], e)
	if w.Health().State == "connected" {
		h.receive(e)
	}
}

// readable is a house on a platform whose chats can be read again.
func readable(t *testing.T) (*house, *history) {
	t.Helper()
	var w *history
	h := setup(t, func(h *house) {
		h.bot.Chats, h.bot.Stream = []string{"-42"}, false
		w = &history{wire: h.wire, said: make(map[gateway.Place][]gateway.Event)}
		h.adapter = w
		w.connect("connected")
	})
	return h, w
}

// TestCatchUp: what was said during an outage is answered once, also if messages have come
// alive since, and the platform fails at first.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := readable(t)
		defer h.end()
		topic := h.group("1", "Alex", "In a thread.", true)
		topic.Place.Thread = "t"
		h.say(w, h.dm(ada, "One."))
		h.say(w, topic)
		h.say(w, h.group("1", "Alex", "Not for the bot.", false))
		h.settled()
		w.connect("connecting")
		pass(time.Hour)
		h.say(w, h.dm(ada, "Two."))
		pass(time.Second)
		h.say(w, h.dm("666", "A stranger."))
		topic = h.group("1", "Alex", "Again in the thread.", false)
		topic.Place.Thread = "t"
		h.say(w, topic)
		h.say(w, h.group("1", "Alex", "For the bot.", true)) // in a chat in which the bot has answered nobody
		w.fails = []error{
			&gateway.SendError{Reason: gateway.Temporary, Text: "out of order"}, &gateway.SendError{Reason: gateway.Limited, After: time.Minute, Text: "wait"},
		}
		w.read()
		w.most = 1
		w.connect("connected")
		h.say(w, h.dm(ada, "Three."))
		pass(5 * time.Minute)
		h.settled()
		said := h.wire.said()
		slices.Sort(said)
		want(t, "answers", said, []string{
			"You said: Again in the thread.", "You said: In a thread.", "You said: One.", "You said: Three.", "You said: Two.",
		})
		if n := len(w.read()); n < 5 || n > 9 {
			t.Errorf("the platform was asked %d times", n)
		}
		pass(time.Hour)
		want(t, "reads while it is connected", w.read(), []string(nil))
	})
}

// TestCatchUpAtTheStart: what was said while no server was running is answered, unless it is
// too old. Chats in which nobody was active for a week are not read.
func TestCatchUpAtTheStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := readable(t)
		h.say(w, h.group("1", "Alex", "Long ago.", true))
		h.settled()
		pass(6 * 24 * time.Hour)
		h.say(w, h.dm(ada, "One."))
		h.settled()
		h.end()
		w.connect("stopped")
		h.say(w, h.dm(ada, "Two."))
		pass(25 * time.Hour)
		h.say(w, h.dm(ada, "Three."))
		w.read()
		h.begin()
		defer h.end()
		h.settled()
		want(t, "reads before it is connected", w.read(), []string(nil))
		w.connect("connected")
		h.settled()
		want(t, "reads", w.read(), []string{ada + " after in2", ada + " after in4"})
		want(t, "answers", h.wire.said(), []string{"You said: Long ago.", "You said: One.", "You said: Three."})
		ignored, err := h.db.ChatEvents(t.Context(), h.bot.Owner, gateway.EventFilter{State: gateway.Ignored, Limit: 10})
		if err != nil || len(ignored) != 1 || ignored[0].Reason != "too old" || ignored[0].Message != "in3" {
			t.Errorf("ignored: got %+v, %v, want one that is too old", ignored, err)
		}
	})
}

// TestCatchUpIsBounded: the chats that were active last are read.
func TestCatchUpIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, w := readable(t)
		defer h.end()
		h.bot.Chats = nil
		const chats = 210
		for i := range chats {
			e := h.group(ada, "Ada", "/help", true)
			e.Place.Chat = fmt.Sprint("c", i)
			h.receive(e)
			pass(time.Second)
		}
		h.settled()
		w.read()
		w.connect("connecting")
		pass(10 * time.Second)
		w.connect("connected")
		h.settled()
		reads := w.read()
		want(t, "reads", len(reads), 200)
		want(t, "the first", reads[0], "c209 after in210")
	})
}

// TestCatchUpOfWhatIsGone: a chat or a thread that is gone is asked for once, not again and again.
func TestCatchUpOfWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, reason := range map[string]gateway.SendReason{"the chat": gateway.Gone, "its thread": gateway.NoThread} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, w := readable(t)
				defer h.end()
				e := h.group("1", "Alex", "In a thread.", true)
				e.Place.Thread = "t"
				h.say(w, e)
				h.settled()
				w.connect("connecting")
				pass(10 * time.Second)
				w.read()
				w.fails = []error{&gateway.SendError{Reason: reason, Text: "It is gone."}}
				w.connect("connected")
				pass(time.Hour)
				want(t, "reads", len(w.read()), 1)
			})
		})
	}
}
