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
	d := doubts{asked: a, p: p, fact: p.fact, seen: seen, score: score}
	d.why()
	d.what()
	d.figures()
	d.people()
	d.source()
	return d.score
}

// doubts is the score of a passage while doubts are taken off it.
type doubts struct {
	*asked
	p     *passage
	fact  *memory.Fact
	seen  *look
	score float64
}

// off multiplies the score with a factor if there is a doubt.
func (d *doubts) off(doubtful bool, factor float64) {
	if doubtful {
		d.score *= factor
	}
}

// unmet reports whether the question makes a need, named by its number or -1, that
// the passage does not meet.
func (d *doubts) unmet(n int) bool { return n >= 0 && d.seen.met[n] == 0 }

// met is how well a need, named by its number or -1, is met.
func (d *doubts) met(n int) float64 {
	if n < 0 {
		return 0
	}
	return d.seen.met[n]
}

// why takes off what does not tell the reason, the effect or the time asked for.
func (d *doubts) why() {
	a, p, seen := d.asked, d.p, d.seen
	f := d.fact
	d.off(a.has(asksReason) && seen.traits&givesReason == 0, noReason)
	d.off(a.has(asksEffect) && seen.traits&givesReason == 0, noEffect)
	d.off(a.has(asksReason) && a.isItselfTheReason(p), otherReason)
	d.off(a.arrives(f), otherPerson)
	d.off(a.asksSuccessor() && !a.tellsSuccessor(p) && !tellsTrial(p.text), noShape)
	d.off(a.has(asksTime) && a.isItselfTheReason(p), noTimeAtAll)
	d.off(a.has(asksTime) && !p.timed(), timeDoubt(p))
	d.off(len(a.spans) > 0 && !a.then(p), otherTime)
}

// what takes off what is of another sort, or speaks of something else, than asked.
func (d *doubts) what() {
	a, p, seen := d.asked, d.p, d.seen
	f := d.fact
	d.off(a.ordinal != "" && !within(strings.ToLower(p.text), a.ordinal), otherOrdinal)
	d.off(a.unnamed(seen), noName)
	d.off(!a.favourite && a.has(asksPreference) && seen.traits&asksPreference == 0 && (f == nil || f.Kind != memory.Preference && f.Kind != memory.Instruction), notLiked)
	d.off(a.favourite && seen.traits&asksPreference == 0 && (f == nil || f.Kind != memory.Preference), noLiking)
	d.off(d.unmet(a.sort), noHead)
	d.off(d.unmet(a.which) && (a.modified || !a.plenty(seen) && !seen.foreign), noHead)
	d.off(a.slot >= 0 && !a.formed(p, seen) && (f == nil || f.Value == "" || !theLexicon().fills(a.needs[max(0, a.slot)].slots, f.Attribute)), otherPerson)
	d.off(seen.opposed && !a.yesNo && !a.complete(seen) && !a.has(asksChange|asksReason|asksEffect|asksOrder), otherOrdinal)
	d.off(seen.opposed && a.has(asksPreference) && !a.yesNo, noShape)
	d.off(!a.wide && !a.yesNo && seen.fresh == 0 && p.fact == nil, noNews)
	d.off(d.met(a.sort) == 1 && !seen.sorted && !seen.sortNamed && !seen.foreign && a.wants&shapeName != 0, noAmount)
	d.off(d.met(a.which) == 1 && a.wants == 0 && !seen.sortNamed && !seen.foreign, noAmount)
	d.off(d.unmet(a.head), noHead)
	d.off(a.head >= 0 && seen.compound, noShape)
	d.off(f != nil && isMinus(f) && (a.which >= 0 || a.sort >= 0 || a.slot >= 0) && !a.ends() && a.wants&shapeDate == 0 && !a.has(asksChange|asksReason|asksTime|asksEffect), noAmount)
	d.off(d.unmet(a.owner), noOwner)
}

// figures takes off what has no figure of the form asked for, or one of something else.
func (d *doubts) figures() {
	a, p, seen := d.asked, d.p, d.seen
	d.off(a.has(asksNumber) && a.wants == 0 && seen.traits&givesNumber == 0, noNumber)
	d.off(a.wants != 0 && !a.hasShape(p, seen), noShape)
	d.off(d.unmet(a.counts) && (a.needs[max(0, a.counts)].weight == 1 || !isCrowd(a.counted) && seen.numbers > 0 && seen.numbers == seen.counting || shapesIn(p.text)&shapeMoney != 0), noAmount)
	d.off(a.amount >= 0 && a.otherAmount(p.text), noShape)
	d.off(a.wants != 0 && a.otherClause(p.text), noShape)
	d.off(d.unmet(a.amount), noAmount)
	d.off(a.measured && seen.numbers > 0 && seen.numbers == seen.counting, noShape)
	d.off(d.met(a.counts) > 0 && !seen.counted, notCounted)
}

// people takes off what tells of somebody else, or of nobody, or of no place.
func (d *doubts) people() {
	a, p, seen := d.asked, d.p, d.seen
	f := d.fact
	d.off(f != nil && f.Kind == memory.Negated && a.has(asksTime|asksPerson|asksPlace), otherPerson)
	d.off(a.deed >= 0 && a.sufferer(p, seen) && !a.fillsDeed(f), noPerson)
	d.off(d.unmet(a.deed), noDeed)
	d.off(a.negotiable && a.which < 0 && len(a.spans) == 0 && a.ofSelf() && a.singular() && othersOwn(p, seen), otherPerson)
	d.off(a.deed >= 0 && a.unnamedActor(p.statement(), p.speaker != "") && !a.fillsDeed(f), noPerson)
	d.off(a.turnedRound(p, seen), otherPerson)
	d.off(a.has(asksPlace) && !(seen.placed && a.placedThere(p)) && !a.keeps(f) && !(a.stores() && namesKeeper(p.text)), noPlace)
	d.off(a.otherKind(p.statement(), seen), otherOrdinal)
	d.off(a.has(asksPerson) && !a.has(asksReason) && !seen.person && !a.fillsDeed(f), noPerson)
	d.off(a.has(firstPerson) && seen.traits&namesRelation != 0 && !a.has(asksPerson) && !seen.named && !(a.has(namesRelation) && a.complete(seen)), otherPerson)
	d.off(a.has(firstPerson) && f != nil && f.Kind == memory.ThirdParty && !seen.named && !a.has(asksPerson|namesRelation) && !a.literal(seen), otherPerson)
	d.off(p.speaker != "" && a.namesOther(p) && (seen.self || !seen.named), otherPerson)
	d.off(a.has(thirdPerson) && p.speaker == "" && opensInFirstPerson(p.text) && !seen.named, otherPerson)
	d.off(a.has(toResponder) && !(f != nil && f.Kind == memory.Instruction) && !within(strings.ToLower(p.text), "you"), otherPerson)
}

// source takes off what the user did not say, and what holds no more.
func (d *doubts) source() {
	p := d.p
	f := d.fact
	d.off(p.role == session.Assistant, notTheUser)
	d.off(p.role == session.Tool, notAPerson)
	d.off(f != nil && !f.Current(), notCurrent)
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

// isMinus reports whether a fact says that something was taken out.
func isMinus(f *memory.Fact) bool {
	return strings.HasPrefix(f.Attribute, "status") && tellsTurn(f.Value)
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
	if before, after, found := strings.Cut(reason, ": "); found {
		told, why := a.look(before), a.look(after)
		if a.strong(&told) && !a.strong(&why) {
			return false // "we outgrew SQLite: one writer was not enough, hence MariaDB"
		}
	}
	for _, on := range [...]string{", so ", ", which", ", and so", " caus", " led to", " result", " made ", " because ", " due to ", " and "} {
		if before, after, found := strings.Cut(reason, on); found {
			reason, further = before, further+" "+after
		}
	}
	effect, cause := a.look(strings.Replace(f.Quote, f.Because, " ", 1)+" "+further), a.look(reason)
	return !a.strong(&effect) && a.strong(&cause)
}

// timeDoubt is what a passage without a time loses when it is asked for: the day
// it was said tells when the speakers decided something, but not somebody's birthday
// nor when something befell them.
func timeDoubt(p *passage) float64 {
	f := p.fact
	switch {
	case f == nil || f.Kind == memory.Decision || f.Kind == memory.Event:
		return noTime
	case f.Kind == memory.Cause || f.Kind == memory.Number && f.Value == "":
		if opensInFirstPerson(p.text) || f.Value != "" {
			return noTime
		}
		return noTimeOfIt
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
