package recall

import (
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
)

// need is something a sentence has to speak of to answer a question: mostly one
// word of it.
type need struct {
	stem   string
	weight float64
	// whole is the weight once it is met: "which herb …?" is seldom answered with
	// the word herb, but all the better if it is.
	whole float64
	// slots are the attributes of facts that meet the need.
	slots []string
	// kind is the trait by which the kind of a fact meets it; 0 for none.
	kind trait
}

// part says how well a word of a sentence meets a need.
type part struct {
	need   int
	degree float64
}

// asked is a question as far as its words tell what it asks for.
type asked struct {
	text  string
	needs []need
	// terms leads from a stem to the needs it meets.
	terms  map[string][]part
	traits trait
	// spans are the times it names.
	spans []language.Date
	at    time.Time
	// counts is the need that "how many" counts; head is what "what is the …
	// of …" asks for, owner of what. -1 for none.
	counts, head, owner int
	wide                bool // in a writing without spaces: words are guesses
	// negotiable is set when all its needs are weak ones.
	negotiable bool
}

const (
	// maxNeeds bounds the work a question can cause.
	maxNeeds = 16
	// maxAsked is how much of a question is read, in bytes.
	maxAsked = 2000

	nameWeight = 1.15 // of a word written like a name
	slotWeight = 0.8  // of a weak word that asks for a slot of a fact
	sortWeight = 0.5  // of the sort of thing that "which" asks for
	// How well words other than the question's own meet its needs.
	alikeDegree, underDegree, slotDegree = 0.85, 0.9, 1.0
)

// idioms puts the plain word in the place of a turn of phrase; never written.
var idioms = strings.NewReplacer("for a living", "as a job", "get rid of", "remove", "got rid of", "removed", "how come", "why")

// read works out what a question asks for at a time.
func read(text string, at time.Time) *asked {
	if len(text) > maxAsked {
		text = strings.ToValidUTF8(text[:maxAsked], "")
	}
	text = idioms.Replace(strings.TrimSpace(text))
	l := theLexicon()
	a := &asked{text: text, terms: map[string][]part{}, at: at, counts: -1, head: -1, owner: -1, spans: language.Dates(text, at)}
	bare := blank(text)
	a.wide = bare != text || isWide(text)
	before, word := "", ""
	for scan := language.Scan(bare); len(a.needs) < maxNeeds; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		before = word
		word = strings.ToLower(bare[w.Start:w.End])
		traits := l.asks[word] | l.asks[string(w.Stem)]
		a.traits |= traits &^ (opensQuestion | opensRequest | givesReason | givesNumber)
		if !w.Stop && !a.dated(w.Start, w.End) {
			a.need(l, w, traits, before)
		}
	}
	a.settle()
	return a
}

// dated reports whether the bytes belong to an expression of time.
func (a *asked) dated(start, end int) bool {
	for i := range a.spans {
		if a.spans[i].Start <= start && end <= a.spans[i].End {
			return true
		}
	}
	return false
}

// need adds what a word asks for.
func (a *asked) need(l *lexicon, w language.Word, traits trait, before string) {
	stem := string(w.Stem)
	if base, irregular := l.base[stem]; irregular {
		stem = base
	}
	kind := traits & (asksDecision | asksPreference | asksInstruction)
	weight, listed := l.weight[stem]
	switch {
	case listed && weight == 0 && kind == 0 && len(l.slots[stem]) == 0:
		return
	case stem == "name" || stem == "call":
		weight = slotWeight
	case listed:
		weight = weakWeight
	case w.Number, w.Capital && w.Start > 0:
		weight = nameWeight
	default:
		weight = 1
	}
	if a.needOf(l, stem) >= 0 {
		return
	}
	n, whole := len(a.needs), 0.0
	if before == "many" {
		a.counts = n
	}
	if sort := before == "which" || before == "what"; sort && weight == 1 && kind == 0 && !l.knows(stem) {
		weight, whole = sortWeight, 1
	}
	a.needs = append(a.needs, need{stem: stem, weight: weight, whole: whole, slots: l.slots[stem], kind: kind})
	a.meets(l, stem, n, 1)
	for _, other := range l.alike[stem] {
		a.meets(l, other.stem, n, alikeDegree)
	}
	for _, other := range l.under[stem] {
		a.meets(l, other.stem, n, underDegree)
	}
}

// inOtherWords is the question with the words that may stand for its own: what
// is searched for when its own find nothing.
func (a *asked) inOtherWords() string {
	l := theLexicon()
	var words []string
	add := func(list []twin) {
		for _, other := range list {
			words = append(words, other.word)
			for _, form := range l.forms[other.stem] {
				words = append(words, form.word)
			}
		}
	}
	for i := range a.needs {
		stem := a.needs[i].stem
		for _, ending := range [...]string{"er", "or", "itor", "ion", "ition", "ation", "ment"} {
			words = append(words, stem+ending)
		}
		add(l.forms[stem])
		add(l.alike[stem])
		add(l.under[stem])
	}
	return strings.Join(words, " ")
}

// meets enters that a word, in all its forms, meets a need.
func (a *asked) meets(l *lexicon, stem string, n int, degree float64) {
	if base := derived(stem); base != "" {
		a.terms[base] = append(a.terms[base], part{need: n, degree: degree * derivedShare})
	}
	a.terms[stem] = append(a.terms[stem], part{need: n, degree: degree})
	for _, form := range l.forms[stem] {
		a.terms[form.stem] = append(a.terms[form.stem], part{need: n, degree: degree})
	}
}
