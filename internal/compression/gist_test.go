package compression

import (
	"strings"
	"testing"
)

// TestPlainSpaced: a text that passes is what joining its words gives.
func TestPlainSpaced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, " ": false, "one": true, "one two, three.": true, "one  two": false, " one": false, "one ": false,
		"one\ntwo": false, "one\ttwo": false, "naïve": false, "one\u00a0two": false,
	} {
		got := plainSpaced(text)
		if got != want || got && text != strings.Join(strings.Fields(text), " ") {
			t.Errorf("plainSpaced(%q): got %v, want %v", text, got, want)
		}
	}
}
