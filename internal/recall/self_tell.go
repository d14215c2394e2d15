package recall

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clause is a clause of a statement, from one word on.
type clause struct {
	text  string
	words []spelt
}

// toldOfSelf are the attributes that a statement gives of its speaker.
func toldOfSelf(text string) (attributes []string) {
	if !theSelfGrammar().mayTell(text) || len(text) > maxShaped || strings.ContainsAny(text, quotes) {
		return nil
	}
	words := elidedWords(text)
	for i := range words {
		if unsaidOfSelf(words[i].low) {
			break
		}
		if !opensClause(text, words, i) {
			continue
		}
		c := clause{text: text, words: withoutSince(words[i:clauseEnd(text, words, i)])}
		for k := range theSelfGrammar().tells {
			if t := &theSelfGrammar().tells[k]; t.opens(&c) && !slices.Contains(attributes, t.attribute) {
				attributes = append(attributes, t.attribute)
			}
		}
	}
	return attributes
}

// opensClause reports whether a clause of the speaker may begin at a word: at the beginning, behind a mark, a conjunction or a
// filler. Behind a colon stands what another one says, except in "about me: I'm a nurse".
func opensClause(text string, words []spelt, i int) bool {
	if i == 0 || theSelfGrammar().lists["filler"][words[i-1].low] || joinsClauses(words[i-1].low) {
		return true
	}
	between := text[words[i-1].end:words[i].start]
	if strings.Contains(between, ":") {
		return slices.ContainsFunc(words[:i], func(w spelt) bool { return hasDuty(w.low, dutyObject) })
	}
	return endsClause(between) || strings.Contains(between, ". ")
}

// hasDuty reports whether a word has a duty in one of the languages.
func hasDuty(low string, duty duty) bool {
	return slices.ContainsFunc(theOwnerWords().in[:], func(w ownerWords) bool { return w.duties[low]&duty != 0 })
}

// joinsClauses reports whether a word stands between clauses.
func joinsClauses(low string) bool { return hasDuty(low, dutyAnd) }

// unsaidOfSelf reports whether a word makes what comes no statement of what is so: another person says it, or it is supposed.
func unsaidOfSelf(low string) bool {
	return thePlainWords().hearsay[low] || theLexicon().cues[low]&(cueSuppose|cueSay) != 0
}

// clauseEnd is where a clause that begins at a word ends: at a full stop or the next conjunction. A comma does not end it: "ich bin
// Maria, Lehrerin".
func clauseEnd(text string, words []spelt, from int) int {
	for i := from + 1; i < len(words); i++ {
		if joinsClauses(words[i].low) || strings.ContainsAny(text[words[i-1].end:words[i].start], ".;:!?") {
			return i
		}
	}
	return len(words)
}

// withoutSince leaves out since when something is so: "ich lebe seit 2010 in Erfurt".
func withoutSince(words []spelt) []spelt {
	out := make([]spelt, 0, len(words))
	for i := 0; i < len(words); {
		end := i + 1
		for theGrammar().relation(words[i].low) == "since" && end < len(words) && saysSinceWhen(words[end].low) {
			end++
		}
		if end == i+1 {
			out = append(out, words[i])
		}
		i = end
	}
	return out
}

// saysSinceWhen reports whether a word goes on from "since".
func saysSinceWhen(low string) bool {
	_, err := strconv.Atoi(low)
	return err == nil || theLexicon().words[low]&formTime != 0 || theSelfGrammar().lists["since-when"][low]
}

// opens reports whether a clause has the form of the telling.
func (t *selfTelling) opens(c *clause) bool {
	return slices.ContainsFunc(t.openings, func(opening []string) bool {
		rest := c.words
		if len(rest) <= len(opening) {
			return false
		}
		for i, want := range opening {
			if rest[i].low != want {
				return false
			}
		}
		return t.goesOn(c.text, rest[len(opening):])
	})
}

// goesOn reports whether the rest of a clause has the value of the telling.
func (t *selfTelling) goesOn(text string, rest []spelt) bool {
	once := theSelfGrammar().lists["once"]
	if len(rest) == 0 || slices.ContainsFunc(rest, func(w spelt) bool { return once[w.low] }) {
		return false
	}
	if len(t.rest) > 0 && !slices.ContainsFunc(rest, func(w spelt) bool { return slices.Contains(t.rest, w.low) }) {
		return false
	}
	switch t.value {
	case "job":
		return namesJob(text, rest)
	case "noun":
		return !theSelfGrammar().lists["bars"][rest[0].low]
	case "name":
		return isCapital(text, &rest[0])
	case "given":
		return introducesName(text, rest)
	case "place":
		return namesPlace(text, rest, nil)
	case "homeland":
		return namesPlace(text, rest, theSelfGrammar().lists["lands"])
	}
	return namesAge(text, rest, t.value == "years")
}

// namesJob reports whether a job stands behind an opening. No name may stand just before it: "Anna Schneider".
func namesJob(text string, rest []spelt) bool {
	const near = 5
	g := theSelfGrammar()
	for i := range rest[:min(near, len(rest))] {
		w := &rest[i]
		named := i > 0 && isCapital(text, &rest[i-1]) && !endsClause(text[rest[i-1].end:w.start])
		switch {
		case g.isJob(w, isCapital(text, w)):
			return !named
		case g.lists["bars"][w.low] || isRelation(w.low):
			return false
		}
	}
	return false
}

// introducesName reports whether a name stands behind an opening in an introduction: "Hallo, ich bin Sabine". Nouns of German have
// a capital, too.
func introducesName(text string, rest []spelt) bool {
	g, w := theSelfGrammar(), &rest[0]
	hello, _ := firstWord(text)
	if !g.lists["hello"][folded(hello)] || !isCapital(text, w) || g.namesNoPerson(w) {
		return false
	}
	const most = 3 // words of a name
	next := 1
	for next < len(rest) && next < most && isCapital(text, &rest[next]) {
		next++
	}
	return next == len(rest) || endsClause(text[rest[next-1].end:rest[next].start]) || theLexicon().words[rest[next].low]&formPlace != 0
}

// namesNoPerson reports whether a word with a capital is another noun than a name: a relation, a job, "Student".
func (g *selfGrammar) namesNoPerson(w *spelt) bool {
	if isRelation(w.low) || g.lists["noname"][w.low] || g.isJob(w, true) {
		return true
	}
	for end := range g.lists["noname-end"] {
		if strings.HasSuffix(w.low, end) {
			return true
		}
	}
	return false
}

// isRelation reports whether a word names a relation of persons: "the son of a teacher".
func isRelation(low string) bool {
	return slices.ContainsFunc(theOwnerWords().in[:], func(w ownerWords) bool { return w.relations[low] != "" })
}

// namesPlace reports whether a place stands behind an opening, perhaps with an article: any, or one of some lands.
func namesPlace(text string, rest []spelt, lands map[string]bool) bool {
	g := theSelfGrammar()
	if len(rest) > 1 && g.lists["article"][rest[0].low] {
		rest = rest[1:]
		if lands != nil && !lands[rest[0].low] {
			return false // "aus dem Kino"
		}
	}
	return isCapital(text, &rest[0]) && !g.lists["nowhere"][rest[0].low]
}

// namesAge reports whether an age stands behind an opening: a figure before a word for years, or alone.
func namesAge(text string, rest []spelt, alone bool) bool {
	const oldest = 120
	n, err := strconv.Atoi(rest[0].low)
	if err != nil || n < 1 || n > oldest {
		return false
	}
	g, ends := theSelfGrammar(), func(i int) bool { return i == len(rest) || endsClause(text[rest[i-1].end:rest[i].start]) }
	if ends(1) {
		return alone
	}
	return g.lists["years"][rest[1].low] && (ends(2) || g.lists["aged"][rest[2].low]) // and not "34 years of practice"
}

// isCapital reports whether a word begins with a capital.
func isCapital(text string, w *spelt) bool {
	r, _ := utf8.DecodeRuneInString(text[w.start:])
	return unicode.IsUpper(r)
}
