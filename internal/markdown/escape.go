package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape escapes a text for Telegram and Slack.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	s = strings.ReplaceAll(s, "&", "&amp;")
	s = strings.ReplaceAll(s, "<", "&lt;")
	return strings.ReplaceAll(s, ">", "&gt;")
}

// escapeDiscord writes a text of one line so that Discord formats nothing in it and finds
// no mention.
func escapeDiscord(b *strings.Builder, s string, atStart bool) {
	if atStart {
		blanks := len(s) - len(strings.TrimLeft(s, " "))
		b.WriteString(s[:blanks])
		s = s[blanks:]
		switch n := discordStart(s); {
		case n > 0:
			b.WriteString(s[:n] + `\`)
			b.WriteByte(s[n])
			s = s[n+1:]
		case n == 0:
			b.WriteString(`\`)
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	for i, r := range s {
		rest := s[i+utf8.RuneLen(r):]
		switch {
		case strings.ContainsRune("\\*_~`|[]", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '<':
			b.WriteString(`\<`)
			if rest != "" && strings.ContainsRune("@#:/&ait", rune(rest[0])) {
				b.WriteString(zeroWidth)
			}
		case r == '@' && (strings.HasPrefix(rest, "everyone") || strings.HasPrefix(rest, "here")):
			b.WriteString("@" + zeroWidth)
		default:
			b.WriteRune(r)
		}
	}
}

// discordStart is the position of a character that makes a heading, quote or list of a line
// if it is not escaped; -1 if there is none. Marks that are escaped everywhere do not count.
func discordStart(s string) int {
	if s == "" {
		return -1
	}
	if strings.ContainsRune("#>-+", rune(s[0])) {
		return 0
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 0 && n < len(s) && (s[n] == '.' || s[n] == ')') {
		return n
	}
	return -1
}

// defused separates the marks in a text that could open a format from the character behind
// them. Slack and WhatsApp have no other way to write a mark as text.
func defused(s string, before rune) string {
	if !strings.ContainsAny(s, "*_~`") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		b.WriteRune(r)
		if mayOpen(r, before) && !startsBlank(s[i+utf8.RuneLen(r):]) {
			b.WriteString(zeroWidth)
		}
		before = r
	}
	return b.String()
}

// mayOpen reports whether a character behind another one can be a mark that opens a format.
func mayOpen(r, before rune) bool {
	return r == '`' || strings.ContainsRune("*_~", r) && !isWord(before)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
