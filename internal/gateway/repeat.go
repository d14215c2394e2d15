package gateway

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// errUnconfirmed is what people are told of a message that was repeated as often as it may be.
const errUnconfirmed = "The platform took the message and its repeats without confirming them. It is not sent again, because it is most likely there."

// repeatAfter is how long a message waits before each repeat, if its platform has given no answer to it and cannot
// be asked what became of it. There are no more repeats than these in the life of a server.
func repeatAfter() []time.Duration {
	return []time.Duration{20 * time.Second, time.Minute, time.Minute, 5 * time.Minute}
}

// Prober is an adapter that can ask whether its platform answers at all. It is for platforms that cannot be asked what
// became of a message: a message is repeated only once the platform answers again.
type Prober interface {
	// Probe makes a request that changes nothing. It fails as Send does.
	Probe(ctx context.Context) error
}

// unconfirmed are the messages that were perhaps taken, on platforms that cannot be asked, by their ids. The next
// server does not know them, and may repeat them once more.
type unconfirmed struct {
	mu sync.Mutex
	by map[string]unanswered
}

// unanswered are the requests for a message that got no answer.
type unanswered struct {
	times int
	last  time.Time
}

func newUnconfirmed() unconfirmed { return unconfirmed{by: make(map[string]unanswered)} }

// add notes that a request for a message got no answer, and returns how many there are.
func (u *unconfirmed) add(id string, now time.Time) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.by, func(_ string, a unanswered) bool { return a.last.Add(giveUpAfter).Before(now) }) // sent or erased since
	times := u.by[id].times + 1
	u.by[id] = unanswered{times, now}
	return times
}

// perhapsSent decides what becomes of a message that the platform has perhaps taken. An edit can be repeated.
func (g *Gateway) perhapsSent(bot *Bot, s *Send, edit bool) {
	now := g.moment()
	s.State, s.WakeAt = Doubtful, now.Add(backoff(s.Attempts))
	if edit {
		s.State = ToEdit
		return
	}
	if _, finds := bot.Adapter.(Finder); finds {
		return
	}
	waits := repeatAfter()
	n := g.unconfirmed.add(s.ID, now)
	if n > len(waits) {
		s.State, s.Error = GaveUp, errUnconfirmed
		return
	}
	s.WakeAt = now.Add(waits[n-1])
}

// silent reports whether a message must not be repeated yet: the platform, which cannot be asked what became of it, does not
// answer at all.
func (g *Gateway) silent(ctx context.Context, bot *Bot, l *lane, s *Send) (bool, error) {
	prober, ok := bot.Adapter.(Prober)
	if !ok || s.State != Doubtful {
		return false, nil
	}
	timed, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := prober.Probe(timed)
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	if answers(err) {
		return false, nil
	}
	return true, g.undecided(ctx, l, s, err)
}

// answers reports whether the platform has answered a probe: also a refusal is an answer.
func answers(err error) bool {
	failed, ok := errors.AsType[*SendError](err)
	if !ok {
		return err == nil
	}
	return !slices.Contains([]SendReason{Temporary, Limited, Unknown}, failed.Reason)
}
