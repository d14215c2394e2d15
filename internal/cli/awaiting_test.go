package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestAwaiting: a home that stays in use is given up after a time, and at once if waiting is
// useless. Any other error ends the wait.
func TestAwaiting(t *testing.T) {
	t.Parallel()
	inUse, other := fault.New(fault.Conflict, "database_in_use", "in use"), errors.New("other")
	for name, tt := range map[string]struct {
		vain  bool
		free  time.Duration // when the home is free; 0 for never
		ends  time.Duration // when the context ends; 0 for never
		after error         // of a home that is free
		want  error
		took  time.Duration
	}{
		"free":          {free: time.Nanosecond, want: nil},
		"free soon":     {free: time.Second, want: nil, took: time.Second},
		"never free":    {want: inUse, took: 10*time.Second + look},
		"useless":       {vain: true, want: inUse},
		"another error": {free: time.Second, after: other, want: other, took: time.Second},
		"stopped":       {ends: time.Second, want: context.DeadlineExceeded, took: time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), max(tt.ends, time.Nanosecond))
			if tt.ends == 0 {
				ctx = t.Context()
			}
			defer cancel()
			began, told := time.Now(), 0
			err := awaiting{most: 10 * time.Second, waits: func(error) { told++ }, vain: func() bool { return tt.vain }}.open(ctx, func() error {
				if tt.free == 0 || time.Since(began) < tt.free && tt.free > time.Nanosecond {
					return inUse
				}
				return tt.after
			})
			if took := time.Since(began); !errors.Is(err, tt.want) || took != tt.took {
				t.Errorf("%s: got %v after %s, want %v after %s", name, err, took, tt.want, tt.took)
			}
			if want := min(1, int(tt.took)); told != want {
				t.Errorf("%s: told %d times that it waits, want %d", name, told, want)
			}
		})
	}
}
