package provider

import (
	"testing"
	"testing/synctest"
	"time"
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
			if !b.failed(time.Now(), "It did not answer.", 0) || b.failed(began, "late", 0) {
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
		if b.failed(time.Now(), "again", 0); b.rest != firstRest {
			t.Errorf("after a success: got %v, want %v", b.rest, firstRest)
		}
	})
}
