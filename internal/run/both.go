package run

import "github.com/hermes-memory/hermes/internal/recovery"

// both does two things at once, the second on another core, which takes a moment to
// wake. A panic of either is the caller's, and neither goes on alone.
func both[A, B any](first func() A, second func() B) (A, B) {
	var b B
	done := recovery.Async(func() error {
		b = second()
		return nil
	})
	ended := false
	defer func() {
		if !ended { // the first has panicked
			<-done
		}
	}()
	a := first()
	ended = true
	if err := <-done; err != nil {
		panic(err)
	}
	return a, b
}
