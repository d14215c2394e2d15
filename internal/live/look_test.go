package live

import (
	"errors"
	"sync"
	"testing"
)

// TestLook has many readers of one run ask for the same at once.
func TestLook(t *testing.T) {
	t.Parallel()
	topics := &topics{by: make(map[name]*topic)}
	n := name{"alice", "run"}
	defer topics.join(n)()
	reads := 0
	var failing error
	all := func() {
		hold := make(chan struct{})
		var asked, waiting sync.WaitGroup
		for range 50 {
			asked.Add(1)
			waiting.Go(func() {
				l, _ := topics.look(n, 7, func() ([]Event, State, error) {
					<-hold
					reads++
					return []Event{{Seq: 8}}, Running, failing
				})
				asked.Done()
				<-l.done
				if failing == nil && (len(l.events) != 1 || l.state != Running) {
					t.Errorf("got %v, %q", l.events, l.state)
				}
			})
		}
		asked.Wait()
		close(hold)
		waiting.Wait()
	}
	for _, c := range []struct {
		name   string
		before func()
		reads  int // so far
	}{
		{"the first", func() {}, 1},
		{"nothing has changed", func() {}, 1},
		{"a change", func() { topics.publish(n) }, 2},
		{"events that are handed over", func() { topics.hand(n, newsOf([]Event{{Type: ToolStarted}}, 8, &Run{State: Running})) }, 2},
		{"events behind those", func() { topics.hand(n, newsOf([]Event{{Type: ToolStarted}}, 9, &Run{State: Running})) }, 3},
		{"a failure", func() { topics.publish(n); failing = errors.New("no") }, 4},
		{"after a failure", func() { failing = nil }, 5},
	} {
		c.before()
		if all(); reads != c.reads {
			t.Errorf("%s: got %d readings of the store, want %d", c.name, reads, c.reads)
		}
	}
}
