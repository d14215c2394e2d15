package main

import (
	"slices"
	"strings"
)

// answerKind is how sure an answer of the responder is.
type answerKind string

// The kinds of answers. A greeting claims nothing, so it is of kind none.
const (
	sure   answerKind = "sure"
	unsure answerKind = "unsure"
	none   answerKind = "none"
)

// The words by which the kinds are told apart.
const (
	recallMark    = "[recall] "
	unknownWords  = "I have not been told that."
	unsureWords   = "I am not sure."
	greetingWords = "I keep what you say and quote it back when you ask."
	// laterWords stand between the sides of a change in one line, the newest last.
	laterWords = "; later "
)

// kindOf reads the kind of an answer from its words.
func kindOf(answer string) answerKind {
	text := strings.TrimPrefix(answer, recallMark)
	switch {
	case strings.HasPrefix(text, unknownWords), strings.HasPrefix(text, greetingWords):
		return none
	case strings.HasPrefix(text, unsureWords):
		return unsure
	}
	return sure
}

// newest is an answer without the earlier sides of the changes that it tells.
func newest(answer string) string {
	lines := strings.Split(answer, "\n")
	for i, line := range lines {
		lines[i] = line[strings.LastIndex(line, laterWords)+1:]
	}
	return strings.Join(lines, "\n")
}

// gramLength is the length in characters of the pieces by which a quote is recognised.
const gramLength = 6

// attribution finds the messages that an answer quotes.
type attribution struct {
	ids   []string
	grams []map[string]bool
}

// add enters a message that may be quoted.
func (a *attribution) add(m *lifeMessage) {
	a.ids = append(a.ids, m.ID)
	grams := make(map[string]bool)
	for _, g := range gramsOf(m.Text) {
		grams[g] = true
	}
	a.grams = append(a.grams, grams)
}

// quoted are the ids of the messages that the lines of an answer quote, in order, and those
// of the newest sides of changes alone. A line quotes the message that shares most of its
// pieces, and at least half.
func (a *attribution) quoted(answer string) (all, claimed []string) {
	for line := range strings.Lines(answer) {
		sides := strings.Split(line, laterWords)
		for i, side := range sides {
			id := a.of(gramsOf(wordsOf(side)))
			if id == "" || slices.Contains(all, id) {
				continue
			}
			all = append(all, id)
			if i == len(sides)-1 {
				claimed = append(claimed, id)
			}
		}
	}
	return all, claimed
}

// wordsOf is what a line of an answer quotes: from the first quotation mark to the last, or
// what follows the speaker.
func wordsOf(line string) string {
	_, quote, found := strings.Cut(line, `"`)
	if !found {
		_, quote, _ = strings.Cut(line, ": ")
	}
	if i := strings.LastIndexByte(quote, '"'); i > 0 {
		quote = quote[:i]
	}
	return quote
}

func (a *attribution) of(grams []string) string {
	best, most := "", len(grams)/2
	for i, have := range a.grams {
		n := 0
		for _, g := range grams {
			if have[g] {
				n++
			}
		}
		if n > most {
			best, most = a.ids[i], n
		}
	}
	return best
}

// gramsOf cuts a text into overlapping pieces; a shorter text is one piece.
func gramsOf(text string) []string {
	runes := []rune(strings.Join(strings.Fields(strings.ToLower(text)), " "))
	if len(runes) == 0 {
		return nil
	}
	out := make([]string, 0, len(runes))
	for i := 0; i+gramLength <= len(runes); i++ {
		out = append(out, string(runes[i:i+gramLength]))
	}
	if len(out) == 0 {
		out = append(out, string(runes))
	}
	return out
}
