package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// The calibration: the share of a question's needs that a passage must meet, and the
// factor for each doubt. Measured on answered and unanswered questions of the tests.
const (
	confidence   = 0.6  // the least score that answers
	hintDegree   = 0.7  // a need met by the form of an answer
	shapeDegree  = 0.9  // a need met by the shape that it asks for
	nearDegree   = 0.5  // a need met elsewhere in the message
	askedDegree  = 0.8  // a need met by the question it answers
	noReason     = 0.5  // asked why, and it gives no reason
	otherReason  = 0.55 // asked why, and it is the reason of something else
	noNews       = 0.6  // it has no other words than the question
	notLiked     = 0.85 // asked how a person likes it, and it tells no liking
	noAmount     = 0.6  // asked how much flour, it gives the butter
	otherOrdinal = 0.6  // asked for the second, it speaks of another
	noName       = 0.75 // it does not name what the question names
	noEffect     = 0.7  // asked for an effect, and it links none
	noLiking     = 0.55 // asked for a favourite, and it tells no liking
	noNumber     = 0.55 // asked how many, and it gives no number
	notCounted   = 0.55 // it has a number, but not of the counted thing
	noHead       = 0.75 // asked for the address of a thing, it speaks of the thing
	noOwner      = 0.8  // asked for the address of a thing, it gives another's
	noShape      = 0.5  // asked for a weekday, it names none
	noDeed       = 0.75 // asked who signed, it speaks of no signing
	noTime       = 0.8
	noTimeAtAll  = 0.62
	noTimeOfIt   = 0.58 // asked when something befell a person, and it tells how
	noPlace      = 0.58
	noPerson     = 0.55
	otherPerson  = 0.5  // it speaks of another person
	otherTime    = 0.58 // said of another time than asked for
	notTheUser   = 0.8  // said by the assistant
	notAPerson   = 0.93 // reported by a tool
	notCurrent   = 0.93
	definesBonus = 0.05
	slotBonus    = 0.04
	selfBonus    = 0.01
)

// rate computes how well a passage answers, and sets its score. near is the look of the
// words around it; nil for none.
func (a *asked) rate(p *passage, near *look) {
	var seen look
	if statement := p.statement(); p.seen != nil && p.fact == nil && !p.explained && statement == p.text {
		seen = *p.seen
	} else {
		seen = a.look(statement)
	}
	if p.fact == nil || within(p.text, p.fact.Statement) {
		p.at = max(0, seen.at)
	}
	if p.fact != nil {
		a.addFact(&seen, p.fact)
	}
	if p.speaker != "" {
		by := a.look(p.speaker)
		for n := range by.met {
			seen.met[n] = max(seen.met[n], by.met[n])
		}
	}
	if !a.strong(&seen) && !a.negotiable && near == nil {
		return
	}
	if a.wants != 0 {
		seen.shapes = shapesIn(p.statement())
	}
	a.addHints(&seen, p)
	if a.has(asksReason) && (a.ends() || a.denies) && turnsFrom(p) && (furtherClause(p.text) || saysWhy(p.text)) {
		seen.traits |= givesReason // "we backed out: replays took hours"
	}
	if a.has(asksReason) && a.ends() && within(p.text, " until ") && !a.has(asksTime) {
		seen.traits |= givesReason // "we used it until the price doubled"
	}
	if a.has(asksReason) && (a.explains(p.text) || a.ends() && turnsFrom(p) && opensWithOccasion(p.text) || a.stays() && within(p.text, " until ")) {
		seen.traits |= givesReason
	}
	if p.explained || a.agentBefore(&seen, p) || a.givesWay(p.text) {
		seen.traits |= givesReason
	}
	a.addTurn(&seen, p)
	score := a.coverage(&seen, near)
	if score == 0 || a.negotiable && !a.exact(&seen) {
		return
	}
	p.score = a.doubt(score, p, &seen)
	p.order += p.score + a.favour(p, &seen)
}

// givesWay reports whether a text leads from a cause to the effect in the question.
func (a *asked) givesWay(text string) bool {
	if within(text, "came from") || within(text, "comes from") {
		return true
	}
	l := theLexicon()
	for _, verb := range l.parts[partBreaking] {
		if by, to, found := strings.Cut(text, verb); found && !opensInFirstPerson(by) {
			cause, effect := a.look(by), a.look(to)
			if a.strong(&effect) && !a.strong(&cause) {
				return true // "flaky DNS made the checkout time out"
			}
		}
	}
	for _, words := range l.parts[partLeading] {
		if _, effect, found := strings.Cut(text, words); found {
			seen := a.look(effect)
			return a.has(asksEffect) || a.strong(&seen)
		}
	}
	return false
}

// explains reports whether the thing to be explained stands before a colon, so that the
// text after it gives the reason. A label before a colon does not count.
func (a *asked) explains(text string) bool {
	before, after, found := strings.Cut(text, ": ")
	if !found || strings.Count(before, " ") < 2 || strings.Count(after, " ") < 2 {
		return false
	}
	told, why := a.look(before), a.look(after)
	return a.strong(&told) && !a.strong(&why)
}

// opensWithOccasion reports whether a sentence begins with its occasion.
func opensWithOccasion(text string) bool {
	return strings.HasPrefix(text, "After ") || strings.HasPrefix(text, "Following ")
}

// stays reports whether the question asks about holding on to something.
func (a *asked) stays() bool {
	l := theLexicon()
	for _, w := range wordsOf(a.text) {
		if l.has(listStaying, w.stem) {
			return true
		}
	}
	return false
}

// saysWhy reports whether a clause follows a colon.
func saysWhy(text string) bool {
	before, after, found := strings.Cut(text, ": ")
	return found && strings.Count(before, " ") > 2 && strings.Count(after, " ") > 1
}

// agentBefore reports whether the cause comes before the verb and the affected thing
// after it: "a power cut spoiled the batch" gives the reason for the spoiled batch.
func (a *asked) agentBefore(seen *look, p *passage) bool {
	if !a.has(asksReason) || !a.opensWith("why was ", "why were ", "why is ", "why are ", "why did ", "how did ", "how was ") || len(a.needs) < 2 || opensInFirstPerson(p.text) {
		return false
	}
	verb := len(a.needs) - 1
	for verb > 0 && (seen.first[verb] == 0 || !strings.HasSuffix(a.needs[verb].word, "ed") && theLexicon().base[language.Stem(a.needs[verb].word)] == "") {
		verb--
	}
	for n := range verb {
		if at := seen.first[n]; at > 0 && at < seen.first[verb] {
			return false
		}
	}
	return verb > 0 && seen.first[verb] > 2 && seen.first[verb-1] > seen.first[verb] && !opensWithName(p.text)
}

// addTurn lets any words for giving something up meet those of the question, if all
// other needs are met: "why did we leave Telenor?".
func (a *asked) addTurn(seen *look, p *passage) {
	switch {
	case a.arrives(p.fact):
		return
	case a.replaced() && a.tellsSuccessor(p):
	case a.has(asksTime) && p.timed() && turnsFrom(p):
	case !a.has(asksReason) || seen.traits&givesReason == 0 || !turnsFrom(p) && !within(p.text, " until ") && (p.fact == nil || p.fact.Current()):
		return
	}
	for n := range a.needs {
		if seen.met[n] == 0 && (isEnding(a.needs[n].stem) || a.needs[n].stem == "host" || a.needs[n].stem == "us") {
			seen.met[n] = alikeDegree
		}
	}
}

// coverage is the share of the question's needs that are met.
func (a *asked) coverage(seen, near *look) float64 {
	if len(a.needs) == 0 {
		return 0
	}
	if !a.negotiable && !a.strong(seen) {
		return 0
	}
	var sum, total float64
	for n := range a.needs {
		if n == a.choice && n > 0 {
			continue
		}
		met, weight := seen.met[n], a.needs[n].weight
		if met > 0 {
			weight = max(weight, a.needs[n].whole)
		}
		if n == a.choice-1 {
			met = max(met, seen.met[a.choice]) // "tea or coffee": one is enough
		}
		if near != nil {
			met = max(met, near.met[n])
		}
		sum += met * weight
		total += weight
	}
	return sum / total
}

// exact reports whether a need is met by its own word or by a slot.
func (a *asked) exact(seen *look) bool {
	for n := range a.needs {
		if seen.met[n] >= hintDegree && (seen.met[n] == 1 || a.wide) {
			return true
		}
	}
	return false
}

// strong reports whether a strong need is met.
func (a *asked) strong(seen *look) bool {
	for n := range a.needs {
		if seen.met[n] > 0 && a.needs[n].weight > slotWeight {
			return true
		}
	}
	return false
}

// strongWord reports whether a word meets a strong need other than the requested sort
// of thing.
func (a *asked) strongWord(seen *look) bool {
	for n := range a.needs {
		if n != a.sort && seen.met[n] > 0 && a.needs[n].weight > slotWeight {
			return true
		}
	}
	return a.negotiable || a.wide
}

// addFact adds the slot and the kind of a passage's fact.
func (a *asked) addFact(seen *look, f *memory.Fact) {
	slot := a.look(f.Subject + " " + f.Attribute)
	for n := range a.needs {
		seen.met[n] = max(seen.met[n], slot.met[n])
		if f.Attribute != "" && (!a.has(asksNumber) || f.Attribute == "age") && theLexicon().fills(a.needs[n].slots, f.Attribute) && (n != a.deed || a.fillsDeed(f)) {
			seen.met[n] = slotDegree
			seen.compound = seen.compound && n != a.head
		}
		if a.needs[n].kind&traitOf(f.Kind) != 0 || a.needs[n].kind == asksInstruction && f.Kind == memory.Preference || a.needs[n].kind == asksDecision && f.Value != "" && (f.Former != "" || !f.Current() || supersedes(f)) {
			seen.met[n] = slotDegree
		}
	}
	if f.Because != "" {
		seen.traits |= givesReason
	}
}

// fills reports whether an attribute is one of those asked for.
func (l *lexicon) fills(slots []string, attribute string) bool {
	base, _, _ := strings.Cut(attribute, " for ")
	for _, s := range slots {
		if s == base || s == "*" && l.isTechnology(base) {
			return true
		}
	}
	return false
}

// traitOf is the trait of a fact's kind.
func traitOf(k memory.Kind) trait {
	switch k {
	case memory.Decision:
		return asksDecision
	case memory.Preference:
		return asksPreference
	case memory.Instruction:
		return asksInstruction
	}
	return 0
}

// favour adds the bonus that decides between equally good passages. It never lifts a
// passage over the confidence.
func (a *asked) favour(p *passage, seen *look) float64 {
	var sum float64
	if f := p.fact; f != nil && f.Value != "" {
		for n := range a.needs {
			if theLexicon().fills(a.needs[n].slots, f.Attribute) {
				sum += slotBonus
				break
			}
		}
		if f.Subject == "i" || f.Subject == "we" {
			sum += selfBonus
		}
	}
	if a.has(asksReason) && seen.traits&givesReason != 0 {
		sum += slotBonus
	}
	if opensInFirstPerson(p.text) && a.has(firstPerson) {
		sum += selfBonus
	}
	return sum
}
