package recall

import (
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// doubt takes off what speaks against a passage.
func (a *asked) doubt(score float64, p *passage, seen *look) float64 {
	off := func(doubtful bool, factor float64) {
		if doubtful {
			score *= factor
		}
	}
	f := p.fact
	off(a.has(asksReason) && seen.traits&givesReason == 0, noReason)
	off(a.has(asksEffect) && seen.traits&givesReason == 0, noEffect)
	off(a.ordinal != "" && !within(strings.ToLower(p.text), a.ordinal), otherOrdinal)
	off(f != nil && f.Kind == memory.Negated && a.has(asksTime|asksPerson|asksPlace), otherPerson)
	off(a.unnamed(seen), noName)
	off(!a.favourite && a.has(asksPreference) && seen.traits&asksPreference == 0 && (f == nil || f.Kind != memory.Preference && f.Kind != memory.Instruction), notLiked)
	off(a.favourite && seen.traits&asksPreference == 0 && (f == nil || f.Kind != memory.Preference), noLiking)
	off(a.has(asksReason) && a.isItselfTheReason(p), otherReason)
	off(a.has(asksNumber) && a.wants == 0 && seen.traits&givesNumber == 0, noNumber)
	off(a.sort >= 0 && seen.met[max(0, a.sort)] == 0, noHead)
	off(a.which >= 0 && seen.met[max(0, a.which)] == 0 && (a.modified || !a.plenty(seen) && !seen.foreign), noHead)
	off(a.slot >= 0 && !a.formed(p, seen) && (f == nil || f.Value == "" || !theLexicon().fills(a.needs[max(0, a.slot)].slots, f.Attribute)), otherPerson)
	off(a.wants != 0 && !a.hasShape(p, seen), noShape)
	off(seen.opposed && !a.yesNo && !a.complete(seen) && !a.has(asksChange|asksReason|asksEffect|asksOrder), otherOrdinal)
	off(seen.opposed && a.has(asksPreference) && !a.yesNo, noShape)
	off(!a.wide && !a.yesNo && seen.fresh == 0 && p.fact == nil, noNews)
	off(a.sort >= 0 && seen.met[max(0, a.sort)] == 1 && !seen.sorted && !seen.sortNamed && !seen.foreign && a.wants&shapeName != 0, noAmount)
	off(a.counts >= 0 && seen.met[max(0, a.counts)] == 0 && (a.needs[max(0, a.counts)].weight == 1 || !isCrowd(a.counted) && seen.numbers > 0 && seen.numbers == seen.counting || shapesIn(p.text)&shapeMoney != 0), noAmount)
	off(a.amount >= 0 && a.otherAmount(p.text), noShape)
	off(a.deed >= 0 && a.sufferer(p, seen), noPerson)
	off(a.wants != 0 && a.otherClause(p.text), noShape)
	off(a.has(asksTime) && a.isItselfTheReason(p), noTimeAtAll)
	off(a.amount >= 0 && seen.met[max(0, a.amount)] == 0, noAmount)
	off(a.which >= 0 && seen.met[max(0, a.which)] == 1 && !seen.sortNamed && !seen.foreign, noAmount)
	off(a.measured && seen.numbers > 0 && seen.numbers == seen.counting, noShape)
	off(a.deed >= 0 && seen.met[max(0, a.deed)] == 0, noDeed)
	off(a.negotiable && len(a.spans) == 0 && a.ofSelf() && a.singular() && othersOwn(p, seen), otherPerson)
	off(a.counts >= 0 && seen.met[max(0, a.counts)] > 0 && !seen.counted, notCounted)
	off(a.head >= 0 && seen.met[max(0, a.head)] == 0, noHead)
	off(a.head >= 0 && seen.compound, noShape)
	off(a.deed >= 0 && a.unnamedActor(p.statement(), p.speaker != ""), noPerson)
	off(a.turnedRound(p, seen), otherPerson)
	off(f != nil && isMinus(f) && (a.which >= 0 || a.sort >= 0 || a.slot >= 0) && !a.ends() && !a.has(asksChange|asksReason|asksTime|asksEffect), noAmount)
	off(a.owner >= 0 && seen.met[max(0, a.owner)] == 0, noOwner)
	off(a.has(asksPlace) && !(seen.placed && a.placedThere(p)), noPlace)
	off(a.has(asksPerson) && !a.has(asksReason) && !seen.person, noPerson)
	off(a.has(asksTime) && !p.timed(), timeDoubt(f))
	off(a.has(firstPerson) && seen.traits&namesRelation != 0 && !a.has(asksPerson) && !seen.named && !(a.has(namesRelation) && a.complete(seen)), otherPerson)
	off(a.has(firstPerson) && f != nil && f.Kind == memory.ThirdParty && !seen.named && !a.has(asksPerson|namesRelation) && !a.literal(seen), otherPerson)
	off(p.speaker != "" && a.namesOther(p) && (seen.self || !seen.named), otherPerson)
	off(a.has(thirdPerson) && p.speaker == "" && opensInFirstPerson(p.text) && !seen.named, otherPerson)
	off(a.has(toResponder) && !(f != nil && f.Kind == memory.Instruction) && !within(strings.ToLower(p.text), "you"), otherPerson)
	off(len(a.spans) > 0 && !a.then(p), otherTime)
	off(p.role == session.Assistant, notTheUser)
	off(p.role == session.Tool, notAPerson)
	off(f != nil && !f.Current(), notCurrent)
	return score
}

// complete reports whether every need is met.
func (a *asked) complete(seen *look) bool {
	for n := range a.needs {
		if seen.met[n] == 0 {
			return false
		}
	}
	return true
}

// plenty reports whether two strong needs are met.
func (a *asked) plenty(seen *look) bool {
	met := 0
	for n := range a.needs {
		if seen.met[n] > 0 && a.needs[n].weight > slotWeight {
			met++
		}
	}
	return met >= 2
}

// unnamed reports whether a name of the question is nowhere in what was said.
func (a *asked) unnamed(seen *look) bool {
	for n := range a.needs {
		if a.needs[n].proper && seen.met[n] == 0 {
			return true
		}
	}
	return false
}

// turnedRound reports whether the question asks what somebody does to the speaker
// and the passage tells what the speaker does to them: "what does Al owe me?",
// "I owe Al a beer".
func (a *asked) turnedRound(p *passage, seen *look) bool {
	if !a.has(firstPerson) || !opensInFirstPerson(p.text) {
		return false
	}
	who, deed := -1, -1
	words := wordsOf(a.text)
	for i := 1; i+1 < len(words); i++ {
		if low := words[i-1].low; low == "does" || low == "did" {
			who, deed = a.needOf(theLexicon(), words[i].stem), a.needOf(theLexicon(), words[i+1].stem)
			if i+2 >= len(words) || words[i+2].low != "me" && words[i+2].low != "us" {
				return false
			}
			break
		}
	}
	return who >= 0 && deed >= 0 && seen.first[deed] > 0 && seen.first[deed] < seen.first[who]
}

// isMinus reports whether a fact says that something was taken out.
func isMinus(f *memory.Fact) bool {
	return strings.HasPrefix(f.Attribute, "status") && tellsTurn(f.Value)
}

// isCrowd reports whether what is counted goes without its name: "the table seats
// nine".
func isCrowd(word string) bool {
	switch word {
	case "people", "persons", "times", "things", "items", "guests", "units":
		return true
	}
	return false
}

// otherClause reports whether what the question wants stands in a clause that names
// somebody else: "Al teaches; Bo is nine" for how old Al is.
func (a *asked) otherClause(text string) bool {
	proper := false
	for n := range a.needs {
		proper = proper || a.needs[n].proper
	}
	if !proper || a.wants&^shapeName == 0 {
		return false
	}
	other := false
	for clause := range strings.SplitSeq(strings.NewReplacer("; ", "|", ", ", "|", " and ", "|", " while ", "|", " but ", "|").Replace(text), "|") {
		if shapesIn(clause)&a.wants == 0 {
			continue
		}
		if seen := a.look(" " + clause); seen.named || !seen.called && !seen.foreign {
			return false
		}
		other = true
	}
	return other
}

// otherAmount reports whether the clause that names what is measured has no figure,
// but another one has: "20 mg of omeprazole and vitamin D on Sundays".
func (a *asked) otherAmount(text string) bool {
	measured, other := false, false
	for clause := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(text, " and ", "; "), ", ", "; "), "; ") {
		seen := a.look(clause)
		switch {
		case seen.met[a.amount] == 0:
			other = other || seen.traits&givesNumber != 0
		case seen.traits&givesNumber != 0:
			return false
		default:
			measured = true
		}
	}
	return measured && other
}

// sufferer reports whether the first person named stands behind the deed and is
// not said to have done it: "the code changes on Monday and the cleaners get it".
func (a *asked) sufferer(p *passage, seen *look) bool {
	if within(a.text, " be ") || within(a.text, " gets ") || within(a.text, " got ") {
		return false // "who should be asked?"
	}
	if p.fact != nil && p.fact.Attribute == "owner" || p.speaker != "" || a.opensWith("who is ", "who's ", "who was ", "who are ", "who were ") {
		return false
	}
	if _, by, found := strings.Cut(p.text, " by "); found && by != "" && (by[0] >= 'A' && by[0] <= 'Z' || opensNoun(strings.SplitN(by, " ", 2)[0])) {
		return false
	}
	for _, word := range [...]string{" is ", " was ", " are ", " were ", ": ", " called ", "'s ", " from ", " with "} {
		if within(p.text, word) {
			return false
		}
	}
	return seen.first[a.deed] > 0 && seen.personAt > seen.first[a.deed]
}

// unnamedActor reports whether what somebody did is told without saying who:
// "because somebody mistyped the rule".
func (a *asked) unnamedActor(text string, spoken bool) bool {
	stem, before, words := a.needs[a.deed].stem, "", 0
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return false
		}
		low := strings.ToLower(text[w.Start:w.End])
		if a.needOf(theLexicon(), string(w.Stem)) == a.deed && !spoken && !within(text, " by ") && (words == 0 && strings.HasSuffix(low, "ed") || strings.HasSuffix(strings.TrimRight(text[:w.Start], " "), ":")) {
			return true // a note: "removed the cache"
		}
		words++
		if string(w.Stem) == stem {
			switch before {
			case "somebody", "someone", "anybody", "they", "people", "who", "something", "a", "an":
				return true
			}
		}
		if !w.Stop || low == "somebody" || low == "someone" || low == "they" || low == "a" || low == "an" {
			before = low
		}
	}
}

// placedThere reports whether a place is named in a clause that speaks of what is
// asked for, or goes on about it: not in "he fell on the ice, so we called off the
// trip" for where the trip went.
func (a *asked) placedThere(p *passage) bool {
	clauses := strings.FieldsFunc(p.statement(), func(r rune) bool { return r == ',' || r == ';' })
	if len(clauses) < 2 {
		return true
	}
	for _, clause := range clauses {
		seen := a.look(clause)
		if seen.placed && (a.strongWord(&seen) || goesOn(clause) || strings.HasPrefix(clause, " who ") || strings.HasPrefix(clause, " which ")) {
			return true
		}
	}
	return false
}

// formed reports whether a passage that fills no slot has the shape or the sort
// of thing that the question asks for all the same.
func (a *asked) formed(p *passage, seen *look) bool {
	return a.wants != 0 && a.hasShape(p, seen) && a.literal(seen) || a.sort >= 0 && seen.met[max(0, a.sort)] == underDegree && a.literal(seen)
}

// literal reports whether every other need is met by its own word.
func (a *asked) literal(seen *look) bool {
	for n := range a.needs {
		if n != a.sort && seen.met[n] < 1 {
			return false
		}
	}
	return true
}

// isItselfTheReason reports whether what the question wants a reason for is
// given as the reason for something else: "we left because the rent doubled" does
// not say why the rent doubled.
func (a *asked) isItselfTheReason(p *passage) bool {
	f := p.fact
	if f == nil || a.denies || f.Because == "" || !within(f.Quote, f.Because) {
		return false
	}
	reason, further := f.Because, ""
	for _, on := range [...]string{", so ", ", which", ", and so", " caus", " led to", " result", " made ", " because ", " due to ", " and "} {
		if before, after, found := strings.Cut(reason, on); found {
			reason, further = before, further+" "+after
		}
	}
	effect, cause := a.look(strings.Replace(f.Quote, f.Because, " ", 1)+" "+further), a.look(reason)
	return !a.strong(&effect) && a.strong(&cause)
}

// timeDoubt is what a passage without a time loses when it is asked for: the
// day it was said tells when something was decided, but not somebody's birthday.
func timeDoubt(f *memory.Fact) float64 {
	if f == nil || f.Kind == memory.Decision || f.Kind == memory.Event || f.Kind == memory.Cause {
		return noTime
	}
	return noTimeAtAll
}

// ofSelf reports whether the question is about the one who asks and nobody
// else.
func (a *asked) ofSelf() bool {
	if !a.has(firstPerson) || a.has(namesRelation|thirdPerson) {
		return false
	}
	for n := range a.needs {
		if a.needs[n].weight == nameWeight {
			return false
		}
	}
	return true
}

// singular reports whether the question asks for one thing about the speaker:
// "what is my name?", not "what tools do we use?".
func (a *asked) singular() bool { return !a.has(asksList) && len(a.needs) == 1 }

// othersOwn reports whether a passage tells the name or another attribute of
// something that is not its speaker.
func othersOwn(p *passage, seen *look) bool {
	if f := p.fact; f != nil && f.Value != "" {
		return f.Subject != "i" && f.Subject != "we" && !strings.EqualFold(f.Subject, p.speaker)
	}
	return !seen.self
}

// namesOther reports whether the question names people but not the speaker of
// the passage.
func (a *asked) namesOther(p *passage) bool {
	by := a.look(p.speaker)
	named := false
	for n := range a.needs {
		if a.needs[n].weight == nameWeight {
			if by.met[n] == 1 {
				return false
			}
			named = true
		}
	}
	return named
}

// timed reports whether a passage speaks of a time: a date, an hour, or a habit.
func (p *passage) timed() bool {
	if p.fact != nil && !p.fact.When.IsZero() {
		return true
	}
	if len(p.text) > maxPassage {
		return false
	}
	if shapesIn(p.text)&(shapeClock|shapeDate) != 0 {
		return true
	}
	l := theLexicon()
	for scan := language.Scan(p.text); ; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		if l.asks[string(w.Stem)]&givesTime != 0 {
			return true
		}
	}
	return len(language.Dates(p.text, p.saidAt)) > 0
}

// then reports whether a passage was said at, or speaks of, a time asked for.
func (a *asked) then(p *passage) bool {
	low := ""
	for i := range a.spans {
		s := &a.spans[i]
		if overlaps(s, p.saidAt, p.saidAt.Add(time.Second)) {
			return true
		}
		if p.fact != nil && !p.fact.When.IsZero() && overlaps(s, p.fact.When.From, p.fact.When.To) {
			return true
		}
		if low == "" {
			low = strings.ToLower(p.text)
		}
		if words := strings.ToLower(a.text[s.Start:s.End]); calendar(words) && strings.Contains(low, words) {
			return true
		}
	}
	return false
}

// calendar reports whether an expression of time names a part of the calendar,
// such as "Q1", rather than counting from today.
func calendar(words string) bool {
	for _, relative := range [...]string{"last", "next", "this", "past", "ago", "day", "week", "now"} {
		if strings.Contains(words, relative) {
			return false
		}
	}
	return true
}

// overlaps reports whether a time asked for shares an instant with [from, to).
func overlaps(s *language.Date, from, to time.Time) bool {
	return from.Before(s.To) && s.From.Before(to)
}
