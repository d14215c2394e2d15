package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// rates are the rate limiters of keys, in requests a minute. A key that was idle for a
// minute may make all of them at once.
type rates struct {
	mu sync.Mutex
	by map[string]*rate.Limiter
}

// manyRates is the number of limiters from which unused ones are removed.
const manyRates = 1024

// allowance is what the limiter of a key permits.
type allowance struct {
	ok        bool
	limit     int
	remaining int
	reset     time.Duration // until the limiter is full
	wait      time.Duration // until the next request is permitted
}

// take counts one request of a key.
func (t *rates) take(now time.Time, key string, limit int) allowance {
	t.mu.Lock()
	defer t.mu.Unlock()
	perSecond := rate.Limit(float64(limit) / 60)
	l := t.by[key]
	switch {
	case l == nil:
		t.letGo(now)
		l = rate.NewLimiter(perSecond, limit)
		t.by[key] = l
	case l.Burst() != limit: // the limit was changed
		l.SetLimitAt(now, perSecond)
		l.SetBurstAt(now, limit)
	}
	a := allowance{ok: l.AllowN(now, 1), limit: limit}
	tokens := min(l.TokensAt(now), float64(limit)) // a lowered limit may leave more
	a.remaining = int(tokens)
	a.reset = seconds((float64(limit) - tokens) / float64(perSecond))
	if !a.ok {
		a.wait = seconds((1 - tokens) / float64(perSecond))
	}
	return a
}

// letGo removes limiters that are full, to make room for another key.
func (t *rates) letGo(now time.Time) {
	if t.by == nil {
		t.by = make(map[string]*rate.Limiter)
	}
	if len(t.by) < manyRates {
		return
	}
	for key, l := range t.by {
		if l.TokensAt(now) >= float64(l.Burst()) {
			delete(t.by, key)
		}
	}
}

// seconds is a duration in milliseconds, for headers.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}

// limitRate refuses a request that exceeds the rate limit of its key. Every answer
// tells the remaining requests in the headers of OpenAI's API. An inner request is not
// counted, because its outer request was.
func (s *server) limitRate(w http.ResponseWriter, rt route, o owner.Owner) error {
	limit := o.Limits().RequestsPerMinute
	x, ok := w.(*exchange)
	if limit == 0 || ok && x.inner || rt.scope == owner.Metrics {
		return nil
	}
	a := s.rates.take(s.Now(), o.Key(), limit)
	h := w.Header()
	h.Set("X-Ratelimit-Limit-Requests", strconv.Itoa(a.limit))
	h.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(a.remaining))
	h.Set("X-Ratelimit-Reset-Requests", a.reset.String())
	if a.ok {
		return nil
	}
	if x != nil {
		x.limited = true
	}
	f := fault.New(fault.RateLimited, "rate_limit_exceeded", fmt.Sprintf(
		"This API key may make %d requests a minute. Try again in %s s, or raise the limit: hermes keys edit NAME --rate N",
		a.limit, retryAfter(a.wait)))
	f.RetryAfter = a.wait
	return f
}
