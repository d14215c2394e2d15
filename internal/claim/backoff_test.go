package claim_test

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{
		-1: time.Second, 0: time.Second, 1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, 1000: time.Minute,
	} {
		if got := claim.Backoff(failures, time.Second, time.Minute); got != want {
			t.Errorf("after %d failures: got %v, want %v", failures, got, want)
		}
	}
}

func TestEarlier(t *testing.T) {
	t.Parallel()
	none, one, two := time.Time{}, time.Unix(1, 0), time.Unix(2, 0)
	for _, tt := range []struct{ a, b, want time.Time }{
		{none, none, none}, {none, one, one}, {one, none, one}, {one, two, one}, {two, one, one},
	} {
		if got := claim.Earlier(tt.a, tt.b); !got.Equal(tt.want) {
			t.Errorf("Earlier(%v, %v) is %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
