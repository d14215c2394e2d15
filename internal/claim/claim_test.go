package claim_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/hermes-memory/hermes/internal/claim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPermits(t *testing.T) {
	t.Parallel()
	p := claim.NewPermits(3, 2)
	for i, c := range []struct {
		owner string
		want  bool
	}{{"alice", true}, {"alice", true}, {"alice", false}, {"bob", true}, {"bob", false}, {"carol", false}} {
		if got := p.Take(c.owner); got != c.want {
			t.Errorf("take %d for %s: got %v, want %v", i, c.owner, got, c.want)
		}
	}
	p.Leave("alice")
	if p.Taken() != 2 || !p.Take("carol") || p.Take("alice") {
		t.Error("a place that was given back is not to be had by the next alone")
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		renew func(n int) (bool, error)
		lost  time.Duration // 0: never
	}{
		{"kept", func(int) (bool, error) { return true, nil }, 0},
		{"lost at the second renewal", func(n int) (bool, error) { return n < 2, nil }, 20 * time.Second},
		{"an error is not the loss", func(n int) (bool, error) { return false, errors.New("busy") }, 0},
		{"a panic is not the loss", func(n int) (bool, error) { panic("broken") }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 0
				began := time.Now()
				held, stop := claim.Hold(t.Context(), 30*time.Second, func(context.Context) (bool, error) {
					n++
					return c.renew(n)
				}, func(err error) {
					if c.name != "a panic is not the loss" {
						t.Errorf("got %v, want no panic", err)
					}
				})
				select {
				case <-held.Done():
				case <-time.After(time.Minute + time.Second):
				}
				if lost := held.Err() != nil; lost != (c.lost > 0) || lost && time.Since(began) != c.lost {
					t.Errorf("after %v: got lost %v, want it after %v", time.Since(began), lost, c.lost)
				}
				stop()
				if held.Err() == nil {
					t.Error("the context goes on after stop")
				}
				if c.lost == 0 && n != 6 {
					t.Errorf("got %d renewals in a minute, want 6", n)
				}
			})
		})
	}
}

func TestBell(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := claim.NewBell(time.Now)
		slept := func(until time.Time) time.Duration {
			began := time.Now()
			b.Sleep(t.Context(), until)
			return time.Since(began)
		}
		if got := slept(time.Now().Add(5 * time.Minute)); got != 5*time.Minute {
			t.Errorf("until a moment: slept %v", got)
		}
		b.Ring()
		b.Ring()
		if got := slept(time.Time{}); got != 0 {
			t.Errorf("after a ring: slept %v", got)
		}
		time.AfterFunc(time.Hour, b.Ring)
		if got := slept(time.Time{}); got != time.Hour {
			t.Errorf("until a ring: slept %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if b.Sleep(ctx, time.Time{}); time.Since(began) != time.Second {
			t.Errorf("until the end: slept %v", time.Since(began))
		}
	})
}
