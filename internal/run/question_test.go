package run

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEnds: what is asked in front of a long text, or behind it, is asked.
func TestEnds(t *testing.T) {
	t.Parallel()
	if short := strings.Repeat("a", maxQuestion); ends(short) != short {
		t.Error("a short text was cut")
	}
	got := ends("What is this? " + strings.Repeat("é", maxQuestion) + " Who wrote it?")
	if !strings.HasPrefix(got, "What is this? é") || !strings.HasSuffix(got, "é Who wrote it?") || len(got) > maxQuestion+1 || !utf8.ValidString(got) {
		t.Errorf("got %d bytes from %q to %q", len(got), got[:20], got[len(got)-20:])
	}
}
