package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// questionWord is a word of the question: as written, in lower case, and as a stem.
type questionWord struct {
	low, stem string
	stop      bool
	start     int
}

// wordsOf are the words of a question.
func wordsOf(text string) []questionWord {
	var out []questionWord
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return out
		}
		low := strings.ToLower(text[w.Start:w.End])
		low = strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "’s")
		out = append(out, questionWord{low: low, stem: string(w.Stem), stop: w.Stop, start: w.Start})
	}
}

// want decides which shape the answer must have: a sum of money for "how much does …
// cost?", a weekday or a date for "on which day …?".
func (a *asked) want(words []questionWord) {
	l := theLexicon()
	a.ordinal = ordinal(words)
	for i := range words {
		if next := i + 1; next < len(words) {
			switch words[i].low {
			case "how":
				a.wantHow(l, words[next:])
			case "what", "which":
				if !a.has(asksReason | asksEffect) { // "what is behind the price?" asks for no amount
					a.wantWhat(l, words[next:])
				}
			case "who", "whom":
				a.actor(words[next:])
			}
		}
	}
}

// ordinal is the position in a sequence that the question asks about ("the second
// outage"); "" for none.
func ordinal(words []questionWord) string {
	for i := range words {
		low := words[i].low
		if isOrdinal(low) && low != "first" && low != "last" {
			if i > 0 && opensNoun(words[i-1].low) {
				return low
			}
		}
	}
	return ""
}

// wantHow reads the words after "how".
func (a *asked) wantHow(l *lexicon, rest []questionWord) {
	switch rest[0].low {
	case "much":
		a.wants = shapeNumber
		if len(rest) > 1 && isBe(rest[1].low) {
			a.wants = shapeMoney // "how much is the ticket?"
		}
		for i := range rest {
			if l.shapes[rest[i].low].ask&shapeMoney != 0 {
				a.wants = shapeMoney
				a.shape(l, &rest[i])
			}
		}
	case "many":
	default:
		a.wants |= l.shapes[rest[0].low].ask
	}
}

// wantWhat reads the noun after "what" or "which": "which quarter", "what is the
// monthly price", "what does it cost".
func (a *asked) wantWhat(l *lexicon, rest []questionWord) {
	first := rest[0].low
	verb := first == "does" || first == "do" || first == "did"
	for i := range rest {
		w := &rest[i]
		asks := l.shapes[w.low].ask
		switch {
		case !verb && w.stop && !opensNoun(w.low) && (i > 0 || !isBe(w.low)):
			return
		case asks == 0, verb && !isPaying(w.low), verb && rest[len(rest)-1].low == "for":
		case i+1 == len(rest) || rest[i+1].stop || joins(rest[i+1].low) || l.shapes[w.low].means && strings.HasSuffix(rest[i+1].low, "s") || verb || i == 0 && asks&shapeName != 0:
			a.wants |= asks
			a.shape(l, w)
			return
		}
	}
}

// wish makes the verb of "what do the auditors want?" a need. With the speaker as
// subject, the verb only forms the question.
func (a *asked) wish(l *lexicon, words []questionWord) {
	for i := 1; i < len(words) && len(a.needs) < maxNeeds; i++ {
		if !l.has(listWishing, words[i].low) {
			continue
		}
		if prev := words[i-1].low; l.asks[prev]&firstPerson != 0 || prev == "you" || words[i-1].stop && prev != "who" || a.needOf(l, words[i].stem) >= 0 {
			continue
		}
		n := len(a.needs)
		a.needs = append(a.needs, need{stem: words[i].stem, weight: 1})
		a.meets(l, words[i].stem, n, 1)
		for _, other := range l.alike[words[i].stem] {
			a.meets(l, other.stem, n, alikeDegree)
		}
	}
}

// lastName gives weight to "last" in "last name" and "user" in "user name".
func (a *asked) lastName(l *lexicon, words []questionWord) {
	for i := 1; i < len(words); i++ {
		if words[i].low != "name" || !l.has(listNaming, words[i-1].low) {
			continue
		}
		if n := a.needOf(l, words[i-1].stem); n >= 0 {
			a.needs[n].weight = 1
		} else if len(a.needs) < maxNeeds {
			a.needs = append(a.needs, need{stem: words[i-1].stem, weight: 1})
			a.meets(l, words[i-1].stem, len(a.needs)-1, 1)
		}
	}
}

// actor records the action that the answer's person must have done: "who signed the
// lease?" is not answered by the person who pays it.
func (a *asked) actor(rest []questionWord) {
	for i := range rest {
		switch {
		case i > 3:
			return
		case !rest[i].stop:
			if n := a.needOf(theLexicon(), rest[i].stem); n >= 0 && a.needs[n].weight < nameWeight {
				a.deed = n
			}
			return
		}
	}
}

// isPaying reports whether a verb asks for a sum: "what do we pay for the gym?".
func isPaying(low string) bool {
	return low == "cost" || low == "earn" || low == "pay" || low == "charge" || low == "spend"
}

// opensNoun reports whether a word may come before the noun asked for.
func opensNoun(low string) bool {
	switch low {
	case "the", "a", "my", "our", "your", "his", "her", "their", "its":
		return true
	}
	return false
}

// isBe reports whether a word is a form of "be" that links to a noun.
func isBe(low string) bool { return low == "is" || low == "was" || low == "are" || low == "were" }

// shape records a word that only names the shape of the answer.
func (a *asked) shape(l *lexicon, w *questionWord) {
	if l.shapes[w.low].means {
		a.shaped = append(a.shaped, w.stem)
	}
}

// isShaped reports whether the shape of the answer is enough: an answer rarely has "the
// price" together with "4 euros".
func (a *asked) isShaped(stem string) bool { return slices.Contains(a.shaped, stem) }
