package recall

import (
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
)

// need is something that a sentence must mention to answer a question, usually one word
// of it.
type need struct {
	stem   string
	word   string // as it is written, in lower case
	proper bool   // written like a name, and not an abbreviation
	weight float64
	// whole is the weight if the need is met: "which herb …?" is rarely answered with
	// the word herb, but an answer with it is better.
	whole float64
	// slots are the attributes of facts that meet the need.
	slots []string
	// kind is the trait of facts whose kind meets the need; 0 for none.
	kind trait
}

// part is the degree to which a word of a sentence meets a need.
type part struct {
	need   int
	degree float64
}

// asked is a parsed question.
type asked struct {
	text  string
	needs []need
	// terms maps a stem to the needs it meets.
	terms  map[string][]part
	traits trait
	// spans are the times in the question.
	spans []language.Date
	at    time.Time
	// counts is the need that "how many" counts. head and owner are X and Y of "what is
	// the X of Y". -1 for none.
	counts, head, owner int
	// headed is the noun that the head qualifies in the question itself, if that noun is no
	// need: "date" in "what is the launch date?"; "" for none.
	headed   string
	wide     bool // written without spaces, so that word boundaries are guesses
	modified bool // a noun qualifies the sort of thing asked for
	nameEnd  int  // end of the last word of a name
	// sort is the need that "which colour" asks for, if the lexicon lists examples; -1
	// for none.
	sort int
	// which is the need that "which" asks for if the lexicon lists no examples; -1 for
	// none.
	which int
	// slot is the need that only asks for the value of a slot, as in "which database do
	// we use?"; -1 for none.
	slot int
	// wants are the shapes of which the answer must have one; 0 for any. shaped are the
	// words that ask for them.
	wants  shape
	shaped []string
	// deed is the need for the action of "who"; -1 for none.
	deed int
	// counted is the word that "how many" counts. amount is the need that "how much"
	// measures; -1 for none.
	counted string
	amount  int
	// choice is the second of two alternatives with "or", of which one is enough; -1
	// for none.
	choice int
	// against are the opposites of its words. yesNo says that a yes would answer it.
	against []string
	yesNo   bool
	// ordinal is the position in a sequence that it asks about; "" for none.
	ordinal string
	// denies says that it asks why something is not so.
	denies bool
	// measured says that it asks for a measure: how large, how far.
	measured bool
	// favourite says that it asks for a person's favourite.
	favourite bool
	// negotiable says that all its needs are weak.
	negotiable bool
	// identity says that it only asks who the speaker is.
	identity bool
	// supposes says that it asks for possibilities. Only then may suppositions be
	// quoted.
	supposes bool
}

const (
	// maxNeeds bounds the work for a question.
	maxNeeds = 16
	// maxOthers bounds how many replacements of words are searched for.
	maxOthers = 24
	// maxAsked bounds the part of a question that is read, in bytes.
	maxAsked = 2000

	nameWeight      = 1.15 // of a word written like a name
	nameRestWeight  = 0.3  // of further words of a name
	slotWeight      = 0.8  // of a weak word that asks for a slot of a fact
	sortNamedWeight = 0.7  // of the sort in "which piano teacher"
	sortWeight      = 0.5  // of the sort of thing that "which" asks for
	// How well words other than the question's own meet its needs.
	alikeDegree, underDegree, slotDegree = 0.85, 0.9, 1.0
)

// read parses a question that is asked at a time.
func read(text string, at time.Time) *asked {
	if len(text) > maxAsked {
		text = strings.ToValidUTF8(text[:maxAsked], "")
	}
	if about := guided(text); about != "" {
		text = "tell me " + about
	}
	text = idioms.Replace(strings.TrimSpace(text))
	l := theLexicon()
	a := &asked{text: text, terms: map[string][]part{}, at: at, counts: -1, head: -1, owner: -1, sort: -1, slot: -1, which: -1, deed: -1, amount: -1, choice: -1, spans: language.Dates(text, at)}
	for i := range a.spans {
		if s := &a.spans[i]; s.Relative && strings.Contains(strings.ToLower(text[s.Start:s.End]), "past") && s.To.Before(at) {
			s.To = at // "the past week" reaches up to now
		}
	}
	a.spans = slices.DeleteFunc(a.spans, a.vague)
	bare := blank(text)
	a.wide = bare != text || isWide(text)
	asking := wordsOf(text)
	function := foreign(l, asking)
	before, word := "", ""
	for scan := language.Scan(bare); len(a.needs) < maxNeeds; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		before = word
		word = strings.ToLower(bare[w.Start:w.End])
		traits := l.asks[word] | l.asks[string(w.Stem)]
		if len(a.needs) > 0 {
			traits &^= thirdPerson // "where are the replicas, and who runs them?"
		}
		a.favourite = a.favourite || word == "favourite" || word == "favorite"
		a.traits |= traits &^ (opensQuestion | opensRequest | opensTask | givesReason | givesNumber)
		if word == "before" && a.dated(w.Start, min(w.End+2, len(bare))) {
			a.traits &^= asksChange // "before August"
		}
		asking := before
		if (before == "which" || before == "what") && modifies(bare[w.End:]) && !(len(l.slots[string(w.Stem)]) > 0 && generalNext(bare[w.End:])) {
			a.modified = true
			asking, word = "", before // the sort is the noun behind: "which piano teacher"
		}
		if !w.Stop && !a.dated(w.Start, w.End) && !slices.Contains(function, word) {
			a.need(l, w, traits, asking)
		}
	}
	if len(a.needs) == 0 && !a.wide && !a.has(asksOverview|asksChange|asksList|asksOrder|asksReason) && len(a.spans) == 0 {
		a.idleNeeds(l, bare)
	}
	a.stance(asking)
	a.wish(l, asking)
	a.lastName(l, asking)
	a.settle()
	a.want(asking)
	a.direct(asking)
	return a
}

// weigh is the weight of a word in the question; 0 for a word that only forms the
// question.
func (a *asked) weigh(l *lexicon, w *language.Word, stem, before string, kind trait) float64 {
	weight, listed := l.weight[stem]
	switch {
	case l.idle[strings.ToLower(a.text[w.Start:w.End])] && !a.wide:
		return 0
	case stem == "run" && strings.HasSuffix(a.text[w.Start:w.End], "ing") && !a.has(asksPlace):
		return 1 // a sport, most often
	case before == "how" && l.shapes[strings.ToLower(stem)].ask == 0 && measures(stem):
		return weakWeight
	case listed && weight == 0 && kind == 0 && len(l.slots[stem]) == 0:
		return 0
	case stem == "name" || stem == "call":
		return slotWeight
	case listed:
		return max(slightWeight, weight)
	case w.Capital && a.nameEnd > 0 && w.Start == a.nameEnd+1:
		return nameRestWeight
	case w.Number, w.Capital && w.Start > 0:
		return nameWeight
	}
	return 1
}

// stance decides whether the question asks who the speaker is, or for possibilities.
func (a *asked) stance(words []questionWord) {
	if len(a.needs) == 0 && a.has(asksPerson) && a.has(firstPerson) {
		a.identity = true // "who am I?"
		a.traits |= asksOverview
	}
	for i := range words {
		if low := words[i].low; low == "may" || low == "might" || low == "maybe" || low == "considering" || low == "perhaps" {
			a.supposes = true
		}
	}
}

// exactly reports whether the question asks for the exact words.
func (a *asked) exactly() bool {
	if a == nil {
		return false
	}
	return theLexicon().tells(partExact, strings.ToLower(a.text))
}

// modifies reports whether the word before rest qualifies a following noun: one more
// word precedes the verb.
func modifies(rest string) bool {
	noun, after := firstWord(rest)
	verb, _ := firstWord(after)
	switch verb {
	case "do", "does", "did", "am", "is", "are", "was", "were", "have", "has", "had", "should", "can", "will":
		return noun != "" && !language.Stop(noun)
	}
	return false
}

// idleNeeds makes words into needs that otherwise only form a question, if there are no
// other needs: "how long should summaries be?".
func (a *asked) idleNeeds(l *lexicon, text string) {
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return
		}
		if stem := string(w.Stem); !w.Stop && l.asks[stem]&asksOverview == 0 && len(stem) > 5 && a.needOf(l, stem) < 0 {
			a.needs = append(a.needs, need{stem: stem, weight: 1})
			a.meets(l, stem, len(a.needs)-1, 1)
		}
	}
}

// dated reports whether the bytes overlap an expression of time.
func (a *asked) dated(start, end int) bool {
	for i := range a.spans {
		if a.spans[i].Start < end && start < a.spans[i].End {
			return true
		}
	}
	return false
}

// need adds the need of a word.
func (a *asked) need(l *lexicon, w language.Word, traits trait, before string) {
	stem := string(w.Stem)
	if base, irregular := l.base[stem]; irregular {
		stem = base
	}
	if before == "what" && stem == "time" {
		a.traits |= asksTime
		return
	}
	if traits&(asksReason|asksEffect) != 0 && len(l.slots[stem]) == 0 {
		return // "the cause of the outage"
	}
	kind := traits & (asksDecision | asksPreference | asksInstruction)
	weight := a.weigh(l, &w, stem, before, kind)
	if weight == 0 {
		return
	}
	if a.needOf(l, stem) >= 0 {
		return
	}
	if last := len(a.needs) - 1; last >= 0 && isGeneral(stem) && len(a.needs[last].slots) > 0 && before == a.needs[last].word {
		return // "which API style"
	}
	if w.Capital && w.Start > 0 {
		a.nameEnd = w.End
	}
	if n := len(a.needs); n > 0 && weight == nameRestWeight && l.listed[a.needs[n-1].stem] {
		a.needs[n-1].weight, a.needs[n-1].proper, weight = nameRestWeight, false, nameWeight // "Project Heron"
	}
	n, whole := len(a.needs), 0.0
	if a.has(asksTime) && weight == 1 && happens(stem) {
		weight = weakWeight // "when does the parcel arrive?"
	}
	if before == "many" || a.counts >= 0 && a.counts == n-1 && before == a.counted && !strings.HasSuffix(before, "s") && !w.Capital && strings.HasSuffix(strings.ToLower(a.text[w.Start:w.End]), "s") {
		a.counts, a.counted = n, strings.ToLower(a.text[w.Start:w.End]) // "how many feature flags"
	}
	if before == "much" && weight == 1 {
		a.amount = n
	}
	if sort := before == "which" || before == "what"; sort && weight == 1 && kind == 0 && !l.knows(stem) && traits&namesMeasure == 0 {
		weight, whole = sortWeight, 1
		if a.modified {
			weight = sortNamedWeight
		}
		a.which = n
	}
	if (before == "which" || before == "what") && len(l.under[stem]) > 0 {
		a.sort = n
	}
	if (before == "which" || before == "what") && len(l.slots[stem]) > 0 {
		a.slot = n
	}
	slots := l.slots[stem]
	if before != "which" && before != "what" && narrowsThing(a.text[min(w.End, len(a.text)):]) {
		slots = nil // "the web app" asks for no other sort of app
	}
	word := a.text[min(w.Start, len(a.text)):min(w.End, len(a.text))]
	proper := weight == nameWeight && w.Capital && strings.ToUpper(word) != word
	a.needs = append(a.needs, need{stem: stem, word: strings.ToLower(word), proper: proper, weight: weight, whole: whole, slots: slots, kind: kind})
	a.standIns(l, stem, n)
}

// standIns adds the words that meet a need: the word itself, words alike, and examples.
func (a *asked) standIns(l *lexicon, stem string, n int) {
	a.meets(l, stem, n, 1)
	if strings.HasSuffix(a.needs[n].word, "er") && !strings.HasSuffix(stem, "er") && len(a.needs[n].word) > len(stem)+1 {
		return // "publisher" is no example of "shipper"
	}
	for _, other := range l.alike[stem] {
		if stem != "call" && stem != "name" || a.has(asksPerson) {
			a.meets(l, other.stem, n, alikeDegree)
		}
	}
	for _, other := range l.under[stem] {
		a.meets(l, other.stem, n, underDegree)
	}
}

// generalNext reports whether the next word is a general one.
func generalNext(rest string) bool {
	noun, _ := firstWord(rest)
	return isGeneral(language.Stem(noun))
}

// narrowsThing reports whether the next word is a thing that the previous word
// qualifies.
func narrowsThing(rest string) bool {
	noun, _ := firstWord(rest)
	return theLexicon().has(listTier, language.Stem(noun))
}

// isGeneral reports whether a noun adds nothing after the name of a sort.
func isGeneral(stem string) bool {
	return theLexicon().has(listVariety, stem)
}

// meets records that all forms of a word meet a need.
func (a *asked) meets(l *lexicon, stem string, n int, degree float64) {
	if base := derived(stem); base != "" {
		a.terms[base] = append(a.terms[base], part{need: n, degree: degree * derivedShare})
	}
	a.terms[stem] = append(a.terms[stem], part{need: n, degree: degree})
	for _, form := range l.forms[stem] {
		a.terms[form.stem] = append(a.terms[form.stem], part{need: n, degree: degree})
	}
}
