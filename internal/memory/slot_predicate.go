package memory

import (
	"slices"
	"strings"
)

// preferredSlot reads "I prefer tea over coffee" and "I prefer tabs".
func (r *reading) preferredSlot(speaker string) slot {
	verb := -1
	for i := r.from; i < r.to; i++ {
		if t := &r.toks[i]; t.kind == wordToken && t.entry != nil && (t.entry.base == "prefer" || t.entry.base == "favour" || t.entry.base == "favor") && (i == r.from || r.toks[i-1].low != "in") {
			verb = i
			break
		}
	}
	if verb < 0 || !r.firstPerson() || r.first(r.from, verb, tagNeg) >= 0 {
		return slot{}
	}
	from := r.skipDet(verb+1, r.to)
	over := -1
	for i := from + 1; i < r.to; i++ {
		if low := r.toks[i].low; low == "over" || low == "to" || low == "rather" || low == "instead" {
			over = i
			break
		}
	}
	if s := r.choose(from, speaker); s.subject != "" {
		if over >= 0 {
			s.former = ""
		}
		if !r.isChoice(s.attribute) {
			s.attribute = "preferred " + s.attribute
		}
		return s
	}
	if over < 0 {
		return slot{}
	}
	value := r.slice(from, over)
	other := r.skipDet(over+1, r.to)
	if other < r.to && (r.toks[other].low == "than" || r.toks[other].low == "of") {
		other++
	}
	pair := append(strings.Fields(r.stems(from, over)), strings.Fields(r.stems(other, r.phraseEnd(other, 4)))...)
	slices.Sort(pair)
	return slot{subject: speaker, attribute: attributeOrder + strings.Join(slices.Compact(pair), " "), value: value}
}

// isChoice reports whether an attribute is a group of alternatives.
func (r *reading) isChoice(attribute string) bool { return slices.Contains(r.l.choices, attribute) }

// likedSlot reads likes and dislikes; the value is the words that name the thing.
func (r *reading) likedSlot(speaker string) slot {
	if !r.toks[r.from].is(tagI, tagWe) {
		return slot{}
	}
	verb := r.first(r.from, min(r.from+6, r.to), tagHates, tagLikes)
	if verb < 0 {
		return slot{}
	}
	n := max(phraseLength(r.toks, verb, tagHates), phraseLength(r.toks, verb, tagLikes))
	object := r.stems(verb+n, r.phraseEnd(verb+n, 6))
	if object == "" {
		return slot{}
	}
	from := verb
	if neg := r.first(r.from, verb, tagNeg); neg >= 0 {
		from = neg
	}
	return slot{subject: speaker, attribute: attributeLiking + object, value: r.slice(from, verb+n)}
}

// usedSlot reads "we use PostgreSQL 15 on RDS", "I'm building a cache in Rust".
func (r *reading) usedSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagUse)
	if verb < 0 {
		return slot{}
	}
	n := max(1, phraseLength(r.toks, verb, tagUse))
	for k := verb + n; k < min(verb+n+9, r.to); k++ {
		t := &r.toks[k]
		if t.kind == markToken || t.is(tagAnd) {
			return slot{}
		}
		if t.tech == 0 {
			continue
		}
		if r.first(r.from, verb, tagMinus, tagNeg) >= 0 { // "stopped using Redis"
			return slot{}
		}
		s := slot{
			subject: r.who(speaker), attribute: r.l.categories[t.tech],
			value: r.slice(k, r.versionEnd(k+int(t.techLen))),
		}
		if !r.firstPerson() && !r.elided() {
			switch s.subject = r.stems(r.nounStart(r.from), verb); s.subject {
			case "":
				return slot{}
			case "service", "all service", "everything", "team", "all team", "client", "all client", "all":
				s.subject = subjectWe // "all services talk gRPC"
			}
		}
		if object := r.objectBefore(verb+n, k, t.tech); object != "" {
			s.attribute += qualifierMark + object
		} else {
			s.attribute += r.purpose(k+int(t.techLen), t.tech)
		}
		return s
	}
	return slot{}
}

// objectBefore is the thing made with a technology: "a cache" in "building a cache in
// Rust".
func (r *reading) objectBefore(from, tech int, category uint8) string {
	end := from
	for end < tech && r.toks[end].low != "in" && r.toks[end].low != "with" && r.toks[end].low != "on" && r.toks[end].low != "using" {
		end++
	}
	if end == tech {
		return ""
	}
	var words []string
	for i := from; i < end; i++ {
		if t := &r.toks[i]; content(t) && !r.speaksOf(t, category) {
			words = append(words, stem(r.l, t.low))
		}
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// copulaSlot reads "the rate limit is 100", "my favourite colour is blue".
func (r *reading) copulaSlot(speaker string) slot {
	at := r.first(r.from+1, min(r.from+10, r.to), tagCopula)
	if at < 0 || r.toks[r.from].is(tagI, tagWe, tagIt) || r.toks[r.from].low == "there" {
		return r.colonSlot(speaker)
	}
	for i := r.from; i < at; i++ {
		if r.toks[i].kind == markToken && !r.toks[i].mark("'") && !r.toks[i].mark(`"`) {
			return r.colonSlot(speaker)
		}
	}
	n := phraseLength(r.toks, at, tagCopula)
	name := r.stems(r.nounStart(r.from), at)
	value := r.value(at + n)
	if name == "" || value == "" {
		return slot{}
	}
	if noun := r.nounStart(r.from); strings.HasSuffix(r.toks[noun].low, "ing") && noun == r.from {
		return slot{} // "losing my job was hard"
	}
	last := r.toks[at+n-1].low
	s := slot{subject: name, attribute: attributeIs, value: value}
	if r.toks[r.from].is(tagMy) {
		s.subject, s.attribute = speaker, name
	} else if last == "called" || last == "named" {
		s.attribute = attributeName
	} else if c := r.choose(at+n, speaker); c.attribute == name && r.isChoice(name) {
		s.subject, s.attribute, s.value = subjectWe, name, c.value
	} else if k := r.at(r.valueStart(at + n)); k < r.to && r.toks[k].tech != 0 && r.namesCategory(r.from, at, r.toks[k].tech) {
		s.subject, s.attribute = subjectWe, r.l.categories[r.toks[k].tech]
	}
	return s
}

// colonSlot reads notes such as "Deadline: 3 May".
func (r *reading) colonSlot(string) slot {
	for i := r.from + 1; i < min(r.from+5, r.to-1); i++ {
		if r.toks[i].mark(":") || r.toks[i].mark("=") {
			return slot{subject: r.stems(r.nounStart(r.from), i), attribute: attributeIs, value: r.value(i + 1)}
		}
		if r.toks[i].kind == markToken || r.toks[i].is(tagI, tagWe) {
			break
		}
	}
	return slot{}
}

// namesCategory reports whether a noun phrase names a category of technology, such as
// "our database".
func (r *reading) namesCategory(from, to int, tech uint8) bool {
	words := 0
	for i := from; i < to; i++ {
		if t := &r.toks[i]; content(t) {
			words++
			if !r.speaksOf(t, tech) {
				return false
			}
		}
	}
	return words > 0
}

// needsSo reports whether token i is a number in words behind a verb that asks for one:
// "deploys need two approvals".
func (r *reading) needsSo(i int) bool {
	if !r.toks[i].is(tagNumberWord) && r.toks[i].low != "one" {
		return false
	}
	switch r.toks[i-1].low {
	case "need", "needs", "require", "requires", "take", "takes", "last", "lasts":
		return true
	}
	return false
}

// measuredSlot reads "the deploy takes 12 minutes", "standup starts at 9:30".
func (r *reading) measuredSlot(string) slot {
	if r.toks[r.from].is(tagIt, tagHe, tagI, tagWe) {
		return slot{}
	}
	for i := r.from + 1; i < r.to; i++ {
		if r.toks[i].kind == markToken {
			return slot{}
		}
		if _, dated := r.dated(i, i+1); !dated && r.toks[i].kind != numberToken && !r.needsSo(i) {
			continue
		}
		verb := i - 1
		for verb > r.from && !content(&r.toks[verb]) {
			verb--
		}
		if verb <= r.from || i-verb > 3 || r.isPast(verb) {
			return slot{}
		}
		name := r.stems(r.nounStart(r.from), verb)
		if name == "" {
			return slot{}
		}
		return slot{subject: name, attribute: stem(r.l, r.toks[verb].low), value: r.value(i)}
	}
	return slot{}
}
