package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// begun are the messages that are stored as Sending together with the end of their turn, before a
// request for them is made. A message that is alone in its chat is spared a transaction and a read by
// that. A crash leaves it as one that may have been sent, and the next server finds out.
type begun struct {
	mu sync.Mutex
	by map[laneKey]handed // of the lanes that send
}

// handed is a message that a lane gets without the store.
type handed struct {
	send    *Send // nil while the message is being stored
	crowded bool  // the lane was asked for other messages meanwhile, and did not send them
}

// clear forgets all messages: another server may have sent them.
func (n *begun) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.by = make(map[laneKey]handed)
}

// expect notes that a message of a lane is being stored. Until that is over, what the lane reads from the
// store may hold the message already.
func (n *begun) expect(key laneKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.by[key] = handed{}
}

// end ends what expect began. The message is nil if the lane finds it in the store.
func (n *begun) end(key laneKey, s *Send) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s == nil {
		delete(n.by, key)
		return
	}
	n.by[key] = handed{s, n.by[key].crowded}
}

// take returns the message of a lane once, and whether other messages wait; nil if there is none.
func (n *begun) take(key laneKey) (s *Send, crowded bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h := n.by[key]
	if h.send != nil {
		delete(n.by, key)
	}
	return h.send, h.crowded
}

// crowd reports whether a message of a lane is being stored, or waits to be taken. It notes that other
// messages may wait behind it.
func (n *begun) crowd(key laneKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, ok := n.by[key]
	if ok {
		h.crowded = true
		n.by[key] = h
	}
	return ok
}

// ready reports whether a message waits to be taken by a lane.
func (n *begun) ready(key laneKey) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.by[key].send != nil
}

// sendSoon has the messages of a chat sent that a settlement has stored.
func (g *Gateway) sendSoon(o owner.Owner, at Place) {
	if g.begun.ready(laneKey{sending, o.ID(), at}) {
		g.lanes.hand(sending, o, at)
		return
	}
	g.lanes.ask(sending, o, at)
}

// settleEvents ends events. If the answer is one message, and no other waits in the chat, the message is
// stored as being sent, and handed to the lane that sends. The caller asks for that lane.
func (g *Gateway) settleEvents(ctx context.Context, o owner.Owner, s *Settlement) error {
	if len(s.Sends) != 1 || s.Sends[0].State != ToSend {
		_, err := g.store.SettleEvents(ctx, o, *s)
		return err
	}
	key, message := laneKey{sending, o.ID(), s.Place}, s.Sends[0]
	s.Begin = g.moment().Add(handTime)
	g.begun.expect(key)
	began, err := g.store.SettleEvents(ctx, o, *s)
	if err != nil || !began {
		g.begun.end(key, nil)
		return err
	}
	message.State, message.Attempts, message.WakeAt = Sending, 1, s.Begin
	g.begun.end(key, &message)
	return nil
}

// handTime is how long a message may take from its storing to its request. The next server counts the time that
// the request may be under way from its end.
const handTime = time.Second

// sendBegun sends a message that is stored as being sent. If it comes too late, or its chat must wait, the
// message is put back.
func (g *Gateway) sendBegun(ctx context.Context, bot *Bot, l *lane, s *Send) error {
	next := g.moment()
	if next.Before(s.WakeAt) {
		s.WakeAt = next
		limits := bot.Adapter.Limits()
		if next = g.pace.turn(paced{s.Place, s.Type, false}, &limits); next.IsZero() {
			return g.request(ctx, bot, l, s)
		}
	}
	s.State, s.Attempts, s.WakeAt = ToSend, 0, next
	return g.mark(ctx, l, s)
}
