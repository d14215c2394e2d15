package telegram

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
)

// pace is how long the adapter waits for what.
type pace struct {
	poll     time.Duration // a poll without updates ends after it
	dead     time.Duration // a poll without any answer is given up after it
	call     time.Duration // a request of another kind
	upload   time.Duration // a request with a file
	commit   time.Duration // a commit
	first    time.Duration // the first wait after a failure; each is twice the one before
	longest  time.Duration // the longest of these waits
	conflict time.Duration // the wait while another program polls the bot
}

func usualPace() pace {
	return pace{
		poll: 50 * time.Second, dead: 90 * time.Second, call: 30 * time.Second, upload: 3 * time.Minute, commit: 30 * time.Second,
		first: time.Second, longest: time.Minute, conflict: 30 * time.Second,
	}
}

// after is the wait after a number of failures: between half of its value and all of it.
func (p pace) after(failures int) time.Duration {
	wait := p.longest
	if failures < 20 {
		wait = min(p.longest, p.first<<max(0, failures-1))
	}
	return wait/2 + rand.N(wait/2+1)
}

// sleep waits, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
