package transfer

import "slices"

// What is left out of a conversation, and what is not understood in it, is counted while it is read. Of a copy that does
// not count in the end, this does not count either: old and new exports in one directory have most conversations twice.

// tally is how often each kind was counted up to a moment.
type tally struct{ omitted, unknown []int }

// tally is what was counted so far.
func (r *Report) tally() tally { return tally{countsOf(r.Omitted), countsOf(r.Unknown)} }

func countsOf(kinds []Kind) []int {
	counts := make([]int, len(kinds))
	for i := range kinds {
		counts[i] = kinds[i].Count
	}
	return counts
}

// since is what was counted since a moment; nil for nothing.
func (r *Report) since(began tally) *tally {
	now := r.tally()
	for i, n := range began.omitted {
		now.omitted[i] -= n
	}
	for i, n := range began.unknown {
		now.unknown[i] -= n
	}
	some := func(n int) bool { return n != 0 }
	if !slices.ContainsFunc(now.omitted, some) && !slices.ContainsFunc(now.unknown, some) {
		return nil
	}
	return &now
}

// less takes what was counted for a conversation out of the report. A kind keeps its place: others are counted by it.
func (r *Report) less(t *tally) {
	if t == nil {
		return
	}
	for i, n := range t.omitted {
		r.Omitted[i].Count -= n
	}
	for i, n := range t.unknown {
		r.Unknown[i].Count -= n
	}
}

// counted leaves the kinds of which there are any, once all is read.
func (r *Report) counted() {
	none := func(k Kind) bool { return k.Count == 0 }
	r.Omitted, r.Unknown = slices.DeleteFunc(r.Omitted, none), slices.DeleteFunc(r.Unknown, none)
}
