package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

// markKey names a message that people see marks at, or a chat in which they see the bot typing.
type markKey struct {
	bot     *Bot
	at      Place
	message MessageID // "" for typing
}

// sign is a mark of a message.
type sign struct {
	message MessageID
	mark    Mark
}

// worthShowing is how long a message must be worked on for that to be shown at it. For less, a mark would flicker, and
// cost two requests.
const worthShowing = 300 * time.Millisecond

// marking are the marks that are to be shown. The marks of one message are shown one after the other, as typing in one
// chat is: requests that are under way together can be done by the platform in any order, and one can be made while
// the answer to the other asks to wait.
type marking struct {
	mu sync.Mutex
	by map[markKey]marks // no entry where no mark is to be shown, and none is being shown
}

// marks are those of one message, or of one chat.
type marks struct {
	next []sign // none or one
	bare bool   // nothing was shown at the message so far, so that nothing need be taken away
}

func newMarking() marking { return marking{by: make(map[markKey]marks)} }

// add notes the mark to be shown next. One that was noted before, and is not being shown, is dropped. bare says that the
// message has no mark. It reports whether the caller must see to the marks.
func (k *marking) add(key markKey, next sign, bare bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, busy := k.by[key]
	if !busy {
		m.bare = bare
	}
	m.next = []sign{next}
	if m.bare && next.mark == Clear {
		m.next = nil
	}
	k.by[key] = m
	return !busy
}

// next takes the next mark; false if there is none, which ends the showing.
func (k *marking) next(key markKey) (sign, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.by[key].next
	if len(list) == 0 {
		delete(k.by, key)
		return sign{}, false
	}
	k.by[key] = marks{}
	return list[0], true
}

// signal shows people what becomes of a message. It never waits for the platform.
func (g *Gateway) signal(ctx context.Context, bot *Bot, at Place, m MessageID, mark Mark) {
	switch {
	case !g.marks(bot, m, mark):
	case mark == Typing:
		g.signalAfter(markKey{bot, at, ""}, sign{m, mark}, time.Time{})
	default:
		g.signalAfter(markKey{bot, at, m}, sign{m, mark}, time.Time{})
	}
}

// signalWorks shows people that a batch is being answered, at its newest message. marked says that the message has a
// mark. So may one whose turn began before.
func (g *Gateway) signalWorks(bot *Bot, at Place, b *batch, marked bool) {
	m := b.events[len(b.events)-1].Message
	if !g.marks(bot, m, Works) {
		return
	}
	var after time.Time
	if b.fresh && !marked {
		after = g.now().Add(worthShowing)
	}
	g.signalAfter(markKey{bot, at, m}, sign{m, Works}, after)
}

// signalAfter shows a mark after a time, unless another one is to be shown by then; at once for the zero time. A
// message whose mark is shown later has none.
func (g *Gateway) signalAfter(key markKey, next sign, after time.Time) {
	if !g.marking.add(key, next, !after.IsZero()) {
		return // who shows the mark before shows this one, too
	}
	g.lanes.aside(func(ctx context.Context) {
		if !after.IsZero() {
			claim.NewBell(g.now).Sleep(ctx, after)
		}
		for s, ok := g.marking.next(key); ok; s, ok = g.marking.next(key) {
			g.show(ctx, key.bot, key.at, s)
		}
	})
}

// show shows one mark.
func (g *Gateway) show(ctx context.Context, bot *Bot, at Place, s sign) {
	const patience = 10 * time.Second
	if g.dropped(ctx, at, s.mark) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := bot.Adapter.Signal(ctx, at, s.message, s.mark); err != nil && !errors.Is(err, context.Canceled) {
		g.log.Debug("a mark could not be shown", "platform", at.Platform, "err", err)
	}
}

// marks reports whether a mark is shown at all: a bridge shows none, and the settings may want no
// reactions.
func (g *Gateway) marks(bot *Bot, m MessageID, mark Mark) bool {
	return !bot.Fetched && (mark == Typing || g.settings.Reactions && m != "")
}

// dropped waits while a chat is sent something, or rests, and reports whether a mark is not to be shown then: while a
// chat rests, one that says only what goes on.
func (g *Gateway) dropped(ctx context.Context, at Place, mark Mark) bool {
	g.busy.wait(ctx, whole(at), markPatience)
	until := g.pace.resting(at)
	if until.IsZero() {
		return false
	}
	if mark != Broke && mark != Clear {
		return true
	}
	claim.NewBell(g.now).Sleep(ctx, until)
	return ctx.Err() != nil
}
