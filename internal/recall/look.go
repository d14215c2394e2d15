package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// look is the result of reading a passage.
type look struct {
	met [maxNeeds]float64
	// first is the number of the first word that meets each need, from 1; 0 for none.
	first  [maxNeeds]int
	traits trait
	shapes shape
	at     int // position of the first word that meets a need; -1 for none
	words  int
	// foreign says that the passage names a person or thing that the question does not;
	// called, that such a name comes right after the thing asked about.
	foreign, called bool
	// person says that the passage names a person who could be "who".
	person bool
	// personAt is the number of the first such word, from 1.
	personAt int
	// self says that the speaker speaks of themselves; named, that the passage names a
	// person of the question.
	self, named bool
	// kin says that the last person mentioned is related to the speaker.
	kin bool
	// counted says that a number belongs to the thing that the question counts.
	counted bool
	// leading is set after "from", which leads to a place only before a name, or if the
	// question asks from where. being is set after a form of "be". placed says that a
	// preposition of place leads to something that the question does not name; placing,
	// that its noun is still to come.
	placed, placing, being, leading, origin bool

	// numbers counts the numbers, and counting those that count something that meets a
	// need: "two warehouses".
	numbers, counting int
	// fresh counts the content words that the question lacks. opposed says that one of
	// them is the opposite of a word of the question.
	fresh   int
	opposed bool
	// sorted says that an example of the requested sort of thing is named.
	sorted bool
	// sortNamed says that a qualifying word is next to the thing that "which" asks for:
	// "the good camera", "room 12". sortAt is its position. content says that the
	// previous word is not a function word.
	sortNamed, content bool
	sortAt, headAt     int
	// compound says that the head of the question only qualifies another noun: "the pH
	// meter".
	compound bool
	// naming is set after "called" and similar words.
	naming bool
	// dated is the last word that names a part of the calendar. linked says that a noun
	// leads to the following words.
	dated          int
	linked         bool
	number, wanted int  // the last word that is a number, or meets a need
	noun           int  // the last word that names the counted thing
	broken         bool // a preposition followed the last wanted word
}

// scaled is the part of a look that nearby words lend to a passage.
func (k look) scaled(degree float64) *look {
	for n := range k.met {
		k.met[n] *= degree
	}
	return &k
}

// join adds what further nearby words lend.
func (k *look) join(o *look) *look {
	if o != nil {
		for n := range k.met {
			k.met[n] = max(k.met[n], o.met[n])
		}
	}
	return k
}

// look reads the words of a passage.
func (a *asked) look(text string) look {
	out := look{at: -1, number: far, wanted: far, noun: far, dated: far, sortAt: far, headAt: far, origin: strings.Contains(a.text, "from")}
	l, end := theLexicon(), 0
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return out
		}
		stem := string(w.Stem)
		t := l.asks[stem]
		if w.Number {
			t |= givesNumber
		}
		if stem == "mine" && w.End-w.Start > len(stem) {
			t &^= firstPerson // "mines" is no pronoun in "salt mines"
		}
		parts, share := a.terms[stem], 1.0
		if w.Stop {
			parts = nil // "in" is not Ines, though they share a stem
		} else if parts == nil {
			parts, share = a.terms[derived(stem)], derivedShare
		}
		if strings.ContainsAny(text[min(end, w.Start):w.Start], ",;:") {
			out.content = false
		}
		end = w.End
		out.meet(a, parts, share, w.Start)
		out.people(a, t, len(parts) > 0, stem)
		out.place(&w, len(parts) > 0)
		out.form(text, t, &w, len(parts) > 0)
		out.sortNamed = out.sortNamed || out.sortAt == out.words-1 && (w.Number || w.Capital)
		out.content = !w.Stop && len(parts) == 0 && !inflected(w.Start, w.End, text) && stem != "old" && stem != "new"
		if !w.Stop && len(parts) == 0 && (l.weight[stem] > 0 || l.weight[stem] == 0 && !l.known(stem)) {
			out.fresh++
		}
		if len(parts) == 0 && slices.Contains(a.against, stem) {
			out.opposed = true
		}
		if out.person && out.personAt == 0 {
			out.personAt = out.words + 1
		}
		out.compound = (out.compound || out.headAt == out.words-1 && a.narrows(text, &w)) && !(out.headAt == out.words-1 && !a.narrows(text, &w))
		if a.head >= 0 && slices.ContainsFunc(parts, func(p part) bool { return p.need == a.head }) {
			out.headAt = out.words
		}
		out.words++
	}
}

// narrows reports whether a word after the head of the question is a noun that the head
// only qualifies.
func (a *asked) narrows(text string, w *language.Word) bool {
	l := theLexicon()
	if string(w.Stem) == a.headed {
		return false // the question qualifies it, too
	}
	if w.Stop || w.Number || w.Capital || len(a.terms[string(w.Stem)]) > 0 || inflected(w.Start, w.End, text) || l.base[string(w.Stem)] != "" || strings.ContainsAny(text[max(0, w.Start-2):w.Start], ",;:.(=") {
		return false
	}
	after, _ := firstWord(text[w.End:])
	return language.Stop(after) || l.asks[after]&givesNumber != 0 || l.base[language.Stem(after)] != "" || after == "read" || strings.HasSuffix(after, "ed") || strings.HasSuffix(after, "s")
}

// inflected reports whether a word has the ending of a verb: "starts school" does not
// say which school.
func inflected(start, end int, text string) bool {
	word := strings.ToLower(text[start:end])
	return strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing")
}

// far is a position further back than any word that matters.
const far = -100

// derivedShare is the degree to which "competitor" meets "compete".
const derivedShare = 0.9

// meet records the needs that a word meets.
func (k *look) meet(a *asked, parts []part, share float64, start int) {
	if len(parts) == 0 {
		return
	}
	if k.number == k.words-1 {
		k.counting++
		k.counted = true // "4 high" of the vulnerabilities
	}
	exact := slices.ContainsFunc(parts, func(p part) bool { return p.degree == 1 })
	k.sortAt = far
	for _, p := range parts {
		if p.need == a.sort && p.degree == underDegree {
			k.sorted = true
		}
		if (p.need == a.which || p.need == a.sort) && p.degree == 1 {
			k.sortNamed = k.sortNamed || k.content && k.number != k.words-1
			k.sortAt = k.words
		}
		if exact && p.degree < 1 && p.need != a.sort {
			continue // the grant is not who awarded it
		}
		k.met[p.need] = max(k.met[p.need], p.degree*share)
		if k.first[p.need] == 0 {
			k.first[p.need] = k.words + 1
		}
		k.named = k.named || a.needs[p.need].weight == nameWeight
		if p.need == a.counts {
			k.noun, k.linked = k.words, false
			k.counted = k.counted || k.words-k.number <= 3
		}
	}
	if k.at < 0 {
		k.at = start
		if k.kin {
			k.traits |= namesRelation
		}
	}
	k.wanted, k.broken = k.words, false
}

// people records which person is spoken of.
func (k *look) people(a *asked, t trait, wanted bool, stem string) {
	k.self = k.self || t&firstPerson != 0
	k.person = k.person || t&namesRelation != 0
	switch {
	case t&namesRelation != 0 && !wanted && !a.has(asksPerson), t&thirdPerson != 0 && a.ofSelf():
		k.kin = true
	case stem == "i" || stem == "we":
		k.kin = false
	}
}

// form records numbers and names, and the words next to them.
func (k *look) form(text string, t trait, w *language.Word, wanted bool) {
	k.traits |= t & (givesReason | givesNumber | namesMoney | asksPreference)
	k.person = k.person || t&namesSomebody != 0 && !wanted
	calendar := theLexicon().shapes[string(w.Stem)].word&(shapeMonth|shapeQuarter) != 0
	switch {
	case calendar:
		k.number, k.dated = far, k.words // "3 June" counts nothing
	case t&givesNumber != 0 && k.words-k.dated > 1 && !isClock(text, w):
		k.number = k.words
		k.numbers++
		k.counted = k.counted || k.words-k.noun <= 3 && k.linked && !k.broken
	case theLexicon().shapes[string(w.Stem)].unit != 0 && !wanted:
		k.number = far // "200 g of flour"
	}
	k.linked = k.linked || k.words-k.noun <= 1 && isLink(w) || k.words == k.noun && leadsOn(text, w)
	if !w.Capital && joins(string(w.Stem)) {
		k.broken = true
	}
	switch stem := string(w.Stem); {
	case stem == "name" || stem == "call" || stem == "dub" || stem == "nicknam" || stem == "titl":
		k.naming = k.words-k.wanted <= 4
	case k.naming && !w.Stop:
		k.called, k.naming = k.called || !wanted, false
	}
	if w.Capital && !w.Stop && !wanted {
		k.foreign = k.foreign || w.Start > 0 && !calendar && !(k.number == k.words-1 && w.End-w.Start <= 3) && theLexicon().shapes[string(w.Stem)].word&shapeDay == 0
		k.person = k.person || mayBeSomebody(text, w, calendar)
		k.called = k.called || k.words-k.wanted <= 3 && !k.broken && theLexicon().shapes[string(w.Stem)].word&shapeDay == 0 && !calendar
	}
}

// isClock reports whether a figure is part of an hour: "14:30".
func isClock(text string, w *language.Word) bool {
	return w.End+1 < len(text) && text[w.End] == ':' && text[w.End+1] >= '0' && text[w.End+1] <= '9' || w.Start > 0 && text[w.Start-1] == ':'
}

// isLink reports whether a word leads from a noun to its number: "the number of
// seats is 40".
func isLink(w *language.Word) bool {
	switch string(w.Stem) {
	case "is", "are", "was", "were", "to", "of", "be", "total", "equal", "at", "by":
		return true
	}
	return false
}

// leadsOn reports whether the mark behind a noun leads to its number:
// "replicas: 3".
func leadsOn(text string, w *language.Word) bool {
	return w.End < len(text) && (text[w.End] == ':' || text[w.End] == '=')
}

// mayBeSomebody reports whether a capitalized word may be a person's name: not part of
// the calendar, no abbreviation, and not just the first word of a sentence in a form
// that names do not have.
func mayBeSomebody(text string, w *language.Word, calendar bool) bool {
	word := text[w.Start:w.End]
	if calendar || strings.ContainsAny(word, "0123456789") || len(word) > 1 && strings.ToUpper(word) == word {
		return false
	}
	low := strings.ToLower(word)
	if memory.NamesTechnology(low) {
		return false
	}
	if l := theLexicon(); l.shapes[low].word&(shapeDay|shapeSeason) != 0 || l.listed[string(w.Stem)] {
		return false
	}
	return w.Start > 0 || !strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ly")
}

// place records a statement of place.
func (k *look) place(w *language.Word, wanted bool) {
	if theLexicon().has(listPlace, string(w.Stem)) {
		k.placing, k.being, k.leading = true, false, w.Stem[0] == 'f'
		return
	}
	switch string(w.Stem) {
	case "for":
		k.placing, k.leading = true, true // "for Iceland we rent a camper"
		return
	case "with":
		k.placing, k.being = k.being, false // "the keys are with Dana"
		return
	case "is", "are", "was", "were", "m", "be":
		k.being = true
		return
	}
	k.being = k.being && w.Stop
	if w.Stop || !k.placing {
		return
	}
	if w.Number || theLexicon().shapes[string(w.Stem)].word&^shapeShare != 0 {
		k.placing = false // "at 8:30", "on Mondays"
		return
	}
	k.placed = k.placed || w.Capital || !wanted && (!k.leading || k.origin)
	k.placing = false
}

// joins reports whether a word leads on to another thing.
func joins(word string) bool {
	switch word {
	case "in", "at", "on", "to", "from", "for", "with", "of", "by", "and", "into", "within", "after", "before", "per", "under", "until", "everi", "sinc", "because", "as", "while", "but", "when", "where", "so":
		return true
	}
	return false
}

// derived is the stem from which a longer one is derived; "" for none.
func derived(stem string) string {
	for _, ending := range [...]string{"ation", "ition", "itor", "ator", "ment", "ness", "ship", "ist", "ion", "anc", "enc", "or", "er", "iv"} {
		if base, cut := strings.CutSuffix(stem, ending); cut && len(base) >= 4 {
			return base
		}
	}
	return ""
}
