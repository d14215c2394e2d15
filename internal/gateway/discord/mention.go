package discord

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// cutMentions replaces the marks of Discord in a text by what people see: a mention of a
// person or a role by @name, one of a channel by #name, an emoji of a server by :name:, a
// command by /name. Mentions of the bot are cut out: own has the insides of their marks. It
// reports whether the text mentions the bot. Only persons in the list are mentioned: the same
// signs in a piece of code mention nobody.
func cutMentions(text string, own []string, list *names) (out string, found bool) {
	if !strings.Contains(text, "<") {
		return text, false
	}
	var b strings.Builder
	rest, ticks := text, 0
	for {
		before, after, ok := strings.Cut(rest, "<")
		ticks += strings.Count(before, "`")
		b.WriteString(before)
		if !ok {
			break
		}
		body, tail, closed := strings.Cut(after, ">")
		name, known := list.name(body, ticks%2 == 1)
		switch {
		case !closed:
			known = false
		case slices.Contains(own, body):
			found = true
			before, after := gateway.WithoutMention(b.String(), tail)
			b.Reset()
			b.WriteString(before)
			rest = after
			continue
		}
		if !known {
			b.WriteByte('<')
			rest = after
			continue
		}
		b.WriteString(name)
		rest = tail
	}
	if found {
		return strings.TrimSpace(b.String()), true
	}
	return b.String(), false
}

// isMention reports whether the inside of a mark mentions a person.
func isMention(body, id string) bool { return body == "@"+id || body == "@!"+id }

// isEmojiName reports whether a text can be the name of an emoji.
func isEmojiName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, wordSigns) == ""
}
