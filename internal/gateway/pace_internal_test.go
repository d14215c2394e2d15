package gateway

import (
	"testing"
	"time"
)

// TestBurst: five messages may follow each other, and then one in six seconds.
func TestBurst(t *testing.T) {
	t.Parallel()
	begun := time.Unix(1_700_000_000, 0)
	now := begun
	p := newPace(func() time.Time { return now })
	l := &Limits{Space: time.Second, Burst: 5, BurstSpace: 6 * time.Second}
	var got []time.Duration
	send := func(n int) {
		for len(got) < n {
			if next := p.turn(Place{Chat: "a"}, DM, l); !next.IsZero() {
				now = next
				continue
			}
			got = append(got, now.Sub(begun)/time.Second)
		}
	}
	send(8)
	for i, want := range []time.Duration{0, 1, 2, 3, 4, 6, 12, 18} {
		if got[i] != want {
			t.Errorf("message %d: got second %d, want %d", i, got[i], want)
		}
	}
	if next := p.turn(Place{Chat: "b"}, DM, l); !next.IsZero() {
		t.Errorf("another chat: got %s, want it at once", next.Sub(now))
	}
	now, begun, got = now.Add(time.Minute), now.Add(time.Minute), nil // all is paid for
	send(5)
	if got[4] != 4 {
		t.Errorf("after a minute: got %d, want five messages in five seconds", got)
	}
}
