package discord

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/disgoorg/disgo/rest"
)

// limiter keeps to the rate limits that Discord tells. It lets no request wait: a request
// that Discord would refuse is refused here, with the time to wait. The library's limiter
// lets requests wait, repeats them, and reads whole seconds only.
type limiter struct {
	now func() time.Time

	mu    sync.Mutex // guards the fields below
	all   time.Time  // no request before
	until map[string]time.Time
}

// maxLimits bounds the routes that are remembered.
const maxLimits = 1000

// waiting is the error of a request that was not made.
type waiting struct {
	after time.Duration
	all   bool
}

func (w *waiting) Error() string { return fmt.Sprintf("rate limit: wait %s", w.after) }

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, until: make(map[string]time.Time)}
}

// MaxRetries is 0: a request is made once.
func (l *limiter) MaxRetries() int { return 0 }

// Close does nothing.
func (l *limiter) Close(context.Context) {}

// Reset forgets all limits.
func (l *limiter) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = time.Time{}
	clear(l.until)
}

// bucketOf names what a limit is for: a route, and the channel or webhook in it.
func bucketOf(e *rest.CompiledEndpoint) string {
	return e.Endpoint.Method + " " + e.Endpoint.Route + " " + e.MajorParams
}

// Wait refuses a request that would be over a limit.
func (l *limiter) Wait(_ context.Context, e *rest.CompiledEndpoint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.all.After(now) && e.Endpoint.BotAuth {
		return &waiting{after: l.all.Sub(now), all: true}
	}
	if u := l.until[bucketOf(e)]; u.After(now) {
		return &waiting{after: u.Sub(now)}
	}
	return nil
}

// Unlock reads the limit from an answer.
func (l *limiter) Unlock(e *rest.CompiledEndpoint, rs *http.Response) error {
	if rs == nil {
		return nil
	}
	var after time.Duration
	refused := rs.StatusCode == http.StatusTooManyRequests
	switch {
	case refused:
		after = seconds(rs.Header, "Retry-After")
	case rs.Header.Get("X-RateLimit-Remaining") == "0":
		after = seconds(rs.Header, "X-RateLimit-Reset-After")
	}
	if after <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if refused && forAll(rs.Header) {
		l.all = now.Add(after)
		return nil
	}
	if len(l.until) >= maxLimits {
		for bucket, u := range l.until {
			if !u.After(now) {
				delete(l.until, bucket)
			}
		}
	}
	l.until[bucketOf(e)] = now.Add(after)
	return nil
}

// forAll reports whether a limit is for all routes: Discord's global one, or that of the
// proxy before Discord, which sends no Via.
func forAll(h http.Header) bool {
	return h.Get("X-RateLimit-Global") != "" || h.Get("Via") == ""
}

// maxWait bounds what is believed of a limit.
const maxWait = time.Hour

// seconds reads a header with seconds.
func seconds(h http.Header, name string) time.Duration {
	s, err := strconv.ParseFloat(h.Get(name), 64)
	if err != nil || !(s > 0) { // NaN is not
		return 0
	}
	return time.Duration(min(s, maxWait.Seconds()) * float64(time.Second))
}
