package recall

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// mostHeld bounds the statements of one answer that hold at once.
const mostHeld = 8

// heldToo adds to a sure answer of one statement the others of its form that hold as well: "I'm allergic to nuts" and "I'm
// allergic to pollen". Memory ends a value that another one replaces, so that what it still holds, and does not doubt, is so.
// All are told in the order in which they were told.
func (c choice) heldToo(ask *run.Question, q *question, found []passage) choice {
	if c.kind != run.RecallSure || len(c.passages) != 1 || ask.View == nil || !q.mayHaveSeveral() {
		return c
	}
	best := c.passages[0]
	frame := q.frameOf(&best)
	if len(frame) == 0 || !best.holds(ask) || q.asksOnlyFor(&best) {
		return c
	}
	for i := range found {
		p := &found[i]
		alike := !p.yields && p.answersLike(q, &best) && slices.Equal(frame, q.frameOf(p))
		if alike && len(c.passages) < mostHeld && p.holds(ask) && !c.has(p) {
			c.passages, c.scores = append(c.passages, *p), append(c.scores, c.scores[0])
		}
	}
	c.passages = inOrder(c.passages)
	return c
}

// has reports whether a choice has the statement of a passage, or all that it says.
func (c *choice) has(p *passage) bool {
	return slices.ContainsFunc(c.passages, func(o passage) bool { return o.same(p) || p.addsNothingTo(&o) })
}

// addsNothingTo reports whether another passage has all words of a passage.
func (p *passage) addsNothingTo(o *passage) bool {
	return !slices.ContainsFunc(p.words, func(w word) bool {
		return !w.stop && !slices.ContainsFunc(o.words, func(have word) bool { return have.stem == w.stem })
	})
}

// mayHaveSeveral reports whether several statements may answer a question at once: not where yes or no, one quantity, or the
// place of a thing is asked for.
func (q *question) mayHaveSeveral() bool {
	parts := newOwnerReader(q.whole, wordsOf(q.whole)).parts
	if q.form&formPlace != 0 && slices.ContainsFunc(parts, func(p part) bool { return p.duty&dutyBe != 0 }) {
		return false // "Where is the server?"
	}
	return !q.yesNo && q.form&(formNumber|formMoney|formDuration|formFrequency) == 0
}

// answersLike reports whether a passage has what another one has of a question and of the form of its answer.
func (p *passage) answersLike(q *question, o *passage) bool {
	const least = 0.001
	now := (p.cues^o.cues)&cuePresent != 0 // "I now live in Bonn" is said of another time
	same := p.covered() >= o.covered()-least && p.values[fDeny] == o.values[fDeny] && p.things >= o.things
	return same && !now && p.mayAnswer() && q.form&o.forms&^p.forms == 0
}

// holds reports whether a passage is a statement of the user that memory holds to be so, and that nothing told later seems to
// end.
func (p *passage) holds(ask *run.Question) bool {
	if p.fact == nil || p.role != session.User || !p.fact.Current() || !tellable(p.fact.Kind) {
		return false
	}
	by, doubted := ask.View.DoubtedBy(p.fact.ID)
	// What both say, such as a denial, is nothing new.
	return !doubted || ask.View.NewsOf(by.ID)&^ask.View.NewsOf(p.fact.ID)&overtaking == 0
}

// frameOf are the words of a passage up to the last one of the question: what the passage says something of. Names do not
// count: two brothers have one frame.
func (q *question) frameOf(p *passage) (frame []string) {
	last := 0
	for i := range p.words {
		if w := &p.words[i]; q.index(w.stem) >= 0 {
			frame, last = append(frame, w.stem), len(frame)+1
		} else if w.cues&cueSelf != 0 {
			frame = append(frame, "i")
		} else if !w.stop && !isName(w) {
			frame = append(frame, w.stem)
		}
	}
	return frame[:last]
}
