package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
)

// parts adds separate facts for further statements of a sentence: the cause of a cause,
// and the steps of a sequence.
func (x *distiller) parts(r *reading, main int) {
	if x.d.Role != session.User {
		return
	}
	if r.thus {
		x.actedFirst(r, main)
		return
	}
	if !r.because.empty() {
		x.causeWithin(r, main)
	}
	if len(r.dates) > 1 {
		x.steps(r)
	}
	x.clauses(r, main)
}

// causeWithin reads the chain in "removed Redis because invalidation bugs
// caused stale prices": the reason is itself an effect and a cause.
func (x *distiller) causeWithin(r *reading, main int) {
	from, to := r.at(r.because.start), r.at(r.because.end)
	inner := *r
	inner.lead, inner.stop, inner.from, inner.to = from, to, from, to
	inner.because, inner.thus, inner.backward = span{}, false, false
	for i := from + 1; i < to; i++ {
		if n := phraseLength(r.toks, i, tagThus); n > 0 && inner.isConsequence(i, n) && inner.reasonThenEffect(i, i+n) {
			break
		}
	}
	if inner.because.empty() || x.l.words[strings.ToLower(x.d.Text[inner.because.start:inner.because.end])].means(tagIt) {
		return
	}
	f := x.fact(r.because, Cause)
	f.Because = x.d.Text[inner.because.start:inner.because.end]
	f.Value = inner.slice(inner.from, inner.to)
	f.Subject, f.Attribute = inner.stems(inner.from, inner.to), attributeEffect
	if at := x.add(f); at >= 0 {
		x.facts[main].Links = append(x.facts[main].Links, Link{Kind: Because, To: f.ID})
	}
}

// steps reads a sequence: "tried GraphQL in Q1, reverted in Q2 due to …". Each clause
// with a time becomes an event; the events are linked in order.
func (x *distiller) steps(r *reading) {
	last := -1
	from := r.lead
	for i := r.lead; i <= r.stop; i++ {
		if i < r.stop && !r.toks[i].mark(",") && !r.toks[i].mark(";") && r.toks[i].low != "then" && r.toks[i].low != "and" {
			continue
		}
		if i <= from {
			from = i + 1
			continue
		}
		d, dated := r.dated(from, i)
		if !dated || r.first(from, i, tagPast, tagPlus, tagMinus, tagSwitch, tagAssign, tagSettle, tagUse, tagBe) < 0 {
			if i == r.stop {
				return
			}
			if !dated {
				continue
			}
		}
		at := span{r.toks[from].start, r.toks[i-1].end}
		f := x.fact(at, Event)
		f.When = Interval{From: d.From, To: d.To}
		if r.because.start >= at.start && r.because.end <= at.end {
			f.Because = x.d.Text[r.because.start:r.because.end]
		}
		if k := x.add(f); k >= 0 {
			if last >= 0 {
				x.facts[last].Links = append(x.facts[last].Links, Link{Kind: Then, To: f.ID})
			}
			last = k
		}
		from = i + 1
	}
}

// actedFirst reads an action and its result: "Commit: removed Redis cache, caused 3
// outages". The action is the decision. The result, and a number in it, are separate
// facts.
func (x *distiller) actedFirst(r *reading, main int) {
	act := *r
	act.from, act.to, act.because, act.thus = r.lead, r.cut, span{}, false
	if act.from >= act.to || !act.firstPerson() && !act.elided() && !r.label {
		return
	}
	act.signs = act.theSigns()
	if act.kind() != Decision {
		return
	}
	decision := &x.facts[main]
	s := act.slot(x.speaker)
	decision.Because, decision.Subject, decision.Attribute, decision.Value, decision.Former = "", s.subject, s.attribute, s.value, s.former
	f := x.fact(span{r.toks[r.lead].start, r.lastByte()}, Cause)
	f.Because = x.d.Text[r.because.start:r.because.end]
	f.Value = r.slice(r.from, r.to)
	f.Subject, f.Attribute = r.stems(r.from, r.to), attributeEffect
	if x.add(f) >= 0 {
		x.facts[main].Links = append(x.facts[main].Links, Link{Kind: Then, To: f.ID})
	}
	if effect := r.part(r.from, r.to); effect.signs.has(signMeasure) || effect.signs.has(signNumber) {
		x.add(x.fact(span{r.toks[r.from].start, r.toks[r.to-1].end}, Number))
	}
}

// part reads the tokens [from, to) of a sentence alone.
func (r *reading) part(from, to int) *reading {
	out := *r
	out.toks = r.toks[:to]
	out.lead, out.from, out.stop, out.to = from, from, to, to
	out.because, out.thus, out.backward, out.label = span{}, false, false, false
	out.signs = out.theSigns()
	return &out
}
