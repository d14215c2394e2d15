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
			if next := p.turn(paced{at: Place{Chat: "a"}, kind: DM}, l); !next.IsZero() {
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
	if next := p.turn(paced{at: Place{Chat: "b"}, kind: DM}, l); !next.IsZero() {
		t.Errorf("another chat: got %s, want it at once", next.Sub(now))
	}
	now, begun, got = now.Add(time.Minute), now.Add(time.Minute), nil // all is paid for
	send(5)
	if got[4] != 4 {
		t.Errorf("after a minute: got %d, want five messages in five seconds", got)
	}
}

// TestBurstOfSlowRequests: a burst counts from the end of a request, because the platform counts
// from when the request came.
func TestBurstOfSlowRequests(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := newPace(func() time.Time { return now })
	l := &Limits{Space: time.Second, Burst: 5, BurstSpace: 6 * time.Second}
	message := paced{at: Place{Chat: "a"}, kind: DM}
	var came []time.Time
	for i := range 8 {
		for next := p.turn(message, l); !next.IsZero(); next = p.turn(message, l) {
			now = next
		}
		if i == 0 {
			now = now.Add(900 * time.Millisecond) // the first one was on its way for long
		}
		came = append(came, now)
		p.over(message, l)
	}
	due := came[0]
	for i, at := range came {
		if due.Before(at) {
			due = at
		}
		if early := due.Add(-4 * l.BurstSpace).Sub(at); early > 0 {
			t.Errorf("message %d came %s too early", i, early)
		}
		due = due.Add(l.BurstSpace)
	}
}

// TestEditsApart: where a platform counts edits apart, a message waits for messages and an edit
// for edits. Both wait while the chat rests.
func TestEditsApart(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	message, edit := paced{at: Place{Chat: "a", Thread: "1"}, kind: DM}, paced{at: Place{Chat: "a"}, kind: DM, edit: true}
	for _, apart := range []bool{true, false} {
		p := newPace(func() time.Time { return now })
		l := &Limits{Space: time.Second, EditsApart: apart}
		waits := func(w paced) bool { return !p.turn(w, l).IsZero() }
		if waits(message) {
			t.Error("the first message waits")
		}
		if waits(edit) == apart {
			t.Errorf("edits apart %v: an edit waits for a message: %v", apart, !apart)
		}
		if !waits(message) || !waits(edit) {
			t.Error("a second message or edit follows at once")
		}
		now = now.Add(time.Second)
		p.rest(Rest{Place: message.at, Until: now.Add(time.Minute)})
		if !waits(message) || !waits(edit) {
			t.Error("the chat does not rest")
		}
		now = now.Add(time.Minute)
		if waits(message) {
			t.Error("the rest does not end")
		}
	}
}
