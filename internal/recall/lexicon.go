package recall

import (
	_ "embed" // the lexicon
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/forms.txt
var formText string

//go:embed lexicon/function.txt
var functionText string

//go:embed lexicon/cues.txt
var cueText string

// form is a set of forms that an answer can have.
type form uint16

const (
	formPerson form = 1 << iota
	formPlace
	formTime
	formDuration
	formFrequency
	formMoney
	formNumber
	formReason
	formManner
	formName
)

// cue is a set of functions that words have in a sentence.
type cue uint32

const (
	cueSelf    cue = 1 << iota // the speaker
	cueOther                   // another person
	cueYou                     // the person addressed
	cueBack                    // an earlier state
	cuePresent                 // the present state
	cueSuppose                 // an imagined state
	cueDeny                    // a denial
	cueMany                    // several things
	cueExact                   // the very words
	cueChange                  // a change of mind or of state
	cueOrder                   // what came after what
	cueOpening                 // may open a question
	cueRequest                 // opens a request to tell something
	cueTask                    // opens a request to write something
	cueWe                      // the speaker and others
	cueSay                     // somebody says something
)

// The names of forms and cues in the lexicon's files, in the order of their bits; never
// written.
var (
	formNames = [...]string{"person", "place", "time", "duration", "frequency", "money", "number", "reason", "manner", "name"}
	cueNames  = [...]string{"self", "other", "you", "back", "present", "suppose", "deny", "many", "exact", "change", "order", "opening", "request", "task", "we", "say"}
)

// lexicon maps words, and phrases of words, to what they tell.
type lexicon struct {
	asks  map[string]form // phrases of questions
	types map[string]form // words of questions that an answer of the form need not repeat
	units map[string]form // words next to a figure
	words map[string]form
	cues  map[string]cue
	// foreign are the function words of other languages than English.
	foreign []map[string]bool
	wide    []wideEntry // entries in writing without spaces, which are found inside a text
}

type wideEntry struct {
	text      string
	asks, has form
	cue       cue
}

// theLexicon is the embedded lexicon, read once.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{asks: map[string]form{}, types: map[string]form{}, units: map[string]form{}, words: map[string]form{}, cues: map[string]cue{}}
	for name, items := range language.Lists(formText) {
		sort, of, _ := strings.Cut(name, " ")
		f := form(1) << indexOf(formNames[:], of)
		for _, item := range items {
			l.addForm(sort, f, folded(item))
		}
	}
	for _, items := range language.Lists(functionText) {
		list := map[string]bool{}
		for _, item := range items {
			list[folded(item)] = true
		}
		l.foreign = append(l.foreign, list)
	}
	for name, items := range language.Lists(cueText) {
		c := cue(1) << indexOf(cueNames[:], name)
		for _, item := range items {
			item = folded(item)
			l.cues[item] |= c
			if isWide(item) {
				l.wide = append(l.wide, wideEntry{text: item, cue: c})
			}
		}
	}
	return l
})

func (l *lexicon) addForm(sort string, f form, item string) {
	if isWide(item) {
		e := wideEntry{text: item, has: f}
		if sort == "ask" {
			e = wideEntry{text: item, asks: f}
		}
		l.wide = append(l.wide, e)
		return
	}
	switch sort {
	case "ask":
		l.asks[item] |= f
	case "type":
		l.types[item] |= f
	case "unit":
		l.units[item] |= f
	default:
		l.words[item] |= f
	}
}

// indexOf is the place of a name. A name that the code lacks is an error in the embedded
// file.
func indexOf(names []string, name string) int {
	i := slices.Index(names, name)
	if i < 0 {
		panic("the lexicon has a list " + name + ", which the code does not know")
	}
	return i
}

// folded is a text in lower case, without diacritics and with straight apostrophes.
func folded(s string) string {
	return strings.ReplaceAll(string(language.AppendFolded(nil, s)), "’", "'")
}

// isWide reports whether a text is in writing without spaces.
func isWide(s string) bool { return strings.IndexFunc(s, language.Unspaced) >= 0 }

// stopForeign marks the function words of the language that a question seems to be
// written in, if that is not English, in words of it. "Was" and "in" are English too, so two
// other words of the question must be of that language.
func (l *lexicon) stopForeign(words, question []word) {
	var best map[string]bool
	most := 1
	for _, list := range l.foreign {
		found := 0
		for i := range question {
			if !question[i].stop && list[question[i].low] {
				found++
			}
		}
		if found > most {
			best, most = list, found
		}
	}
	for i := range words {
		words[i].stop = words[i].stop || best[words[i].low]
	}
}
