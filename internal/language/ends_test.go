package language

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEnds: what is asked in front of a long text, or behind it, is asked.
func TestEnds(t *testing.T) {
	t.Parallel()
	const limit = 32 << 10
	if short := strings.Repeat("a", limit); Ends(short, limit) != short {
		t.Error("a short text was cut")
	}
	got := Ends("What is this? "+strings.Repeat("é", limit)+" Who wrote it?", limit)
	if !strings.HasPrefix(got, "What is this? é") || !strings.HasSuffix(got, "é Who wrote it?") || len(got) > limit+1 || !utf8.ValidString(got) {
		t.Errorf("got %d bytes from %q to %q", len(got), got[:20], got[len(got)-20:])
	}
}
