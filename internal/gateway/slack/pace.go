package slack

import (
	"context"
	"math/rand/v2"
	"time"
)

// pace are the waits of an adapter.
type pace struct {
	// first and longest bound the wait before another connection, which doubles.
	first, longest time.Duration
	// silence is how long a socket may be without a ping or a message. Slack pings each 10 s.
	silence time.Duration
	// lookup bounds the wait for all names of an event, because Slack waits 3 s for an
	// acknowledgement.
	lookup time.Duration
	// look is the wait before the second look for a message with a file.
	look time.Duration
}

func usualPace() pace {
	return pace{
		first: time.Second, longest: time.Minute, silence: 30 * time.Second, lookup: time.Second, look: 100 * time.Millisecond,
	}
}

// steady is how long a connection must have lasted so that the next failure is the first.
const steady = time.Minute

// backoff counts the waits between connections: each is twice the one before, with jitter.
type backoff struct {
	first, longest, last time.Duration
}

// next is the wait before the next connection.
func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, b.first), b.longest)
	return b.last/2 + rand.N(b.last/2+1)
}

func (b *backoff) reset() { b.last = 0 }

// pause waits, and reports false if ctx ends meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
