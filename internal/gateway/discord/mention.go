package discord

import (
	"slices"
	"strings"
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
			rest = closeGap(&b, tail)
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

// closeGap joins the text before a mention that is cut out with the text behind it, and
// returns what is left of the latter.
func closeGap(b *strings.Builder, tail string) string {
	before := b.String()
	if strings.TrimSpace(before) == "" { // "<@1>, do this"
		tail = strings.TrimLeft(tail, " ")
		for _, sign := range []string{", ", ": "} {
			tail = strings.TrimPrefix(tail, sign)
		}
		return strings.TrimLeft(tail, " ")
	}
	if strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\n") {
		return trimOne(b, before, tail)
	}
	return tail
}

// trimOne takes away one of the two gaps around a mention. The one before goes if a sign
// follows: "thanks <@1>!".
func trimOne(b *strings.Builder, before, tail string) string {
	if tail != "" && strings.Contains(",.;:!?", tail[:1]) {
		kept := strings.TrimRight(before, " ")
		b.Reset()
		b.WriteString(kept)
		return tail
	}
	return strings.TrimLeft(tail, " ")
}
