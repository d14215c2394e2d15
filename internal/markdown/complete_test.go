package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"A text.\n":                  "A text.",
		"```go\nx := 1":              "```go\nx := 1\n```",
		"```go":                      "```go\n```",
		"~~~~\n```\n":                "~~~~\n```\n~~~~",
		"```\nx\n```":                "```\nx\n```",
		"- an item\n  ```\n  x":      "- an item\n  ```\n  x\n  ```",
		"> ```\n> x":                 "> ```\n> x\n> ```",
		"> ```\n> x\n\nBehind them.": "> ```\n> x\n\nBehind them.",
	} {
		if got := markdown.Complete(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
