package memory

import "strconv"

// valueAt is the value of a sort that begins at token i; empty for none.
func (r *reading) valueAt(sort partSort, i int) (from, to int) {
	t := &r.toks[i]
	switch sort {
	case partWhat:
		return r.valueRange(i)
	case partFigure:
		if r.hasFigure(i) && t.tech == 0 {
			return r.valueRange(i)
		}
	case partNumber:
		if t.isFigure() {
			return i, i + 1
		}
	case partProper:
		if t.capital && !t.namesKind() {
			return i, r.phraseEnd(i, 4)
		}
	case partName:
		for to = i; to < r.to && r.toks[to].capital && r.toks[to].entry == nil; to++ {
		}
		return i, to
	case partJob:
		from = r.nounStart(i)
		if from < r.to && r.isJob(&r.toks[from]) {
			return from, r.phraseEnd(from, 4)
		}
	case partRhythm:
		if r.l.has(listRhythm, t.low) {
			return i, r.phraseEnd(i, 4)
		}
	}
	return 0, 0
}

// namesKind reports whether a token names a technology or an alternative.
func (t *token) namesKind() bool { return t.tech != 0 || t.choice != 0 }

// isJob reports whether a word can be that of a profession.
func (r *reading) isJob(t *token) bool {
	return content(t) && !t.namesKind() && !r.l.has(listNoJob, t.low)
}

// namedKind matches a technology or an alternative. Two in one frame are different ones of one
// class.
func (m *fit) namedKind(sort partSort, i int) (from, to int) {
	r, t := m.r, &m.r.toks[i]
	var class, side string
	var end int
	switch {
	case t.tech != 0:
		end = i + int(t.techLen)
		if end < r.to && r.toks[end].choice != 0 {
			return 0, 0 // "a single Rails monolith" is a monolith
		}
		class, side, end = r.l.categories[t.tech], r.l.canonical(t.low), r.versionEnd(end)
	case t.choice != 0:
		class, side, end = r.l.choices[t.choice], strconv.Itoa(int(t.side)), i+r.choiceLength(i)
	default:
		return 0, 0
	}
	switch {
	case m.side == "":
		m.class, m.side = class, side
	case class != m.class || side == m.side:
		return 0, 0
	}
	if sort == partKind {
		m.from, m.to = i, end
	}
	return i, end
}
