package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestMarksCloseOnTheirLine: the mark behind a format stands on the line on which its text ends.
func TestMarksCloseOnTheirLine(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]map[markdown.Dialect]string{
		"> quote *q*\n> more": {
			markdown.DiscordMarkdown: "> quote *q*\n> more", markdown.TelegramHTML: "<blockquote>quote <i>q</i>\nmore</blockquote>",
			markdown.SlackMrkdwn: "> quote _q_\n> more",
		},
		"~~a **b**~~\nc": {
			markdown.DiscordMarkdown: "~~a **b**~~\nc", markdown.TelegramHTML: "<s>a <b>b</b></s>\nc", markdown.WhatsAppText: "~a *b*~\nc",
		},
		"**a\nb** c": {
			markdown.DiscordMarkdown: "**a\nb** c", markdown.TelegramHTML: "<b>a\nb</b> c", markdown.SlackMrkdwn: "*a*\n*b* c",
		},
		"**a *b*\nc**": {
			markdown.DiscordMarkdown: "**a *b*\nc**", markdown.TelegramHTML: "<b>a <i>b</i>\nc</b>", markdown.WhatsAppText: "*a _b_*\n*c*",
		},
	} {
		for d, want := range want {
			if got := markdown.Render(markdown.Parse(src), d); got != want {
				t.Errorf("%q in dialect %v: got %q, want %q", src, d, got, want)
			}
		}
	}
}
