package gateway

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/language"
)

// maxName is the longest name or title of strangers, in characters.
const maxName = cite.MaxName

// oneLine is a name or a title of strangers on one line, without hidden signs, and not too
// long; "" if nothing of it can be seen.
func oneLine(name string) string {
	const most = 64 * maxName // bytes, with hidden characters between
	line := strings.TrimSpace(cite.Line(name[:min(len(name), most)]))
	if utf8.RuneCountInString(line) <= maxName {
		return line
	}
	return string([]rune(line)[:maxName-1]) + "…"
}

// personName is the name of a person on one line, as labels in square brackets have it. Names that look alike in a
// label are one name before labels are given, so that the store tells the people apart. There is room for
// the number behind it, up to [maxName].
func personName(name string) string {
	const most = maxName - len(" (999)")
	return shortened(cite.Inside(oneLine(name)), most)
}

// cut is a text of at most so many bytes, with valid UTF-8.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}

// shortened is a text of at most so many characters.
func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// oneLineText is a text on one line.
func oneLineText(text string) string { return language.OneLine(text) }

// plain is a text as Markdown in which no sign formats anything.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// amount is a number of things: "1 fact", "2 facts".
func amount(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// sentence is a text that ends as a sentence does, so that another one can follow it.
func sentence(text string) string {
	text = strings.TrimRight(text, " \n\t")
	if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune(".!?…。！？", last) {
		return text
	}
	return text + "."
}
