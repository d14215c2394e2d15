package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace: a writer rests behind each whole slice, for a multiple of the time that the slice took,
// and never for long.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, err := os.Create(filepath.Join(t.TempDir(), "large"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		var rests []time.Duration
		p := NewPace(f)
		rest := p.rest
		p.rest = func(d time.Duration) {
			rests = append(rests, d)
			rest(d)
		}
		for _, part := range []struct {
			bytes int64
			takes time.Duration
		}{{paceSlice - 1, 7 * time.Millisecond}, {1, 3 * time.Millisecond}, {3 * paceSlice, 5 * time.Millisecond}, {paceSlice, time.Minute}, {1, time.Hour}} {
			<-time.After(part.takes)
			if err := p.Wrote(part.bytes); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{20 * time.Millisecond, 10 * time.Millisecond, maxPaceRest}; !slices.Equal(rests, want) {
			t.Errorf("got rests of %v, want %v", rests, want)
		}
	})
}

// TestPaceOfAClosedFile: that a file cannot be synced is said.
func TestPaceOfAClosedFile(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "large"))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPace(f)
	_ = f.Close()
	if err := p.Wrote(paceSlice); err == nil {
		t.Error("got no error")
	}
}
