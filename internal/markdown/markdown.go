// Package markdown parses Markdown into nodes, and writes nodes in the dialects of chat
// platforms. It knows no platform's protocol and draws no HTML page.
//
// Three functions do the work. [Parse] makes nodes of a text, [Render] writes nodes in a
// dialect, and [Split] cuts a text into parts that fit into messages. A [Splitter] cuts a
// text that is still growing.
package markdown

import (
	"strings"
	"unicode/utf8"
)

// Dialect is a way of writing formatted text.
type Dialect int

// The dialects.
const (
	// Plain is text without formatting.
	Plain Dialect = iota
	// TelegramHTML is the HTML of Telegram's Bot API.
	TelegramHTML
	// DiscordMarkdown is Discord's Markdown.
	DiscordMarkdown
	// SlackMrkdwn is Slack's mrkdwn.
	SlackMrkdwn
	// WhatsAppText is WhatsApp's formatting.
	WhatsAppText
)

// Length is the length of a rendered text as the platform counts it, in units of UTF-16.
// Telegram counts what remains after its tags and entities are parsed; the other
// platforms count the text as it was sent.
func (d Dialect) Length(rendered string) int {
	if d == TelegramHTML {
		return UTF16Len(withoutTags(rendered))
	}
	return UTF16Len(rendered)
}

// UTF16Len is the number of UTF-16 units of a text.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// blank reports whether a rendered text shows nothing.
func (d Dialect) blank(rendered string) bool {
	if d == TelegramHTML {
		rendered = withoutTags(rendered)
	}
	return strings.TrimSpace(rendered) == ""
}

// withoutTags is what Telegram shows of HTML that [Render] wrote.
func withoutTags(html string) string {
	if !strings.ContainsAny(html, "<&") {
		return html
	}
	var b strings.Builder
	b.Grow(len(html))
	for html != "" {
		n := strings.IndexAny(html, "<&")
		if n < 0 {
			b.WriteString(html)
			break
		}
		b.WriteString(html[:n])
		html = html[n:]
		end := strings.IndexByte(html, '>')
		if html[0] == '<' && end >= 0 {
			html = html[end+1:]
			continue
		}
		r, size := entity(html)
		b.WriteString(r)
		html = html[size:]
	}
	return b.String()
}

// entity is the character of an entity that Render writes, and the entity's length. What
// is no entity is a character by itself.
func entity(html string) (string, int) {
	for _, e := range [...][2]string{{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}} {
		if strings.HasPrefix(html, e[0]) {
			return e[1], len(e[0])
		}
	}
	_, size := utf8.DecodeRuneInString(html)
	return html[:size], size
}
