package session

import (
	"strings"
	"unicode"
)

// ThoughtNames are the names of the elements in which models write what they think before they answer.
func ThoughtNames() []string { return []string{"think", "thinking", "thought", "reasoning"} }

// AfterThoughts is an answer without what the model thinks before it. whole reports whether the answer has begun: it has not while a
// thought is open, or while what stands there may become the begin of one. Thoughts behind the first word are
// part of the answer, which may be about them.
func AfterThoughts(answer string) (text string, whole bool) {
	text = answer
	for {
		rest := strings.TrimLeftFunc(text, unicode.IsSpace)
		inner, opened, may := openedThought(rest)
		if !opened {
			return text, rest != "" && !may
		}
		end := thoughtEnd(inner)
		if end < 0 {
			return "", false
		}
		text = strings.TrimLeftFunc(inner[end:], unicode.IsSpace)
	}
}

// openedThought is what stands behind the tag that opens a thought at the begin of a text. may reports whether
// the text is the begin of such a tag.
func openedThought(text string) (inner string, opened, may bool) {
	for _, name := range ThoughtNames() {
		tag := "<" + name + ">"
		n := min(len(tag), len(text))
		if !strings.EqualFold(tag[:n], text[:n]) {
			continue
		}
		if n == len(tag) {
			return text[n:], true, false
		}
		may = true
	}
	return "", false, may
}

// thoughtEnd is where the text behind the first tag stands that closes a thought; -1 if none does.
func thoughtEnd(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "</")
		if i < 0 {
			return -1
		}
		from += i + len("</")
		for _, name := range ThoughtNames() {
			end := from + len(name) + 1
			if end <= len(text) && strings.EqualFold(text[from:end], name+">") {
				return end
			}
		}
	}
}
