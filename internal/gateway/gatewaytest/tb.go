package gatewaytest

import "context"

// TB is the part of testing.TB that the fakes need. A program that uses a fake outside of a
// test brings its own.
type TB interface {
	Helper()
	Context() context.Context
	// Cleanup adds a function that ends what was started.
	Cleanup(end func())
	// Errorf notes what was wrong, and goes on.
	Errorf(format string, args ...any)
	// Fatalf notes what was wrong, and does not return.
	Fatalf(format string, args ...any)
}
