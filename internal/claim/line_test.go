package claim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/claim"
)

// enter takes a free permit.
func enter(t *testing.T, l *claim.Line, v claim.Visitor) claim.Permit {
	t.Helper()
	in, _ := l.Load()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, err := l.Enter(ctx, v)
	if err != nil {
		t.Fatalf("%+v, with %d in: got %v, want a place at once", v, in, err)
	}
	return p
}

// pass lets time go by, in a bubble.
func pass(d time.Duration) { <-time.After(d) }

// outcome is why there was no permit; "" if there was one.
func outcome(t *testing.T, err error) claim.Outcome {
	t.Helper()
	r, ok := errors.AsType[*claim.Refusal](err)
	if err != nil && !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	if !ok {
		return ""
	}
	if r.Again < time.Second || r.Again > 3*time.Second || r.Again%time.Second != 0 {
		t.Errorf("got %v to wait, want a few whole seconds", r.Again)
	}
	return r.Outcome
}

// empty fails if a visitor is in or waits.
func empty(t *testing.T, l *claim.Line) {
	t.Helper()
	if in, waiting := l.Load(); in != 0 || waiting != 0 {
		t.Errorf("at the end %d are in and %d wait, want none", in, waiting)
	}
}

func TestLineShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		places int
		owners string // who comes, as often as they are let in, one after the other
		want   []int
	}{
		{64, "a", []int{48}},
		{64, "ab", []int{48, 12}},
		{64, "abc", []int{48, 12, 3}},
		{1, "ab", []int{1, 0}},
		{2, "a", []int{2}},
		{3, "a", []int{3}},
		{4, "ab", []int{3, 1}},
		{2048, "a", []int{1536}},
		{0, "a", []int{5000}}, // no bound: as many as are tried
	} {
		l := claim.NewLine(claim.LineOptions{Permits: c.places})
		var got []int
		for _, o := range c.owners {
			n := 0
			for range 5000 {
				if _, err := l.Enter(t.Context(), claim.Visitor{Owner: string(o)}); outcome(t, err) != "" {
					break
				}
				n++
			}
			got = append(got, n)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d places for %q: got (+), want (-):\n%s", c.places, c.owners, diff)
		}
	}
}

func TestLineOfKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := claim.NewLine(claim.LineOptions{Permits: 100, Room: 4, Patience: 2 * time.Second})
		one := claim.Visitor{Owner: "alice", Key: "one", Most: 2}
		first, second := enter(t, l, one), enter(t, l, one)
		third := enter(t, l, claim.Visitor{Owner: "alice", Key: "other"}) // another key of hers has its own limit
		began := time.Now()
		_, err := l.Enter(t.Context(), one)
		if got := outcome(t, err); got != claim.KeyFull || time.Since(began) != 2*time.Second {
			t.Errorf("got %q after %v, want the key full after 2 s", got, time.Since(began))
		}
		time.AfterFunc(time.Second, first.Leave)
		began = time.Now()
		fourth, err := l.Enter(t.Context(), one)
		if got := outcome(t, err); got != "" || time.Since(began) != time.Second {
			t.Errorf("got %q after %v, want a place after 1 s", got, time.Since(began))
		}
		for _, p := range []claim.Permit{second, third, fourth} {
			p.Leave()
		}
		claim.Permit{}.Leave()
		empty(t, l)
	})
}

// TestLineOrder fills the only place and lets others queue: they are let in owner
// by owner, and key by key, each in the order of coming.
func TestLineOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := claim.NewLine(claim.LineOptions{Permits: 1, Room: 100, Patience: time.Hour})
		held := enter(t, l, claim.Visitor{Owner: "x"})
		var order []string
		for _, name := range strings.Fields("a1 a1 a1 a2 b1 a1 c1 b1 a2") {
			go func() {
				p, err := l.Enter(t.Context(), claim.Visitor{Owner: name[:1], Key: name})
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name) // one at a time is in
				p.Leave()
			}()
			synctest.Wait()
		}
		held.Leave()
		synctest.Wait()
		if got, want := strings.Join(order, " "), "a1 b1 c1 a2 b1 a1 a2 a1 a1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		empty(t, l)
	})
}

func TestLineRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		var mu sync.Mutex
		l := claim.NewLine(claim.LineOptions{Permits: 1, Room: 4, Patience: 2 * time.Second, Observe: func(waited time.Duration, o claim.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprint(o, " ", waited))
		}})
		held := enter(t, l, claim.Visitor{Owner: "x"})
		for range 3 {
			go func() {
				_, err := l.Enter(t.Context(), claim.Visitor{Owner: "flood"})
				if got := outcome(t, err); got != claim.TooLong {
					t.Errorf("got %q, want too long", got)
				}
			}()
		}
		synctest.Wait()
		_, err := l.Enter(t.Context(), claim.Visitor{Owner: "flood"})
		if got := outcome(t, err); got != claim.NoRoom {
			t.Errorf("a fourth of the flood: got %q, want no room", got)
		}
		// There is room for another owner, and always for one who is patient.
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		go func() {
			if _, err := l.Enter(ctx, claim.Visitor{Owner: "quiet"}); !errors.Is(err, gone) {
				t.Errorf("got %v, want the cause", err)
			}
		}()
		patient := make(chan claim.Permit)
		go func() {
			p, err := l.Enter(t.Context(), claim.Visitor{Owner: "flood", Patient: true})
			if err != nil {
				t.Error(err)
			}
			patient <- p
		}()
		synctest.Wait()
		if in, waiting := l.Load(); in != 1 || waiting != 5 {
			t.Errorf("got %d in and %d waiting, want 1 and 5", in, waiting)
		}
		pass(time.Second)
		cancel(gone)
		pass(time.Minute)
		held.Leave()
		(<-patient).Leave()
		empty(t, l)
		synctest.Wait()
		slices.Sort(seen)
		want := []string{"left 1s", "let_in 1m1s", "no_room 0s", "too_long 2s", "too_long 2s", "too_long 2s"}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("observed: got (+), want (-):\n%s", diff)
		}
	})
}

// TestLineFair lets one owner flood the line, with more than there is room
// for and turns of a second, and another come twice a second: every turn of the
// quiet one gets its place, and soon.
func TestLineFair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		floods int
		wait   time.Duration // the longest
	}{{1, 0}, {5, time.Second}, {7, time.Second}} {
		floods := c.floods
		t.Run(fmt.Sprint(floods, " floods"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := claim.NewLine(claim.LineOptions{Permits: 8, Room: 64, Patience: 2 * time.Second})
				ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
				defer stop()
				for i := range floods {
					for range 100 / floods {
						go func() {
							for ctx.Err() == nil {
								p, err := l.Enter(ctx, claim.Visitor{Owner: fmt.Sprint("flood", i)})
								if err != nil {
									pass(400 * time.Millisecond) // it does not heed what it is told
									continue
								}
								pass(time.Second)
								p.Leave()
							}
						}()
					}
				}
				pass(5 * time.Second)
				var longest time.Duration
				for range 60 {
					began := time.Now()
					p, err := l.Enter(ctx, claim.Visitor{Owner: "quiet"})
					if err != nil {
						t.Errorf("after %v: the quiet owner was sent away: %v", time.Since(began), err)
						break
					}
					longest = max(longest, time.Since(began))
					time.AfterFunc(300*time.Millisecond, p.Leave)
					pass(500 * time.Millisecond)
				}
				if longest > c.wait {
					t.Errorf("the quiet owner waited %v, want %v at most", longest, c.wait)
				}
				<-ctx.Done()
				pass(time.Minute)
				empty(t, l)
			})
		})
	}
}

// TestLineRoomForAll fills the room by many owners, none of which has more than
// its share: one who comes then may wait all the same, but only once.
func TestLineRoomForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, room := range []int{0, 8} {
			l := claim.NewLine(claim.LineOptions{Permits: 1, Room: room, Patience: time.Second})
			held := enter(t, l, claim.Visitor{Owner: "x"})
			got := make(map[claim.Outcome]int)
			var mu sync.Mutex
			for range 3 {
				for i := range 50 {
					go func() {
						_, err := l.Enter(t.Context(), claim.Visitor{Owner: fmt.Sprint(i)})
						mu.Lock()
						defer mu.Unlock()
						got[outcome(t, err)]++
					}()
				}
				synctest.Wait()
			}
			pass(time.Minute)
			synctest.Wait()
			want := map[claim.Outcome]int{claim.NoRoom: 150}
			if room > 0 {
				want = map[claim.Outcome]int{claim.NoRoom: 100, claim.TooLong: 50}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("room for %d: got (+), want (-):\n%s", room, diff)
			}
			held.Leave()
			empty(t, l)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	l := claim.NewLine(claim.LineOptions{Permits: 1 << 20, Room: 10, Patience: time.Second})
	v := claim.Visitor{Owner: "alice", Key: "0123456789ab", Most: 1 << 20}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p, err := l.Enter(b.Context(), v)
			if err != nil {
				b.Fatal(err)
			}
			p.Leave()
		}
	})
}
