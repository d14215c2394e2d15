package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap may grow by its headroom before garbage is collected. Turns allocate much, so a
// small heap gets a headroom of twice its live bytes: collections are rare then. A large heap
// is mostly cached, and gets a headroom of half its live bytes: garbage of twice the caches
// would be most of the process. In between the headroom stays the same.
const (
	smallHeap    = 16 << 20
	smallPercent = 200
	largePercent = 50
)

// headroomPercent is the headroom of a heap, in percent of its live bytes.
func headroomPercent(live uint64) int {
	if live <= smallHeap {
		return smallPercent
	}
	return max(largePercent, int(smallHeap*smallPercent/live))
}

// headroom sets the headroom of the heap after each collection of garbage.
type headroom struct {
	percent int
	live    []metrics.Sample
}

// setHeadroom sets the headroom of the heap from now on.
func setHeadroom() {
	h := &headroom{percent: smallPercent, live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	debug.SetGCPercent(h.percent)
	h.await()
}

// await makes set run after the next collection, which finds the bell without a reference.
func (h *headroom) await() {
	type bell struct{ _ *headroom }
	runtime.AddCleanup(&bell{}, (*headroom).set, h)
}

// set sets the headroom. A change stops all goroutines for a moment, so a small one is left
// out.
func (h *headroom) set() {
	const small = 5
	metrics.Read(h.live)
	if h.live[0].Value.Kind() != metrics.KindUint64 {
		return // a runtime that does not tell; its headroom stays
	}
	percent := headroomPercent(h.live[0].Value.Uint64())
	if diff := percent - h.percent; diff > small || -diff > small {
		debug.SetGCPercent(percent)
		h.percent = percent
	}
	h.await()
}
