package run

import "github.com/hermes-memory/hermes/internal/recovery"

// both runs two functions, the second in a new goroutine, which takes a moment to
// start. A panic of either becomes the caller's after both have ended.
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
