package language_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/language"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "undo", 4}, {"undo", "", 4}, {"undo", "undo", 0},
		{"stpo", "stop", 2}, {"hlep", "help", 2}, {"memry", "memory", 1}, {"neww", "new", 1}, {"title", "retry", 4},
	} {
		if got := language.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
