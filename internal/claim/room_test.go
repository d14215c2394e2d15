package claim

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestRoom: an owner gets at most its share, all owners together at most the whole, and
// a waiting request enters when another leaves.
func TestRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRoom(10, 6)
		for _, step := range []struct {
			owner string
			units int64
			fits  bool
		}{{"a", 6, true}, {"a", 1, false}, {"b", 5, false}, {"b", 4, true}, {"c", 1, false}} {
			if got := r.Try(step.owner, step.units); got != step.fits {
				t.Fatalf("%d for %s: got %t", step.units, step.owner, got)
			}
		}
		in := make(chan string, 2)
		for _, owner := range []string{"a", "c"} {
			go func() {
				if r.Enter(t.Context(), owner, 4) == nil {
					in <- owner
				}
			}()
		}
		synctest.Wait()
		r.Leave("b", 4) // room for the one whose share is not full
		synctest.Wait()
		if got := <-in; got != "c" || len(in) > 0 {
			t.Errorf("got %s in, and %d more", got, len(in))
		}
		r.Leave("a", 6)
		if got := <-in; got != "a" {
			t.Errorf("got %s in", got)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for _, owner := range []string{"a", "d"} { // one waits for himself, one for the others
			if err := r.Enter(gone, owner, 5); err == nil {
				t.Errorf("%s came in", owner)
			}
		}
		r.Leave("a", 4)
		r.Leave("c", 4)
		if len(r.by) > 0 {
			t.Errorf("%d owners are kept who have nothing there", len(r.by))
		}
		if !r.Try("d", 6) || !r.Try("e", 4) {
			t.Error("something was not given back")
		}
	})
}
