package discord_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine is left over: the library's rate limiter, whose goroutine never ends, is
// not used.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
