package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestNobodyIsCalled: a call of everybody in an address is none on Discord.
func TestNobodyIsCalled(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"https://example.org/x@everyone":          "<https://example.org/x%40everyone>",
		"[this](https://example.org/@here?a=b)":   "[this](<https://example.org/%40here?a=b>)",
		"https://example.org/x@somebody":          "<https://example.org/x@somebody>",
		"[a@everyone](https://example.org/a_b) b": "[a@\u200beveryone](<https://example.org/a_b>) b",
	} {
		if got := markdown.Render(markdown.Parse(src), markdown.DiscordMarkdown); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}
