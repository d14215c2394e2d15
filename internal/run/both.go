package run

// both does two things at once, the second on another core, which takes a moment to
// wake. A panic of either is the caller's, and neither goes on alone.
func both[A, B any](first func() A, second func() B) (A, B) {
	var b B
	var failed any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failed = recover() }()
		b = second()
	}()
	defer func() { <-done }()
	a := first()
	<-done
	if failed != nil {
		panic(failed)
	}
	return a, b
}
