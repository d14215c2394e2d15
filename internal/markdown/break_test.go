package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestBreakTag: the tag of a line break is one, and a blank in a table. All other HTML is text.
func TestBreakTag(t *testing.T) {
	t.Parallel()
	const table = "| a | b |\n|---|---|\n| x<br>y | `<br>` |"
	for src, want := range map[string]map[markdown.Dialect]string{
		"one<br>two<br/>three<BR />four": {
			markdown.Plain: "one\ntwo\nthree\nfour", markdown.TelegramHTML: "one\ntwo\nthree\nfour", markdown.DiscordMarkdown: "one\ntwo\nthree\nfour",
			markdown.SlackMrkdwn: "one\ntwo\nthree\nfour", markdown.WhatsAppText: "one\ntwo\nthree\nfour",
		},
		"one <br> two":        {markdown.Plain: "one\ntwo"},
		"one<br>\ntwo":        {markdown.Plain: "one\ntwo"},
		"one<br>  \ntwo":      {markdown.Plain: "one\ntwo"},
		"one<br><br>two":      {markdown.Plain: "one\n\ntwo"},
		"> one<br>two":        {markdown.DiscordMarkdown: "> one\n> two", markdown.TelegramHTML: "<blockquote>one\ntwo</blockquote>"},
		"- one<br>two":        {markdown.Plain: "• one\n  two"},
		"# one<br>two":        {markdown.DiscordMarkdown: "# one two", markdown.SlackMrkdwn: "*one*\n*two*"},
		"**one<br>two**":      {markdown.WhatsAppText: "*one*\n*two*", markdown.TelegramHTML: "<b>one\ntwo</b>"},
		"[one<br>two](u:v)":   {markdown.Plain: "one\ntwo (u:v)"},
		"[a<br>b](http://c)":  {markdown.SlackMrkdwn: "<http://c|a b>"},
		"one<br># two":        {markdown.DiscordMarkdown: "one\n\\# two"},
		"http://nas/_a<br>_b": {markdown.WhatsAppText: "http://nas/_a\n_\u200bb"},
		"\\<br> &lt;br&gt;":   {markdown.Plain: "<br> <br>", markdown.TelegramHTML: "&lt;br&gt; &lt;br&gt;"},
		"a<break>b <b>c</b>":  {markdown.Plain: "a<break>b <b>c</b>", markdown.TelegramHTML: "a&lt;break&gt;b &lt;b&gt;c&lt;/b&gt;"},
		table: {
			markdown.TelegramHTML: "<pre>a   | b\n----+-----\nx y | &lt;br&gt;</pre>", markdown.WhatsAppText: "```\na   | b\n----+-----\nx y | <br>\n```",
		},
	} {
		for d, want := range want {
			if got := markdown.Render(markdown.Parse(src), d); got != want {
				t.Errorf("%q in dialect %d: got %q, want %q", src, d, got, want)
			}
		}
	}
}
