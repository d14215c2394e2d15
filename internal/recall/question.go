package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// question is a parsed question.
type question struct {
	text  string
	whole string // the text with the part that only says what is asked for
	at    time.Time
	words []wanted
	total float32 // weight of all words
	form  form
	cues  cue
	dates []language.Date
	// calendar has the languages in which times are read.
	calendar calendar
	span     span // the time that is asked about
	vec      wordvec.Vector
	yesNo    bool
	many     bool // it asks for several things, or for what came after what
	wide     bool // in writing without spaces
	// sure is how sure the ranking of messages is that the scope holds an answer.
	sure float32
	// unmet is the weight of the words that no passage has.
	unmet float32
	// names are the stems that the messages found write like names in the midst of a sentence.
	names map[string]bool
	head  int // index of the word that "what" or "which" asks for; -1 for none
}

// wanted is a content word of a question.
type wanted struct {
	stem, low string
	whole     float32  // weight by how rare the word is in English
	weight    float32  // whole, less for a word that many of the messages found have
	vector    int      // its number in the table of vectors; -1 for none
	others    []string // stems of words that may stand for it, and of members of the kind
	cues      cue
	form      form // the form of the answer, if the word names it: "version"
	dated     bool // part of a date
	name      bool
	verb      bool
}

// maxWanted bounds the words of a question that are looked for.
const maxWanted = 24

// readQuestion parses a question that is asked at a time.
func readQuestion(text string, at time.Time) *question {
	text = forALiving().ReplaceAllString(text, "as a job")
	return readPart(text, text, at)
}

// forALiving asks for a job, and not for a home.
var forALiving = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bfor a living\b`) })

// readPart parses a part of a question, without the rest.
func readPart(text, whole string, at time.Time) *question {
	q := &question{text: text, whole: whole, at: at, head: -1, vec: wordvec.Of(text), wide: isWide(text)}
	words, all := wordsOf(text), wordsOf(whole)
	q.calendar = calendarOf(all)
	q.dates = q.calendar.datesOfPart(text, whole, at)
	q.readSpan()
	theLexicon().stopForeign(words, all)
	if len(words) > 0 && !strings.HasPrefix(strings.TrimLeft(whole, " "), text[words[0].start:words[0].end]) {
		words[0].opens = false // the question began before it
	}
	q.cues = cuesOf(text, words)
	q.form = asksFor(text, words)
	q.yesNo = q.form == 0 && len(words) > 0 && opensYesNo(words[0].low) && !isGermanWhat(words)
	for i := range words {
		w := &words[i]
		if w.stop || len(q.words) == maxWanted || q.index(w.stem) >= 0 || theLexicon().asks[w.low] != 0 && i == 0 {
			continue
		}
		if q.head < 0 && i > 0 && headed(words[:i]) {
			q.head = len(q.words)
		}
		q.add(w)
	}
	q.many = q.cues&(cueMany|cueOrder|cueChange) != 0 || q.asksForPlural()
	return q
}

// asksForPlural reports whether "what" or "which" asks for several things: "which towns".
// Days and hours are one time.
func (q *question) asksForPlural() bool {
	if q.head < 0 || q.form&formTime != 0 {
		return false
	}
	head := &q.words[q.head]
	return !head.name && language.Plural(head.low)
}

// headed reports whether "what" or "which" stands just before, with no content word
// between: "which database", "what kind of bread".
func headed(before []word) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i].low {
		case "what", "which", "many", "much", "welche", "welcher", "welches", "welchen", "quel", "quelle", "que", "cual", "quale", "какой", "какая", "какие":
			return true
		case "kind", "sort", "type", "of", "the", "our", "my":
		default:
			return false
		}
	}
	return false
}

// has reports whether a stem is that of a word of the question, or of one that may stand for it.
func (q *question) has(stem string) bool {
	return slices.ContainsFunc(q.words, func(w wanted) bool { return w.stem == stem || slices.Contains(w.others, stem) })
}

func (q *question) add(w *word) {
	one := wanted{stem: w.stem, low: w.low, vector: w.vector, cues: w.cues, dated: q.inDate(w), weight: weightOf(w), name: isName(w), verb: language.Verb(w.stem), form: theLexicon().types[w.low]}
	if one.weight > 0.4 {
		one.others = append(append(one.others, language.Alike(w.stem)...), language.Kinds(w.stem)...)
	}
	one.whole = one.weight
	q.words = append(q.words, one)
	q.total += one.weight
}

// index is the place of a stem among the words; -1 for none.
func (q *question) index(stem string) int {
	for i := range q.words {
		if q.words[i].stem == stem {
			return i
		}
	}
	return -1
}

// weightOf is how much a word of a question says: the rarer in English, the more. A word
// that the table of vectors lacks is a name or in another language.
func weightOf(w *word) float32 {
	n := w.vector
	switch {
	case w.cues&(cueBack|cuePresent|cueMany) != 0, language.Idle(w.stem):
		return slight
	case n < 0:
		return 1
	case n < 1000 && language.Verb(w.stem):
		return 0.4 // "go", "use"
	case n < 1000:
		return 0.7
	case n < 5000:
		return 0.8
	}
	return 0.9
}

// asksFor is the form of the answer that a question asks for. The longest phrase decides:
// "how long" is no "how".
func asksFor(text string, words []word) form {
	l := theLexicon()
	var f form
	longest := 0
	for i := range words {
		phrase := ""
		for k := i; k < len(words) && k < i+5; k++ {
			if phrase != "" {
				phrase += " "
			}
			phrase += words[k].low
			if asked := l.asks[phrase]; asked != 0 && (k-i+1 > longest || k-i+1 == longest && asked&^f != 0 && f == 0) {
				f, longest = asked, k-i+1
			}
		}
	}
	if f == 0 && isWide(text) {
		length := 0
		for _, e := range l.wide {
			if e.asks != 0 && len(e.text) > length && strings.Contains(text, e.text) {
				f, length = e.asks, len(e.text)
			}
		}
	}
	return f
}

// opensYesNo reports whether a word opens a question that yes or no answers.
func opensYesNo(low string) bool {
	switch low {
	case "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "have", "has", "had", "am", "may", "isn't", "aren't", "don't", "doesn't", "didn't", "ist", "sind", "hat", "habe", "est-ce", "es", "tiene", "estoy":
		return true
	}
	return false
}

// isGermanWhat reports whether words open with the German word for "what", which is a verb in English.
func isGermanWhat(words []word) bool { return words[0].low == "was" && tongueOf(words) == german }

// inDate reports whether a word is part of a date of the question.
func (q *question) inDate(w *word) bool {
	return slices.ContainsFunc(q.dates, func(d language.Date) bool { return d.Start <= w.start && w.end <= d.End })
}
