package slack

import (
	"cmp"
	"context"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// text turns Slack's mrkdwn as it comes into what was said: references get names, escapes
// are undone, and mentions of the bot are cut. mentioned says that there was one.
func (r *reader) text(ctx context.Context, raw string) (text string, mentioned bool) {
	var b strings.Builder
	for raw != "" {
		open := strings.IndexByte(raw, '<')
		if open < 0 {
			break
		}
		size := strings.IndexByte(raw[open:], '>')
		if size < 0 {
			break
		}
		b.WriteString(unescape(raw[:open]))
		inner := raw[open+1 : open+size]
		raw = raw[open+size+1:]
		if id, _, _ := strings.Cut(inner, "|"); r.self.user != "" && id == "@"+r.self.user {
			mentioned = true
			before, after := gateway.WithoutMention(b.String(), raw)
			b.Reset()
			b.WriteString(before)
			raw = after
			continue
		}
		b.WriteString(r.reference(ctx, inner))
	}
	b.WriteString(unescape(raw))
	text = b.String()
	if mentioned {
		text = strings.TrimSpace(text)
	}
	return text, mentioned
}

// reference is what stands between angle brackets: a person, a channel, a group, a link.
func (r *reader) reference(ctx context.Context, inner string) string {
	target, label, _ := strings.Cut(inner, "|")
	label = unescape(label)
	if target == "" {
		return unescape("<" + inner + ">")
	}
	switch target[0] {
	case '@':
		return "@" + cmp.Or(r.person(ctx, target[1:]).name, label, target[1:])
	case '#':
		name := label
		if name == "" {
			name = cmp.Or(r.chat(ctx, target[1:]).title, target[1:])
		}
		return "#" + name
	case '!':
		return special(target[1:], label)
	}
	link := unescape(target)
	bare := strings.TrimPrefix(strings.TrimPrefix(link, "mailto:"), "tel:")
	switch label {
	case "", link, bare:
		return cmp.Or(bare, link)
	case strings.TrimPrefix(strings.TrimPrefix(link, "https://"), "http://"):
		return link
	}
	return label + " (" + link + ")"
}

// special is a group of people, a date, or what else begins with an exclamation mark.
func special(target, label string) string {
	name, _, _ := strings.Cut(target, "^")
	switch {
	case name == "subteam":
		return "@" + strings.TrimPrefix(cmp.Or(label, target), "@")
	case name == "date":
		return label
	case label != "":
		return label
	}
	return "@" + name
}

// unescape undoes the three escapes of Slack, once.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}
