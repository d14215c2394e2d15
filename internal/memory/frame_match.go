package memory

import "slices"

// fit is the state of comparing a sentence with a frame. Ranges are of tokens.
type fit struct {
	r       *reading
	speaker string
	parts   []part
	things  [2][2]int // where noun phrases begin and end
	named   int       // how many noun phrases there are
	from    int       // of the value
	to      int
	class   string // of the technologies or alternatives
	side    string // which of them the first is
	verb    int
	effect  [2]int // of a sentence with a reason
	reason  [2]int
	end     int
}

// mayFit reports whether a sentence has the words that a frame cannot do without. It only
// saves the search for them.
func (r *reading) mayFit(f *frame) bool {
	for i := range f.parts {
		p := &f.parts[i]
		if p.optional {
			continue
		}
		switch p.sort {
		case partTags, partWords, partNext, partAhead, partBehind:
			if !r.tags.any(p.set) && (p.letters&r.letters == 0 || !r.anyOf(p, r.lead, r.stop)) {
				return false
			}
		}
	}
	return true
}

// match reports whether the parts from p on stand at token i.
func (m *fit) match(p, i int) bool {
	if p == len(m.parts) {
		m.end = i
		return true
	}
	from, to := m.from, m.to
	if m.part(p, i) {
		return true
	}
	m.from, m.to = from, to
	return m.parts[p].optional && m.match(p+1, i)
}

// part reports whether part p stands at token i, and the parts behind it after it.
func (m *fit) part(p, i int) bool {
	one, r := &m.parts[p], m.r
	switch one.sort {
	case partGap, partFarGap:
		return m.gap(p, i)
	case partThing, partWhat:
		if p+1 < len(m.parts) {
			return m.phrase(p, i)
		}
	case partEffect, partReason:
		return m.span(p, i)
	}
	if met, sight := m.holds(one, i); sight {
		return met && m.match(p+1, i)
	}
	if i >= r.to {
		return false
	}
	from, to := m.words(one, i)
	if to <= i {
		return false
	}
	if one.value {
		if m.to == 0 {
			m.from = from
		}
		m.to = to
	}
	return m.match(p+1, to)
}

// holds reports whether what a part wants to see from token i holds, and whether the part is
// one that takes no words.
func (m *fit) holds(one *part, i int) (met, sight bool) {
	r := m.r
	switch one.sort {
	case partNone:
		return r.first(r.from, r.to, one.tags...) < 0, true
	case partSpoken:
		return r.spoken(), true
	case partSelf:
		return r.toks[r.from].is(tagI, tagWe), true
	case partEnd:
		return i >= r.to || r.toks[i].kind == markToken, true
	case partNext, partNot, partClause, partSaysEffect:
		return i < r.to && r.beginsAs(one, i), true
	case partLast:
		return i > r.lead && !one.names(&r.toks[i-1]), true
	case partAhead:
		return r.anyOf(one, i, r.to), true
	case partBehind:
		return r.anyOf(one, r.lead, i), true
	case partHasVerb:
		return r.hasVerb(i), true
	case partNoDate:
		_, dated := r.dated(i, min(i+2, r.to))
		return !dated, true
	case partNote:
		return r.commit || r.label && r.elided(), true
	}
	return false, false
}

// beginsAs reports whether token i begins what a part wants next.
func (r *reading) beginsAs(p *part, i int) bool {
	switch p.sort {
	case partClause:
		return r.startsClause(i)
	case partSaysEffect:
		return r.saysEffect(i)
	}
	return p.names(&r.toks[i]) == (p.sort == partNext)
}

// names reports whether a token is one of a part's words, or has one of its tags.
func (p *part) names(t *token) bool {
	return t.tags.any(p.set) || slices.Contains(p.words, t.low)
}

// anyOf reports whether one of the tokens [from, to) is what a part names.
func (r *reading) anyOf(p *part, from, to int) bool {
	for i := from; i < to; i++ {
		if p.names(&r.toks[i]) {
			return true
		}
	}
	return false
}

// span matches an effect or a reason: as few words as the rest of the row allows.
func (m *fit) span(p, i int) bool {
	from := i + 1
	if p+1 == len(m.parts) {
		from = m.r.to
	}
	for end := from; end <= m.r.to && end > i; end++ {
		if m.parts[p].sort == partEffect {
			m.effect = [2]int{i, end}
		} else {
			m.reason = [2]int{i, end}
		}
		if m.match(p+1, end) {
			return true
		}
	}
	m.effect, m.reason = [2]int{}, [2]int{}
	return false
}

// gap matches the fewest words that the rest of the frame allows.
func (m *fit) gap(p, i int) bool {
	one := &m.parts[p]
	for k := i; k <= min(i+one.most, m.r.to); k++ {
		if k > i && one.sort == partGap && m.r.toks[k-1].kind == markToken {
			return false
		}
		if m.match(p+1, k) {
			return true
		}
	}
	return false
}

// phrase matches a noun phrase that is as short as the rest of the frame allows.
func (m *fit) phrase(p, i int) bool {
	r, one := m.r, &m.parts[p]
	if i >= r.to || one.sort == partThing && !r.namesThing(i) {
		return false
	}
	start := r.nounStart(i)
	before := m.named
	if one.sort == partThing && before == len(m.things) {
		return false
	}
	for end := start + 1; end <= min(start+8, r.to); end++ {
		if t := &r.toks[end-1]; t.kind == markToken && !t.mark(`"`) && !t.mark("'") {
			return false
		}
		if !r.tells(start, end) {
			continue
		}
		if one.sort == partThing {
			m.things[before], m.named = [2]int{start, end}, before+1
		} else {
			m.from, m.to = start, end
		}
		if m.match(p+1, end) {
			return true
		}
	}
	m.named = before
	return false
}

// namesThing reports whether a noun phrase may begin at token i: no pronoun does.
func (r *reading) namesThing(i int) bool {
	t := &r.toks[i]
	return !t.is(tagI, tagWe, tagIt, tagHe) && t.low != "there" && t.kind == wordToken
}

// words matches a part at token i: the range of its words; empty if they are not there.
func (m *fit) words(one *part, i int) (from, to int) {
	r, t := m.r, &m.r.toks[i]
	switch one.sort {
	case partWords:
		if slices.Contains(one.words, t.low) {
			return i, i + 1
		}
	case partTags:
		n := 0
		for _, x := range one.tags {
			n = max(n, phraseLength(r.toks[:r.to], i, x))
		}
		return i, i + n
	case partThing:
		from = r.nounStart(i)
		if to = r.phraseEnd(from, 6); r.tells(from, to) && m.named < len(m.things) {
			m.things[m.named] = [2]int{from, to}
			m.named++
			return from, to
		}
	case partVerb:
		if t.kind == wordToken && !t.entryHas(tagStop) && !r.isPast(i) && !t.is(tagLikes, tagHates, tagMinus) {
			m.verb = i
			return i, i + 1
		}
	case partKind, partOld:
		return m.namedKind(one.sort, i)
	default:
		if from, to = r.valueAt(one.sort, i); to > from && to <= r.to {
			m.from, m.to = from, to
		}
		return from, to
	}
	return 0, 0
}
