package memory

import (
	"slices"
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
		if r.mayFit(f) && m.match(0, r.from) {
			if s := m.slot(f); s.filled() {
				return s
			}
		}
	}
	return slot{}
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
	for _, thing := range m.things[:m.named] {
		words = append(words, m.telling(thing[0], thing[1]))
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
