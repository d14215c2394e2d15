package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// word is one word of a question or a passage.
type word struct {
	stem, low  string // as compared; as written, folded
	start, end int    // bytes of the text
	stop       bool
	capital    bool
	opens      bool // it opens a sentence or a clause, where a capital tells nothing
	number     bool
	vector     int // its number in the table of vectors; -1 for none
	cues       cue
}

// wordsOf reads the words of a text.
func wordsOf(text string) []word {
	l := theLexicon()
	out := make([]word, 0, len(text)/5+1)
	opens, end := true, 0
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return inTheirTongue(out)
		}
		if strings.ContainsAny(text[min(end, w.Start):w.Start], ".!?;\n\"“(") {
			opens = true
		}
		low := folded(text[w.Start:w.End])
		vector, known := wordvec.Word(low)
		if !known {
			vector = -1
		}
		out = append(out, word{
			stem: string(w.Stem), low: low, start: w.Start, end: w.End, stop: w.Stop,
			capital: w.Capital, opens: opens, number: w.Number, vector: vector, cues: l.cuesOf(low, text[w.End:]),
		})
		opens, end = false, w.End
	}
}

// homographs are words with cues that they have not in texts of some languages: "im" is "I'm" in English and "in the" in German, and
// "mai" is "never" in Italian and a month in German and French. Never written.
var homographs = map[string][]tongue{"im": {german}, "prima": {german}, "mai": {german, french}}

// inTheirTongue takes from homographs the cues that they have in another language only.
func inTheirTongue(words []word) []word {
	in, read := english, false
	for i := range words {
		w := &words[i]
		tongues := homographs[w.low]
		if len(tongues) == 0 {
			continue
		}
		if !read {
			in, read = tongueOf(words), true
		}
		if slices.Contains(tongues, in) {
			w.cues = 0
		}
	}
	return words
}

// cuesOf are the cues of a word. In French the speaker may be a part of it, or stand before an apostrophe: "j'habite", "j'étais".
func (l *lexicon) cuesOf(low, behind string) cue {
	before, rest := cutElision(low)
	elided := rest != "" || strings.HasPrefix(behind, "'") || strings.HasPrefix(behind, "’")
	if c := l.cues[low]; c != 0 || !elided {
		return c
	}
	return l.cues[before+"e"] & cueSelf // "je", "me"
}

// cuesOf are the cues of a text: those of its words, and those of entries inside writing
// without spaces.
func cuesOf(text string, words []word) cue {
	var c cue
	for i := range words {
		c |= words[i].cues
	}
	if isWide(text) {
		for _, e := range theLexicon().wide {
			if e.cue&^c != 0 && strings.Contains(text, e.text) {
				c |= e.cue
			}
		}
	}
	return c
}

// formsOf are the forms of answers that a passage has. asked are the stems of the
// question: its own names are no answer.
func (q *question) formsOf(text string, words []word) form {
	l := theLexicon()
	asked := func(stem string) bool { return q.index(stem) >= 0 }
	var f form
	for i := range words {
		w := &words[i]
		has := l.words[w.low]
		if has&formPlace != 0 && !(i+1 < len(words) && leadsToPlace(&words[i+1], asked)) {
			has &^= formPlace
		}
		if asked(w.stem) {
			has &= formReason
		}
		f |= has &^ formName
		if w.number {
			f |= figureForms(text, words, i)
		}
		if !asked(w.stem) && l.words[w.low]&formTime == 0 && q.isName(w) {
			f |= formPerson | formName
		}
	}
	if strings.ContainsAny(text, quotes) {
		f |= formName
	}
	if isWide(text) {
		for _, e := range l.wide {
			if e.has&^f != 0 && strings.Contains(text, e.text) {
				f |= e.has
			}
		}
	}
	return f
}

// leadsToPlace reports whether a word may be a place behind a preposition: no figure, no
// time and no word of the question.
func leadsToPlace(w *word, asked func(string) bool) bool {
	return !w.number && theLexicon().words[w.low]&(formTime|formDuration|formNumber) == 0 && !asked(w.stem)
}

// isName reports whether a word is written like a name.
func isName(w *word) bool { return w.capital && !w.opens && !w.stop && w.cues&cueSelf == 0 }

// quotes open the name of a thing.
const quotes = "\"“„«»「『《"

// isName reports whether a word of a passage seems to be a name: it is written like one,
// or the messages found write it like one elsewhere. A capital that opens a sentence counts
// if English has no such word.
func (q *question) isName(w *word) bool {
	switch {
	case w.stop || w.number || w.cues != 0:
		return false
	case w.capital && (!w.opens || w.vector < 0):
		return true
	}
	return q.names[w.stem] && (w.vector < 0 || w.vector > 3000)
}

// nameWords notes which words the passages found write like names.
func (q *question) nameWords(found []passage) {
	q.names = map[string]bool{}
	for i := range found {
		for k := range found[i].words {
			if w := &found[i].words[k]; isName(w) && !w.number {
				q.names[w.stem] = true
			}
		}
	}
}

// introduces reports whether a passage tells a name as one: "my name is Ana", "called Rex".
func (q *question) introduces(text string, words []word) bool {
	const near = 3
	for i := range words {
		if theLexicon().words[words[i].low]&formName == 0 {
			continue
		}
		rest := words[i+1 : min(i+1+near, len(words))]
		if slices.ContainsFunc(rest, func(w word) bool { return q.index(w.stem) < 0 && q.isName(&w) }) {
			return true
		}
		if len(rest) > 0 && strings.ContainsAny(text[words[i].end:rest[0].start], quotes) {
			return true
		}
	}
	return false
}

// figureForms are the forms that a figure gives a passage.
func figureForms(text string, words []word, i int) form {
	l, w := theLexicon(), &words[i]
	f := formNumber
	if i+1 < len(words) {
		f |= l.units[words[i+1].low]
	}
	if i > 0 {
		f |= l.units[words[i-1].low] & formMoney
	}
	if unit := strings.TrimLeft(w.low, "0123456789.,:"); unit != "" {
		f |= l.units[unit]
		if strings.HasPrefix(unit, "am") || strings.HasPrefix(unit, "pm") || unit == "th" || unit == "st" || unit == "nd" || unit == "rd" {
			f |= formTime
		}
	}
	if hasCurrency(text, w) {
		f |= formMoney
	}
	if isClock(text, w) || isYear(w.low) {
		f |= formTime
	}
	if i+1 < len(words) && l.words[words[i+1].low]&formTime != 0 || i > 0 && l.words[words[i-1].low]&formTime != 0 {
		f |= formTime
	}
	return f
}

// hasCurrency reports whether a sign of a currency stands next to a figure.
func hasCurrency(text string, w *word) bool {
	before, after := strings.TrimRight(text[:w.start], " "), strings.TrimLeft(text[w.end:], " ")
	for _, sign := range [...]string{"$", "€", "£", "¥", "₹", "₽", "₩"} {
		if strings.HasSuffix(before, sign) || strings.HasPrefix(after, sign) {
			return true
		}
	}
	return false
}

// isClock reports whether a figure is part of an hour: "14:30".
func isClock(text string, w *word) bool {
	behind := w.end+1 < len(text) && text[w.end] == ':' && text[w.end+1] >= '0' && text[w.end+1] <= '9'
	before := w.start > 1 && text[w.start-1] == ':' && text[w.start-2] >= '0' && text[w.start-2] <= '9'
	return behind || before
}

// isYear reports whether a figure is a year of our time.
func isYear(low string) bool { return len(low) == 4 && (low[:2] == "19" || low[:2] == "20") }
