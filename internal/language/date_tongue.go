package language

import (
	_ "embed" // the words
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

//go:embed lexicon/dates.txt
var dateText string

// DatesIn is [Dates] for a text in another language: "de", "fr" or "es". In a language that it does not know it finds none. In
// figures with slashes the day comes first.
func DatesIn(tongue, text string, anchor time.Time) []Date {
	t := dateTongues()[tongue]
	if t == nil {
		return nil
	}
	var space [64]dateToken
	found := lexDates(text, space[:0], t)
	if !slices.ContainsFunc(found, tellsTime) {
		return nil
	}
	return (&dateParser{rules: t.rules, openings: t.openings, text: text, tokens: slices.Clone(found), anchor: anchor}).dates()
}

// dateTongue is a language of which the grammar knows the words.
type dateTongue struct {
	words map[string]dateWord
	// phrases begin with a word: the rest of each, the longest first.
	phrases  map[string][]datePhrase
	endings  []dateEnding
	ordinals []string // behind a figure
	rules    []dateRule
	openings wordClass
}

// datePhrase is a phrase that means what a word may mean.
type datePhrase struct {
	rest string
	word dateWord
}

// dateEnding tells what a verb with a beginning and an ending says of time.
type dateEnding struct {
	begins, ends string
	is           wordClass
}

// dateClasses are the names of classes in the lexicon; never written.
var dateClasses = map[string]wordClass{
	"month": monthWord, "weekday": weekdayWord, "unit": unitWord, "daytime": partOfDay, "count": countWord, "a": aWord, "vague": vagueWord,
	"season": seasonWord, "holiday": holidayWord, "last": lastWord, "next": nextWord, "this": thisWord, "back": backWord, "ago": agoWord,
	"before": beforeWord, "after": afterWord, "from": fromWord, "to": toWord, "and": andWord, "between": betweenWord, "now": nowWord,
	"day": dayWord, "the": theWord, "of": ofWord, "in": inWord, "since": sinceWord, "until": untilWord, "for": forWord, "during": duringWord,
	"on": onWord, "part": partWord, "every": everyWord, "name": nameWord, "small": smallWord, "past": pastWord, "was": wasWord,
	"future": futureWord, "plan-noun": planNoun, "nth": nthWord, "number": dayNumber,
}

// rulesAbroad are the forms that English has not. A side stands behind in them: "l'année dernière".
var rulesAbroad = []dateRule{
	{form{backWord, countWord, vagueWord | optional, of, unitWord}, (*dateParser).away, true},
	{form{weekdayWord, daytime, lastWord | nextWord}, (*dateParser).directedWeekday, true},
	{form{monthWord, lastWord | nextWord}, (*dateParser).directedMonth, true},
	{form{seasonWord, lastWord | nextWord}, (*dateParser).directedSeason, true},
	{form{unitWord | partOfDay, lastWord | nextWord}, (*dateParser).directedUnit, true},
	{form{weekdayWord, daytime}, (*dateParser).weekdayAbroad, true},
	{form{yearNumber}, (*dateParser).toldYear, false},
}

// dateTongues are the languages of the lexicon, read once.
var dateTongues = sync.OnceValue(func() map[string]*dateTongue {
	out := map[string]*dateTongue{}
	for name, items := range Lists(dateText) {
		tongue, rest, _ := strings.Cut(name, " ")
		t := out[tongue]
		if t == nil {
			rules := slices.Concat(rulesAbroad, dateGrammar)
			t = &dateTongue{words: map[string]dateWord{}, phrases: map[string][]datePhrase{}, rules: rules, openings: openingsOf(rules)}
			out[tongue] = t
		}
		t.read(rest, items)
	}
	return out
})

// read takes a line of the lexicon.
func (t *dateTongue) read(name string, items []string) {
	sort, of, _ := strings.Cut(name, " ")
	switch sort {
	case "ordinal":
		t.ordinals = strings.Fields(items[0])
	case "ending", "participle":
		for item := range strings.FieldsSeq(items[0]) {
			begins, ends, both := strings.Cut(item, "-")
			if !both {
				begins, ends = "", begins
			}
			t.endings = append(t.endings, dateEnding{begins: begins, ends: ends, is: dateClasses[of]})
		}
	default:
		first, _ := strconv.Atoi(of)
		var is wordClass
		for class := range strings.SplitSeq(sort, "+") {
			is |= dateClasses[class]
		}
		for i, item := range items {
			for word := range strings.FieldsSeq(item) {
				t.add(word, dateWord{is: is, value: int32(first + i)})
			}
		}
	}
}

// add takes a word or a phrase, with its own value if it has one.
func (t *dateTongue) add(item string, w dateWord) {
	item, given, own := strings.Cut(item, "=")
	if value, err := strconv.Atoi(given); own && err == nil {
		w.value = int32(value)
	}
	if item == "" { // the language has no word for the value
		return
	}
	item = string(AppendFolded(nil, strings.ReplaceAll(item, "_", " ")))
	if end := strings.IndexAny(item, " -'"); end > 0 && end < len(item)-1 {
		head := item[:end]
		t.phrases[head] = append(t.phrases[head], datePhrase{rest: item[end:], word: w})
		return
	}
	t.words[item] = w
}

// lex reads a number or a word.
func (t *dateTongue) lex(text string, i int) dateToken {
	if isDigit(text[i]) {
		return t.lexNumber(text, i)
	}
	return t.lexWord(text, i)
}

// lexWord reads a word, with the apostrophe of an elision, or a phrase.
func (t *dateTongue) lexWord(text string, i int) dateToken {
	var low [longestDateWord]byte
	_, end := lowerWord(text, i, &low)
	r, _ := utf8.DecodeRuneInString(text[i:])
	out := dateToken{is: otherWord, end: int32(end), capital: unicode.IsUpper(r)}
	var space [32]byte
	word := AppendFolded(space[:0], text[i:min(end, i+len(space)/2)])
	if rest := t.phrases[string(word)]; rest != nil {
		var more [32]byte
		behind := strings.ReplaceAll(string(AppendFolded(more[:0], text[end:min(len(text), end+len(more)/2)])), "’", "'")
		for _, p := range rest {
			if strings.HasPrefix(behind, p.rest) && !letterAt(behind, len(p.rest)) {
				return p.word.token(out, phraseEnd(text, end, p.rest))
			}
		}
	}
	if mark, size := utf8.DecodeRuneInString(text[end:]); markClass(mark) == tickMark && startsWord(text[end+size:]) {
		if w, elided := t.words[string(append(word, '\''))]; elided {
			return w.token(out, end+size)
		}
	}
	if w, known := t.words[string(word)]; known {
		return w.token(out, end)
	}
	out.is = t.classByEnding(text[i:end], out.capital)
	return out
}

// startsWord reports whether a text begins with a letter or a digit.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// phraseEnd is where a phrase ends in a text, the rest of which is folded.
func phraseEnd(text string, end int, rest string) int {
	for range utf8.RuneCountInString(rest) {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return end
}

// token is a token that means the word, up to an end.
func (w dateWord) token(t dateToken, end int) dateToken {
	t.is, t.value, t.end = w.is, w.value, int32(end)
	return t
}

// shortestVerb is the length of the shortest word that an ending makes a verb, in bytes.
const shortestVerb = 5

// classByEnding is the class of a word that the vocabulary lacks. Words with a capital are names, or nouns in German.
func (t *dateTongue) classByEnding(word string, capital bool) wordClass {
	if capital || len(word) < shortestVerb {
		return otherWord
	}
	best, length := otherWord, 0
	for _, e := range t.endings {
		if n := len(e.begins) + len(e.ends); n > length && n < len(word) && strings.HasPrefix(word, e.begins) && strings.HasSuffix(word, e.ends) {
			best, length = e.is, n
		}
	}
	return best
}

// lexNumber reads a number: what the language writes behind an ordinal belongs to it.
func (t *dateTongue) lexNumber(text string, i int) dateToken {
	value, end := digitsAt(text, i)
	for _, o := range t.ordinals {
		if rest, found := strings.CutPrefix(text[end:], o); found && !startsWord(rest) {
			return dateToken{is: nthWord | numberClass(value, end-i)&dayNumber, value: int32(value), end: int32(end + len(o))}
		}
	}
	return lexDateNumber(text, i, figuresAbroad)
}

// figuresAbroad are the dates in figures where the day comes first.
var figuresAbroad = []string{aMonth, "2006-1-2", "2006/1/2", "2006.1.2", "2/1/2006", "2/1/06", "2.1.2006", "2.1.06", "2-1-2006"}

// weekdayAbroad reads "el jueves" and "am Freitag". French has "le jeudi" for what recurs.
func (p *dateParser) weekdayAbroad(f found) dateSpan {
	if p.recurs(f) || f.before.is&(nameWord|aWord) != 0 || f.after.is&(everyWord|unitWord) != 0 {
		return dateSpan{}
	}
	when := p.tense(f.start)
	return p.weekday(p.today(), p.at(f.start).value, when != behind, mayBeToday(when, f))
}

// recurs reports whether an article makes a weekday what recurs.
func (p *dateParser) recurs(f found) bool { return f.the && p.is(f.start-1, everyWord) }

// toldYear reads the year in "2019 habe ich geheiratet": next to the verb of what was done then.
func (p *dateParser) toldYear(f found) dateSpan {
	const verb = pastWord | futureWord
	if f.after.is&verb == 0 {
		return dateSpan{}
	}
	return p.from(int(p.at(f.start).value), 1, 1, 12, 0)
}
