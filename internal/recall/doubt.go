package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// doubt lowers a score for everything that speaks against a passage.
func (a *asked) doubt(score float64, p *passage, seen *look) float64 {
	d := doubts{asked: a, p: p, fact: p.fact, seen: seen, score: score}
	d.why()
	d.what()
	d.figures()
	d.people()
	d.source()
	return d.score
}

// doubts is a passage's score while it is lowered by one doubt after another.
type doubts struct {
	*asked
	p     *passage
	fact  *memory.Fact
	seen  *look
	score float64
}

// off multiplies the score by a factor if the doubt applies.
func (d *doubts) off(doubtful bool, factor float64) {
	if doubtful {
		d.score *= factor
	}
}

// unmet reports whether the question has the need n and the passage does not meet it. n
// is -1 for none.
func (d *doubts) unmet(n int) bool { return n >= 0 && d.seen.met[n] == 0 }

// met is how well the need n is met; n is -1 for none.
func (d *doubts) met(n int) float64 {
	if n < 0 {
		return 0
	}
	return d.seen.met[n]
}

// why lowers a passage that lacks the reason, the effect or the time asked for.
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

// what lowers a passage about a thing of another sort, or about something else.
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

// figures lowers a passage without a figure of the requested form, or with a figure of
// something else.
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

// people lowers a passage about another person, about no person, or about no place.
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

// source lowers a passage that another speaker said, and one that no longer holds.
func (d *doubts) source() {
	p := d.p
	f := d.fact
	d.off(p.role == session.Assistant, notTheUser)
	d.off(p.role == session.Tool, notAPerson)
	d.off(f != nil && !f.Current(), notCurrent)
}
