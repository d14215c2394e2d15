package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// TestHeadroomPercent: a heap with its headroom never gets smaller when its live bytes grow, and the
// headroom is a quarter of a large heap.
func TestHeadroomPercent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 200}, {4 << 20, 200}, {16 << 20, 200}, {24 << 20, 133}, {32 << 20, 100}, {48 << 20, 44}, {64 << 20, 25}, {1 << 40, 25},
	} {
		if got := headroomPercent(c.live); got != c.want {
			t.Errorf("%d live bytes: got %d %%, want %d %%", c.live, got, c.want)
		}
	}
	before := uint64(0)
	for live := uint64(1 << 20); live < 1<<30; live += 1 << 20 {
		heap := live + live*uint64(headroomPercent(live))/100
		if heap+live/100 < before {
			t.Fatalf("%d live bytes: a heap of %d, less than %d with fewer live bytes", live, heap, before)
		}
		before = heap
	}
}

// TestHeadroom: the headroom is set after each collection, by the live bytes of that time.
func TestHeadroom(t *testing.T) {
	setHeadroom()
	t.Cleanup(func() { debug.SetGCPercent(100) })
	set := func() uint64 {
		of := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(of)
		return of[0].Value.Uint64()
	}
	const most = 1000 // collections; it is set beside them
	held := make([]byte, 128<<20)
	for i := 0; i < most && set() != largePercent; i++ {
		runtime.GC()
	}
	if got := set(); got != largePercent {
		t.Errorf("with %d bytes: got %d %%, want %d %%", len(held), got, largePercent)
	}
	runtime.KeepAlive(held)
	for i := 0; i < most && set() <= largePercent+5; i++ {
		runtime.GC()
	}
	if got := set(); got <= largePercent+5 {
		t.Errorf("after they were dropped: got %d %%, want more than %d %%", got, largePercent)
	}
}
