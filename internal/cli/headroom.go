package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap may grow by its headroom before garbage is collected. Turns allocate much, so a
// small heap gets a headroom of twice its live bytes: collections are rare then. What a larger
// heap holds more is mostly cached. Up to a middle size its headroom stays the same; beyond, it
// shrinks, so that the process grows little while its caches fill. A large heap gets a quarter of
// its live bytes.
const (
	smallHeap    = 16 << 20
	smallPercent = 200
	middleHeap   = 32 << 20
	largePercent = 25
)

// headroomPercent is the headroom of a heap, in percent of its live bytes.
func headroomPercent(live uint64) int {
	const most = smallHeap * smallPercent
	switch {
	case live <= smallHeap:
		return smallPercent
	case live <= middleHeap:
		return int(most / live)
	default:
		return max(largePercent, int(most*middleHeap/live/live))
	}
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
