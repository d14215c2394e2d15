package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestBlank: structure without content shows nothing, in no dialect. What is drawn shows something.
func TestBlank(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " \n\t", "```\n\n```", "```go\n```", "~~~\n~~~", "```", "# ", "###", "> ", "> > ", "[]()", "![]()", "[ ]()", "| |\n|-|", "| | |\n|-|-|\n| | |",
		"\u200b", "\u200d\ufe0f", "\ufeff", "\u2060\u2060", "\u00ad", "\u3164", "\u2800\u2800", "\u202e", "\u061c", "\u00a0", "&nbsp;", "&#8203;", "` `", "`\u200b`",
		"# \u200b", "> \u200b\n> \u2060", "**\u200b**", "<br>", "> <br><br/>", "```\n\u200b\n```", "# \n\n> \n\n```\n```",
	} {
		if !markdown.Blank(text) {
			t.Errorf("%q counts as shown", text)
		}
	}
	for _, text := range []string{
		"a", ".", "1.", "1) ", "-", "---", "- [ ] ", "👍", "❤️", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "**", "``", "$$", "\\", "<hr>", "<!-- no -->", "![](https://a.b/c.png)", "[](https://a.b)", "```\n.\n```",
		"> 是", "# ا", "| |\n|-|\n| 0 |", "می\u200cخواهم", "&amp;", "\u0301",
	} {
		if markdown.Blank(text) {
			t.Errorf("%q counts as blank", text)
		}
	}
}
