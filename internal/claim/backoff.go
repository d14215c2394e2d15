package claim

import "time"

// Backoff is the wait after a number of failures in a row: first after one failure, doubled
// with each further one, and longest at most. No failure counts as one.
func Backoff(failures int, first, longest time.Duration) time.Duration {
	const most = 12 // doublings, so that the shift does not overflow
	return min(first<<min(max(failures-1, 0), most), longest)
}

// Earlier is the earlier of two times; the other if one is zero.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
