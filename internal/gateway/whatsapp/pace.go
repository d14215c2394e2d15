package whatsapp

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
	// maxWaitSeconds bounds what a server can ask to wait.
	maxWaitSeconds = 3600
)

// pace is how long the adapter waits for what.
type pace struct {
	call    time.Duration // a request
	upload  time.Duration // a request with a file
	commit  time.Duration // a commit
	status  time.Duration // the status of a message whose sending broke off
	first   time.Duration // the first wait after a failure; each is twice the one before
	longest time.Duration // the longest of these waits
}

func usualPace() pace {
	return pace{
		call: 30 * time.Second, upload: 3 * time.Minute, commit: 10 * time.Second, status: 20 * time.Second,
		first: time.Second, longest: time.Minute,
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

// The waits after a limit, for which WhatsApp names no time.
const (
	firstWait   = 6 * time.Second
	longestWait = time.Hour
	mostWaits   = 4096 // chats that are remembered
)

// waits are the newest waits of chats that have met a limit, doubled each time.
type waits struct {
	mu sync.Mutex
	by map[string]time.Duration
}

// next is the wait after another limit of a chat. "" is the whole number.
func (w *waits) next(chat string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil || len(w.by) >= mostWaits {
		w.by = make(map[string]time.Duration)
	}
	wait := min(max(firstWait, 2*w.by[chat]), longestWait)
	w.by[chat] = wait
	return wait
}

// over says that a chat, and so the whole number, takes messages again.
func (w *waits) over(chat string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.by, chat)
	delete(w.by, "")
}
