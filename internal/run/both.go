package run

import "github.com/hermes-memory/hermes/internal/recovery"

// both runs two functions, the second in a new goroutine, which takes a moment to
// start. A panic of either becomes the caller's after both have ended.
func both[A, B any](first func() A, second func() B) (a A, b B) {
	done := recovery.Async(func() error {
		b = second()
		return nil
	})
	err := recovery.Do(func() error {
		a = first()
		return nil
	})
	if failed := <-done; err == nil {
		err = failed
	}
	if err != nil {
		panic(err)
	}
	return a, b
}
