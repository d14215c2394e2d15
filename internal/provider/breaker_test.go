package provider

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestBreaker: a failure begins a pause of 5 seconds, which doubles up to 10 minutes. Late
// failures of earlier calls do not count.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{now: time.Now}
		if may, _ := b.open(); !may {
			t.Fatal("the provider may not be asked at first")
		}
		began := time.Now()
		for i, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 600, 600} {
			want *= time.Second
			if !b.failed(time.Now(), failure{}, 0) || b.failed(began, failure{}, 0) {
				t.Errorf("failure %d: the pause is not the first failure's", i)
			}
			<-time.After(want - time.Millisecond)
			if may, until := b.open(); may || time.Until(until) != time.Millisecond {
				t.Errorf("failure %d: got open %v, closed until %v", i, may, until)
			}
			<-time.After(time.Millisecond)
			if may, _ := b.open(); !may {
				t.Errorf("failure %d: still closed after %v", i, want)
			}
		}
		b.succeeded()
		if b.failed(time.Now(), failure{}, 0); b.rest != firstRest {
			t.Errorf("after a success: got %v, want %v", b.rest, firstRest)
		}
	})
}

// TestRestOf: a pause is as long as the provider asks, and a minute at least if it may still be at work.
func TestRestOf(t *testing.T) {
	t.Parallel()
	with := func(kind fault.Kind, status int, after time.Duration) error {
		f := fault.New(kind, "", "No.")
		f.Status, f.RetryAfter = status, after
		return fmt.Errorf("tell: %w", f)
	}
	for _, c := range []struct {
		err  error
		want time.Duration
	}{
		{with(fault.Timeout, 0, 0), time.Minute},
		{with(fault.Upstream, 504, 0), time.Minute},
		{with(fault.Upstream, 504, time.Hour), time.Hour},
		{with(fault.Upstream, 500, 0), 0},
		{with(fault.Upstream, 429, 7*time.Second), 7 * time.Second},
		{with(fault.Unavailable, 0, 0), 0},
	} {
		if got := restOf(c.err); got != c.want {
			t.Errorf("%+v: got %v, want %v", c.err, got, c.want)
		}
	}
}
