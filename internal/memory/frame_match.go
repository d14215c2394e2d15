package memory

import (
	"slices"
	"strconv"
	"strings"
)

// slot returns the slot that the first fitting frame fills; the zero slot for none.
func (r *reading) slot(speaker string) slot {
	wish := r.kind() == Instruction
	if wish && r.first(r.lead, r.stop, tagIf, tagWh, tagNeg) >= 0 {
		return slot{} // it decides nothing for good
	}
	kinds := r.signs.hasAny(signsOf(signTechnology, signChoice))
	frames := theFrames()
	for i := range frames {
		f := &frames[i]
		if f.kinds && !kinds || wish != (f.subject == subjectAnswer) || f.subject == subjectWe && r.signs.hasAny(signsOf(signOther, signHearsay)) {
			continue
		}
		m := fit{r: r, speaker: speaker, parts: f.parts}
		if m.match(0, r.from) {
			if s := m.slot(f); s.filled() {
				return s
			}
		}
	}
	return slot{}
}

// fit is the state of comparing a sentence with a frame. Ranges are of tokens.
type fit struct {
	r       *reading
	speaker string
	parts   []part
	things  []int // where noun phrases begin and end
	from    int   // of the value
	to      int
	class   string // of the technologies or alternatives
	side    string // which of them the first is
	verb    int
	end     int
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
	case partNone:
		return r.first(r.from, r.to, one.tags...) < 0 && m.match(p+1, i)
	case partSpoken:
		return (r.toks[r.from].is(tagI, tagWe) || r.elided() || r.label) && m.match(p+1, i)
	case partSelf:
		return r.toks[r.from].is(tagI, tagWe) && m.match(p+1, i)
	case partEnd:
		return (i >= r.to || r.toks[i].kind == markToken) && m.match(p+1, i)
	case partGap, partFarGap:
		return m.gap(p, i)
	case partThing, partWhat:
		if p+1 < len(m.parts) {
			return m.phrase(p, i)
		}
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
	before := len(m.things)
	for end := start + 1; end <= min(start+8, r.to); end++ {
		if t := &r.toks[end-1]; t.kind == markToken && !t.mark(`"`) && !t.mark("'") {
			return false
		}
		if r.stems(start, end) == "" {
			continue
		}
		if one.sort == partThing {
			m.things = append(m.things[:before], start, end)
		} else {
			m.from, m.to = start, end
		}
		if m.match(p+1, end) {
			return true
		}
	}
	m.things = m.things[:before]
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
		if to = r.phraseEnd(from, 6); r.stems(from, to) != "" {
			m.things = append(m.things, from, to)
			return from, to
		}
	case partVerb:
		if t.kind == wordToken && !t.entryHas(tagStop) && !r.isPast(i) && !t.is(tagLikes, tagHates, tagMinus) {
			m.verb = i
			return i, i + 1
		}
	case partKind, partOld:
		return m.named(one.sort, i)
	default:
		if from, to = r.valueAt(one.sort, i); to > from && to <= r.to {
			m.from, m.to = from, to
		}
		return from, to
	}
	return 0, 0
}

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
		if t.kind == numberToken || t.is(tagNumberWord) {
			return i, i + 1
		}
	case partProper:
		if t.capital && t.tech == 0 && t.choice == 0 {
			return i, r.phraseEnd(i, 4)
		}
	case partName:
		for to = i; to < r.to && r.toks[to].capital && r.toks[to].entry == nil; to++ {
		}
		return i, to
	case partJob:
		from = r.nounStart(i)
		if from < r.to && content(&r.toks[from]) && !r.l.has(listNoJob, r.toks[from].low) && r.toks[from].tech == 0 && r.toks[from].choice == 0 {
			return from, r.phraseEnd(from, 4)
		}
	case partRhythm:
		if r.l.has(listRhythm, t.low) {
			return i, r.phraseEnd(i, 4)
		}
	}
	return 0, 0
}

// named matches a technology or an alternative. Two in one frame are different ones of one
// class.
func (m *fit) named(sort partSort, i int) (from, to int) {
	r, t := m.r, &m.r.toks[i]
	class, side, end := "", "", i
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

// slot names what the frame found.
func (m *fit) slot(f *frame) slot {
	r := m.r
	s := slot{subject: f.subject, attribute: f.attribute, value: strings.Trim(r.slice(m.from, m.to), `"'“”‘’`)}
	things := m.thingStems()
	switch f.subject {
	case "I":
		s.subject = m.speaker
	case subjectWe:
		s.subject = r.who(m.speaker)
	case "thing":
		s.subject = things
		if things == "" && f.kinds {
			s.subject = r.who(m.speaker)
		}
	}
	for {
		before, mark, found := strings.Cut(s.attribute, "{")
		mark, after, _ := strings.Cut(mark, "}")
		if !found {
			return s
		}
		s.attribute = strings.TrimSpace(before + m.wordsOf(mark, things) + after)
	}
}

// wordsOf are the words that a mark in an attribute stands for.
func (m *fit) wordsOf(mark, things string) string {
	r := m.r
	switch mark {
	case "kind":
		return m.class
	case "thing":
		return things
	case "verb":
		return stem(r.l, r.toks[m.verb].low)
	case "pair":
		return sortedWords(things + " " + r.stems(m.from, m.to))
	case "for":
		return m.qualifier("for", "in")
	case "where":
		return m.qualifier("for", "in", "to", "from", "on", "into")
	}
	return ""
}

// thingStems are the words of the noun phrases.
func (m *fit) thingStems() string {
	var words []string
	for k := 0; k+1 < len(m.things); k += 2 {
		words = append(words, m.telling(m.things[k], m.things[k+1]))
	}
	return sortedWords(strings.Join(words, " "))
}

// telling are the stems of tokens [from, to) without those that say no more than the class
// of the technologies, or that all is meant.
func (m *fit) telling(from, to int) string {
	var words []string
	for i := from; i < to; i++ {
		t := &m.r.toks[i]
		if m.class != "" && (m.r.l.has(listWhole, t.low) || m.r.speaksOf(t, m.class)) {
			continue
		}
		words = append(words, m.r.stems(i, i+1))
	}
	return strings.Join(words, " ")
}

// qualifier is what the attribute is limited to, by one of the prepositions behind the
// frame: " for analytics"; "" for nothing, a time or a reason.
func (m *fit) qualifier(prepositions ...string) string {
	r, i := m.r, m.end
	if i+1 >= r.to || !slices.Contains(prepositions, r.toks[i].low) || r.toks[i+1].is(tagMotive) {
		return ""
	}
	if _, dated := r.dated(i, min(i+3, r.to)); dated {
		return ""
	}
	if words := sortedWords(m.telling(i+1, r.phraseEnd(i+1, 6))); words != "" {
		return " for " + words
	}
	return ""
}

// sortedWords are the words of a list in order, each once.
func sortedWords(list string) string {
	words := strings.Fields(list)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}
