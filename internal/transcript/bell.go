package transcript

// Bell is rung after a commit that has changed what transcripts show. It is safe for
// concurrent use.
type Bell chan struct{}

// NewBell returns a Bell.
func NewBell() Bell { return make(Bell, 1) }

// Ring wakes the mirror. It never blocks.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
