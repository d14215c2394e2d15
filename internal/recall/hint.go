package recall

import (
	"slices"
	"strings"
)

// addHints accepts a passage by the form of an answer if the question asks for that
// form: a name right after the name asked about, any figure for an age, "is a nurse"
// for a job. The passage must also fit in another way, because a form alone fits
// everything.
func (a *asked) addHints(seen *look, p *passage) {
	if atWork := a.negotiable && a.has(asksPlace) && leadsToName(p.text, " at ") && opensInFirstPerson(p.text); !a.strong(seen) && !atWork && !(a.ofSelf() && a.wants&shapeAge != 0 && opensInFirstPerson(p.text)) {
		return
	}
	text, shaped := p.text, a.wants != 0 && a.hasShape(p, seen)
	for n := range a.needs {
		fits := false
		switch d := &a.needs[n]; d.stem {
		case "name", "call":
			fits = seen.called
		case "old", "ag":
			fits = seen.traits&givesNumber != 0 && tellsAge(text)
		case "version":
			fits = seen.traits&givesNumber != 0
		case "deadlin", "due":
			fits = leadsToDate(text, " by ") || within(text, " until ") || within(text, " before ") || within(text, " due ")
		case "pay", "cost", "spend", "charg", "price", "earn":
			fits = shapesIn(text)&shapeMoney != 0
		case "subject", "topic", "theme":
			fits = within(text, " about ") || within(text, " on ") || within(text, " looks at ") || within(text, " deals with ") || within(text, " explores ") || within(text, " examines ")
		case "phone", "telephon", "mobil", "cell":
			fits = hasPhone(text)
		case "address":
			fits = within(text, " at ")
		default:
			if slices.Contains(d.slots, "employer") && a.ofSelf() && opensInFirstPerson(text) && leadsToName(text, " at ") {
				fits = true // "I'm the lead at Tidepool"
				break
			}
			fits = slices.Contains(d.slots, "job") && (within(text, " is a") || within(text, " was a") || within(text, "'m a") || within(text, " am a") || within(text, " does ") || within(text, " handles "))
		}
		if shaped && a.isShaped(a.needs[n].stem) {
			seen.met[n] = max(seen.met[n], shapeDegree)
		}
		if fits && a.negotiable {
			seen.met[n] = 1
		}
		if fits {
			seen.met[n] = max(seen.met[n], hintDegree)
		}
	}
}

// tellsAge reports whether a text tells a person's age: with the words for it, or with
// a number right after "is", "am" or "at".
func tellsAge(text string) bool {
	low := strings.ToLower(text)
	if theLexicon().tells(partAge, low) {
		return true
	}
	for _, verb := range [...]string{" is ", " am ", "'m ", " at ", " was "} {
		if _, after, found := strings.Cut(low, verb); found {
			if next, _ := firstWord(after); next != "" && (next[0] >= '0' && next[0] <= '9' || theLexicon().asks[next]&givesNumber != 0) {
				return true
			}
		}
	}
	return false
}

// hasPhone reports whether a text holds something like a phone number: seven
// digits or more with nothing but blanks and marks between.
func hasPhone(text string) bool {
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if digits++; digits >= 7 {
				return true
			}
		case c != ' ' && c != '-' && c != '/' && c != '(' && c != ')' && c != '.' && c != '+':
			digits = 0
		}
	}
	return false
}

// leadsToName reports whether a word leads to a name.
func leadsToName(text, word string) bool {
	_, after, found := strings.Cut(text, word)
	return found && after != "" && after[0] >= 'A' && after[0] <= 'Z'
}

// leadsToDate reports whether a word leads to a time and not to an amount: "by
// Friday", not "by 75 percent".
func leadsToDate(text, word string) bool {
	_, after, found := strings.Cut(text, word)
	next, rest := firstWord(after)
	unit, _ := firstWord(rest)
	return found && next != "" && (next[0] < '0' || next[0] > '9' || theLexicon().shapes[unit].word&shapeMonth != 0)
}
