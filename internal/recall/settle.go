package recall

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// settle derives the properties that depend on all words of the question.
func (a *asked) settle() {
	a.negotiable = true
	for i := range a.needs {
		if a.needs[i].weight > slotWeight {
			a.negotiable = false
		}
	}
	if a.has(asksDecision | asksPreference | asksInstruction | asksChange | asksReason) {
		a.slot = -1
	}
	for i := range a.needs {
		if i != a.slot && a.needs[i].weight > weakWeight {
			a.slot = -1
			break
		}
	}
	a.passOverLiving()
	a.weighSlots()
	a.findHead()
	low := strings.ToLower(a.text)
	for _, measure := range [...]string{"long", "old", "often", "big", "fast", "tall", "high", "heavy", "large", "far", "deep", "wide", "slow"} {
		if strings.Contains(low, "how "+measure) {
			a.traits |= asksNumber
			if measure != "long" && measure != "old" && measure != "often" {
				a.wants, a.measured = a.wants|shapeMeasure|shapeMoney|shapeShare, true
				if measure == "fast" || measure == "far" {
					a.wants |= shapeLength
				}
			}
		}
	}
	a.against = a.opposites()
	a.findChoice()
	switch first, _ := opening(a.text); first {
	case "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "have", "has", "had", "am", "may":
		a.yesNo = true
		a.passOverKind(low)
	}
	a.denies = strings.Contains(low, " avoid") || strings.Contains(low, " stop") || strings.Contains(low, " skip") || strings.Contains(low, " refuse") || strings.Contains(low, "n't ") || strings.Contains(low, "n’t ") || strings.Contains(low, " not ") || strings.Contains(low, "no longer")
	if strings.Contains(low, "about me") || strings.Contains(low, "about us") {
		a.traits |= asksOverview
	}
	if strings.Contains(low, "did i say") || strings.Contains(low, "did i tell") || strings.Contains(low, "did we discuss") || strings.Contains(low, "did we say") {
		a.traits |= asksList
	}
	if a.has(firstPerson) {
		a.traits &^= toResponder | thirdPerson
	}
}

// asksTurns reports whether the question asks for decisions, or for what became of
// them, and names no subject except the architecture.
func (a *asked) asksTurns() bool {
	if !a.has(asksDecision | asksChange) {
		return false
	}
	for i := range a.needs {
		d := &a.needs[i]
		if d.kind&asksDecision == 0 && !slices.Contains(d.slots, "architecture") && !slices.Contains(d.slots, "*") && !slices.Contains(d.slots, "infrastructure") && !isEnding(d.stem) && !isGeneral(d.stem) && d.weight > weakWeight {
			return false
		}
	}
	return len(a.spans) == 0
}

// passOverLiving removes the weight of the verb in "where does our data live?": for a
// thing it means no more than "is".
func (a *asked) passOverLiving() {
	if !a.has(asksPlace) || a.has(namesRelation) {
		return
	}
	other, l := -1, theLexicon()
	for n := range a.needs {
		if l.asks[a.needs[n].stem]&namesSomebody != 0 || l.asks[a.needs[n].word]&namesSomebody != 0 {
			return
		}
		if d := &a.needs[n]; !slices.Contains(d.slots, "home") && !d.proper && d.weight > slightWeight {
			other = n
		}
	}
	for n := range a.needs {
		if other >= 0 && l.has(listLiving, a.needs[n].stem) {
			a.needs[n].weight = 0
		}
	}
}

// passOverKind removes the weight of the last word in "are we a Python shop?": it only
// names a kind of company.
func (a *asked) passOverKind(low string) {
	last := len(a.needs) - 1
	if last < 1 || !strings.Contains(low, " we a") && !strings.Contains(low, " we still a") {
		return
	}
	if theLexicon().has(listFirm, a.needs[last].stem) {
		a.needs[last].weight = 0
	}
}

// findChoice finds the second alternative of "X or Y".
func (a *asked) findChoice() {
	l, or, last := theLexicon(), false, -1
	for scan := language.Scan(a.text); ; {
		w, ok := scan.Next()
		if !ok {
			return
		}
		n := a.needOf(l, string(w.Stem))
		switch {
		case isAlternative(a.text[w.Start:w.End]):
			or = last >= 0
		case n >= 0 && or && n != last:
			a.choice = n
			return
		case n >= 0:
			last = n
		}
	}
}

// isAlternative reports whether a word separates two alternatives.
func isAlternative(word string) bool {
	switch strings.ToLower(word) {
	case "or", "versus", "vs":
		return true
	}
	return false
}

// opposites are the stems that mean the opposite of a word of the question.
func (a *asked) opposites() []string {
	l := theLexicon()
	var out []string
	for scan := language.Scan(a.text); ; {
		w, ok := scan.Next()
		if !ok {
			return out
		}
		stem := string(w.Stem)
		if base, irregular := l.base[stem]; irregular {
			stem = base
		}
		out = append(out, l.opposites[stem]...)
	}
}

// weighSlots raises the weight of words such as "work" if only a name accompanies them:
// then they are the thing asked for.
func (a *asked) weighSlots() {
	for i := range a.needs {
		if a.needs[i].weight >= 1 {
			return
		}
	}
	for i := range a.needs {
		if d := &a.needs[i]; d.weight <= weakWeight && len(d.slots) > 0 {
			d.weight = slotWeight
		}
	}
}

// findHead finds X and Y of "what is the X of Y?": the last word before a preposition,
// or the last word; and the first word after it.
func (a *asked) findHead() {
	first, rest := firstWord(a.text)
	second, after := firstWord(rest)
	switch {
	case first == "what's":
		after = rest
	case first == "what" && (second == "is" || second == "are" || second == "was" || second == "were"):
	default:
		return
	}
	l, behind, end := theLexicon(), false, 0
	for scan := language.Scan(after); ; {
		w, ok := scan.Next()
		if !ok {
			return
		}
		behind = behind || a.head >= 0 && joins(string(w.Stem))
		switch n := a.needOf(l, string(w.Stem)); {
		case n < 0:
			if end > 0 && !w.Stop && strings.TrimSpace(after[end:w.Start]) == "" {
				a.headed = string(w.Stem)
			}
		case behind:
			a.owner = n
			return
		case a.needs[n].weight <= weakWeight: // "the notice period", "the problem with"
		case a.needs[n].weight < nameWeight:
			a.head, a.headed, end = n, "", w.End
		}
	}
}

// needOf is the need of a stem; -1 for none.
func (a *asked) needOf(l *lexicon, stem string) int {
	if base, irregular := l.base[stem]; irregular {
		stem = base
	}
	return slices.IndexFunc(a.needs, func(d need) bool { return d.stem == stem })
}

// has reports whether the question has one of the traits.
func (a *asked) has(t trait) bool { return a.traits&t != 0 }

// many reports whether the answer may be a list.
func (a *asked) many() bool { return a.has(asksList|asksOrder|asksChange) || len(a.needs) == 0 }
