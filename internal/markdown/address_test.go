package markdown_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestLongAddress: an address that is too long for a link is shown as text, whole.
func TestLongAddress(t *testing.T) {
	t.Parallel()
	long := "https://example.org/" + strings.Repeat("a1", 1500)
	if got := markdown.Render(markdown.Parse("See [this]("+long+")."), markdown.Plain); got != "See this ("+long+")." {
		t.Errorf("got %q", got)
	}
	if got := markdown.Render(markdown.Parse("See [this](javascript:"+long+")."), markdown.Plain); !strings.HasSuffix(got, "…).") || len(got) > 300 {
		t.Errorf("got %q, want it shortened", got)
	}
}
