package mention

import (
	"bytes"
	"strings"
)

// A model is told with each turn in what kind of chat it speaks. The words are this program's own, and are stored with
// each turn: no one has said them. The title of the chat, which stands between them, counts.
const (
	toldBegin = "You are in a "
	toldOn    = " chat on "
	toldKinds = "private group channel"
	// The sentences behind them.
	toldPeople = " Several people speak; each message begins with its speaker in square brackets."
	toldForm   = " Write Markdown. If nothing needs to be said, answer with [SILENT] alone."
)

// hasTold reports whether a text may tell a model about a chat.
func hasTold(text []byte) bool { return bytes.Contains(text, []byte(toldBegin)) }

// inTold reports whether a piece of a text lies within such words: up to the name of the platform, or within a sentence
// behind them.
func inTold(text []byte, s Span) bool {
	s = seen(text, s)
	for _, kind := range strings.Fields(toldKinds) {
		begin := toldBegin + kind + toldOn
		for start := max(0, s.End-len(begin)-maxPlatform); start <= s.Start; start++ {
			if bytes.HasPrefix(text[start:], []byte(begin)) && start+len(begin)+platformAt(text[start+len(begin):]) >= s.End {
				return true
			}
		}
	}
	return within(text, s, toldPeople) || within(text, s, toldForm)
}

// within reports whether a piece of a text lies within a sentence.
func within(text []byte, s Span, sentence string) bool {
	from := max(0, s.End-len(sentence))
	at := bytes.Index(text[from:min(len(text), s.Start+len(sentence))], []byte(sentence))
	return at >= 0 && from+at <= s.Start && from+at+len(sentence) >= s.End
}
