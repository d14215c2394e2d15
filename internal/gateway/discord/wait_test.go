package discord

import (
	"net/http"
	"testing"
	"time"

	"github.com/disgoorg/disgo/rest"
)

// TestBackoff: waits grow from one second to a minute, and differ from each other.
func TestBackoff(t *testing.T) {
	t.Parallel()
	bounds := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}
	for range 3 {
		seen := map[time.Duration]bool{}
		b := backoff{least: time.Second, most: longestWait * time.Second}
		for range 2 {
			for i, bound := range bounds {
				bound *= time.Second
				got := b.next()
				if got < bound/2 || got > bound {
					t.Errorf("wait %d: got %s, want between %s and %s", i, got, bound/2, bound)
				}
				seen[got] = true
			}
			b.reset()
		}
		if len(seen) < 10 {
			t.Errorf("got only %d different waits", len(seen))
		}
	}
}

// TestIdentifies: in a day a bot begins less than a thousand sessions.
func TestIdentifies(t *testing.T) {
	t.Parallel()
	l := newLine(&Adapter{cfg: Config{Retry: time.Second}}, &receiver{})
	now, begun := time.Unix(1_800_000_000, 0), 0
	for at := now; at.Before(now.Add(24 * time.Hour)); at = at.Add(time.Second) {
		if l.identifies.AllowN(at, 1) {
			begun++
		}
	}
	if begun < 100 || begun >= 1000 {
		t.Errorf("%d sessions in a day", begun)
	}
}

// TestLimiter: limits are kept by route and channel, and a global one by all routes that
// need the token.
func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	l := newLimiter(func() time.Time { return now })
	answer := func(status int, headers ...string) *http.Response {
		h := http.Header{"Via": {"1.1 google"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h}
	}
	post := func(channel string) *rest.CompiledEndpoint { return rest.CreateMessage.Compile(nil, channel) }
	free := func(want bool, what string, e *rest.CompiledEndpoint) {
		t.Helper()
		if err := l.Wait(t.Context(), e); (err == nil) != want {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := l.Unlock(post("1"), answer(200, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "1.5")); err != nil {
		t.Fatal(err)
	}
	free(false, "the same channel", post("1"))
	free(true, "another channel", post("2"))
	free(true, "another route", rest.SendTyping.Compile(nil, "1"))
	now = now.Add(1500 * time.Millisecond)
	free(true, "after the wait", post("1"))
	for _, text := range []string{"NaN", "-1", "x", "", "-Inf"} {
		_ = l.Unlock(post("1"), answer(429, "Retry-After", text))
		free(true, "a wait of "+text, post("1"))
	}
	_ = l.Unlock(post("1"), answer(429, "Retry-After", "1e300"))
	free(false, "a wait without an end", post("1"))
	now = now.Add(maxWait)
	free(true, "after an hour", post("1"))
	_ = l.Unlock(post("1"), answer(429, "Retry-After", "2", "X-RateLimit-Global", "true"))
	free(false, "another channel", post("2"))
	free(true, "without the token", rest.CreateInteractionResponse.Compile(nil, "1", "x"))
	for i := range 3 * maxLimits {
		now = now.Add(time.Second)
		_ = l.Unlock(rest.CreateMessage.Compile(nil, 100000+i), answer(429, "Retry-After", "1"))
	}
	if n := len(l.until); n > maxLimits {
		t.Errorf("%d routes are remembered", n)
	}
}
