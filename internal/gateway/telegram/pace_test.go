package telegram

import (
	"testing"
	"time"
)

// TestPace: waits grow from one second to a minute, and differ from each other.
func TestPace(t *testing.T) {
	t.Parallel()
	p := usualPace()
	for failures, most := range map[int]time.Duration{0: time.Second, 1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, 1000: time.Minute} {
		seen := map[time.Duration]bool{}
		for range 50 {
			got := p.after(failures)
			if got < most/2 || got > most {
				t.Errorf("after %d failures: got %s, want between %s and %s", failures, got, most/2, most)
			}
			seen[got] = true
		}
		if len(seen) < 10 {
			t.Errorf("after %d failures: got only %d different waits of 50", failures, len(seen))
		}
	}
}
