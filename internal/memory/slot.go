package memory

import (
	"slices"
	"strings"
)

// slot is what a sentence says of what: the value of an attribute of a subject.
type slot struct{ subject, attribute, value, former string }

func (s slot) filled() bool { return s.value != "" && s.subject != "" }

// The attributes that sentences of different wording share.
const (
	attributeIs     = "is"     // "the limit is 512 MB"
	attributeStatus = "status" // "added Redis", "removed Redis"
	attributeName   = "name"
	attributeEffect = "effect" // of a cause: value came of because
	attributeLiking = "liking of "
	attributeOrder  = "order of "
	// qualifierMark stands between an attribute and what narrows it down:
	// "database for analytics".
	qualifierMark = " for "
	subjectWe     = "we"
	subjectI      = "i"
	subjectAnswer = "answers" // of what instructions settle

	attributeTongue = "language of answers"
	attributeOwner  = "owner"
	attributeHome   = "home"
	attributeDesign = "architecture"
	attributeAge    = "age"
	attributeCount  = "count of "
	attributeHabit  = "habit to "
)

// slot finds the slot that the main clause fills; the zero slot for none.
func (r *reading) slot(speaker string) slot {
	for _, find := range [...]func(*reading, string) slot{
		(*reading).namedSlot, (*reading).goneSlot, (*reading).shopSlot, (*reading).impersonalSlot, (*reading).wholeSlot, (*reading).assignedSlot, (*reading).favouredSlot, (*reading).swappedSlot, (*reading).switchedSlot,
		(*reading).turnedSlot, (*reading).preferredSlot, (*reading).ageSlot, (*reading).placeSlot, (*reading).sequenceSlot, (*reading).choiceSlot, (*reading).likedSlot,
		(*reading).fromToSlot, (*reading).usedSlot, (*reading).passiveSlot, (*reading).madeWithSlot, (*reading).rhythmSlot, (*reading).mannerSlot, (*reading).statusSlot, (*reading).ownerSlot, (*reading).ownedSlot, (*reading).roleSlot,
		(*reading).countSlot, (*reading).copulaSlot, (*reading).measuredSlot, (*reading).habitSlot,
	} {
		if s := find(r, speaker); s.filled() {
			if s.attribute == attributeIs {
				s = r.insteadSlot(s, speaker)
			}
			if s.former == "" && r.isCategoryOrChoice(s.attribute) {
				s.former = r.insteadOf()
			}
			return s
		}
	}
	if s := r.insteadSlot(slot{}, speaker); s.filled() {
		return s
	}
	return r.turnedChoice(speaker)
}

// insteadSlot reads "the public APIs are GraphQL instead of REST" as the choice of
// one technology over another of its category.
func (r *reading) insteadSlot(s slot, speaker string) slot {
	former := r.insteadOf()
	at := r.word(r.from, r.to, "instead")
	if former == "" || at < 0 {
		return s
	}
	now, was := slot{}, slot{}
	for i := r.from; i < r.to; i++ {
		if r.toks[i].tech == 0 && r.toks[i].choice == 0 {
			continue
		}
		if i < at && now.attribute == "" {
			now = r.choose(i, speaker)
		} else if i > at && was.attribute == "" {
			was = r.choose(i, speaker)
		}
	}
	if now.attribute == "" || now.attribute != was.attribute {
		return s
	}
	now.former = former
	return now
}

// namedSlot reads "my name is Alex", "call me Alex".
func (r *reading) namedSlot(speaker string) slot {
	i := r.first(r.from, min(r.from+3, r.to), tagNamed)
	if i < 0 {
		return r.introducedSlot(speaker)
	}
	from := i + phraseLength(r.toks, i, tagNamed)
	if from < r.to && r.toks[from].low == "now" {
		from++
	}
	if from >= r.to || !r.toks[from].capital && (r.toks[from].entry != nil || r.toks[r.from].low == "call") {
		return slot{} // "call me when you are there"
	}
	to := r.phraseEnd(from, 4)
	return slot{subject: speaker, attribute: attributeName, value: r.slice(from, to)}
}

// introducedSlot reads "Hi, I'm Odalys" and "I'm Odalys, I run a brewery": a name
// behind a greeting, or before more about its bearer.
func (r *reading) introducedSlot(speaker string) slot {
	i := r.from
	switch {
	case r.toks[i].low == "i'm":
		i++
	case r.toks[i].low == "i" && i+1 < r.to && r.toks[i+1].low == "am":
		i += 2
	case r.toks[i].low == "this" && i+1 < r.to && r.toks[i+1].low == "is" && r.Start == 0 || r.toks[i].low == "this" && i+1 < r.to && r.toks[i+1].low == "is" && r.word(i, min(i+5, r.to), "from") > 0:
		i += 2
	default:
		return slot{}
	}
	if i >= r.to || !r.toks[i].capital || r.toks[i].entry != nil || r.toks[i].kind != wordToken || isPeople(r.toks[i].low) {
		return slot{}
	}
	end := i + 1
	if end < r.to && r.toks[end].capital && r.toks[end].entry == nil {
		end++
	}
	greets := r.Start < r.toks[r.lead].start || r.toks[r.from].low == "this"
	if end < r.to && !r.toks[end].mark(",") && !r.toks[end].mark("-") && !(greets && (r.toks[end].is(tagAnd) || r.toks[end].low == "from")) || end == r.to && !greets && end-i < 2 {
		return slot{}
	}
	return slot{subject: speaker, attribute: attributeName, value: r.slice(i, end)}
}

// isPeople reports whether a word with a capital letter ends like the adjective of
// a people: "I'm Swedish" gives no name.
func isPeople(low string) bool {
	for _, ending := range [...]string{"ish", "ese", "ian", "ean", "can", "dutch", "french", "german", "greek", "swiss", "czech", "muslim", "hindu", "jewish", "welsh", "thai"} {
		if strings.HasSuffix(low, ending) {
			return true
		}
	}
	return false
}

// assignedSlot reads "raised the limit from 100 to 200", "moved the deadline to
// Friday", "the price went up to 20 €".
func (r *reading) assignedSlot(string) slot {
	verb := r.first(r.from, r.to, tagAssign)
	for verb >= 0 && !r.verbLike(verb) {
		verb = r.first(verb+1, r.to, tagAssign)
	}
	if verb < 0 {
		return slot{}
	}
	after := verb + max(1, phraseLength(r.toks, verb, tagAssign))
	if low := r.toks[after-1].low; low == "from" || low == "to" {
		after--
	}
	to := r.word(after, r.to, "to")
	if to < 0 || to+1 >= r.to || to-after > 9 || !r.hasFigure(to+1) || r.toks[to+1].tech != 0 {
		return slot{}
	}
	from := r.word(after, to, "from")
	end := to
	if from >= 0 {
		end = from
	}
	subject := r.stems(after, min(end, to))
	if subject == "" {
		for end = verb; end > r.from+1 && (r.toks[end-1].is(tagBe, tagAux, tagNow) || r.toks[end-1].low == "got" || r.toks[end-1].low == "gets"); {
			end--
		}
		subject = r.stems(r.nounStart(r.from), end)
	}
	s := slot{subject: subject, attribute: attributeIs, value: r.value(to + 1)}
	if from >= 0 && from < to {
		s.former = r.slice(from+1, to)
	}
	return s
}

// verbLike tells "limit" and "change" as verbs from the nouns: an ending shows
// it, or what stands before.
func (r *reading) verbLike(i int) bool {
	t := &r.toks[i]
	if i == r.from || t.entry == nil || t.entry.base != t.entry.text || phraseLength(r.toks, i, tagAssign) > 1 {
		return true
	}
	prev := &r.toks[i-1]
	return t.is(tagPast) || prev.is(tagI, tagWe, tagAux, tagBe, tagNeg) || prev.low == "to" || prev.low == "and" || prev.capital || t.low == "set"
}

// swappedSlot reads "replaced Redis with Valkey" and "swapped Redis for Valkey".
func (r *reading) swappedSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagSwap)
	if verb < 0 {
		return slot{}
	}
	with := -1
	for i := verb + 1; i < r.to; i++ {
		switch r.toks[i].low {
		case "with", "by", "for", "to":
			if r.toks[i].low != "to" || phraseLength(r.toks, verb, tagSwap) > 2 {
				with = i
			}
		}
		if with >= 0 {
			break
		}
	}
	if with <= verb+1 && with >= 0 && (r.toks[with].low != "by" || verb == r.from) || with+1 >= r.to {
		return slot{}
	}
	if with < 0 {
		return slot{}
	}
	subject := r.toks[verb+1].is(tagBe) || verb+1 == with // "Redis was replaced by Valkey"
	if n := phraseLength(r.toks, verb, tagSwap); n > 2 {
		with, subject = verb+n-1, true // "Redis made way for Valkey"
	}
	old := r.slice(r.skipDet(verb+1, with), with)
	if subject {
		end := verb
		for end > r.from+1 && (r.toks[end-1].is(tagBe, tagAux) || r.toks[end-1].low == "got" || r.toks[end-1].low == "gets") {
			end--
		}
		old = r.slice(r.skipDet(r.from, end), end)
	}
	s := r.choose(with+1, speaker)
	if s.subject == "" {
		s = slot{subject: subjectWe, attribute: r.stemsOf(old), value: r.value(with + 1)}
	}
	s.former = old
	return s
}

// switchedSlot reads "moved from Postgres to MySQL", "merged all services back
// into a monolith", "switched to spaces".
func (r *reading) switchedSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagSwitch)
	for verb >= 0 && r.isNoun(verb) && r.first(r.from, verb, tagMinus) >= 0 {
		verb = r.first(verb+1, r.to, tagSwitch) // "undid the split into microservices"
	}
	if verb < 0 {
		return slot{}
	}
	target, source := -1, -1
	for i := verb; i < r.to; i++ {
		switch r.toks[i].low {
		case "to", "into", "onto", "in":
			if target < 0 && i > verb && i+1 < r.to && (r.toks[i].low != "in" || strings.HasPrefix(r.toks[verb].low, "re")) {
				target = i
			}
		case "from":
			source = i
		}
	}
	if target < 0 {
		return slot{}
	}
	s := r.choose(target+1, speaker)
	if size := r.partsOrWhole(target, speaker); size.filled() && !r.isChoice(s.attribute) {
		s = size
	}
	if s.subject == "" {
		return slot{}
	}
	if source > verb && source < target {
		s.former = r.slice(source+1, target)
	} else if source > target {
		s.former = r.slice(source+1, r.phraseEnd(source+1, 4))
	}
	return s
}

// choose makes the slot of the technology or the alternative named from i on.
func (r *reading) choose(i int, speaker string) slot {
	end := min(i+6, r.to)
	for k := i; k < end; k++ {
		t := &r.toks[k]
		if t.tech != 0 {
			if next := k + int(t.techLen); next < end && r.toks[next].choice != 0 {
				continue // "a single Rails monolith" is a monolith
			}
			return slot{
				subject: r.who(speaker), attribute: r.l.categories[t.tech] + r.purpose(k+int(t.techLen), t.tech),
				value: r.slice(k, r.versionEnd(k+int(t.techLen))),
			}
		}
		if t.choice != 0 {
			return slot{
				subject: r.who(speaker), attribute: r.l.choices[t.choice],
				value: r.slice(k, k+r.choiceLength(k)),
			}
		}
		if t.kind == markToken || t.is(tagWhy, tagThus) {
			break
		}
	}
	return slot{}
}

// purpose is what a technology is used for (" for analytics"), as far as the
// words say more than its category does.
func (r *reading) purpose(i int, tech uint8) string {
	i = r.versionEnd(i)
	if i >= r.to || r.toks[i].low != "for" && r.toks[i].low != "in" {
		return ""
	}
	var words []string
	for k := i + 1; k < r.phraseEnd(i+1, 5); k++ {
		if t := &r.toks[k]; content(t) && !r.speaksOf(t, tech) && !t.is(tagMotive) {
			words = append(words, stem(r.l, t.low))
		}
	}
	if len(words) == 0 {
		return ""
	}
	slices.Sort(words)
	return qualifierMark + strings.Join(slices.Compact(words), " ")
}

// speaksOf reports whether a word is just another name of the category.
func (r *reading) speaksOf(t *token, tech uint8) bool {
	if t.low == "everything" || t.low == "all" || t.low == "project" {
		return true
	}
	if t.entry == nil {
		return false
	}
	for _, topic := range t.entry.topics {
		if topic.kind == "" && topic.tech == tech {
			return true
		}
	}
	return false
}

// who is the subject of a slot whose sentence speaks of "we" or "I".
func (r *reading) who(speaker string) string {
	if r.from < len(r.toks) && r.toks[r.from].is(tagI, tagMy) {
		return speaker
	}
	return subjectWe
}

// firstPerson reports whether the main clause speaks of the speakers.
func (r *reading) firstPerson() bool {
	return r.from < r.to && r.toks[r.from].is(tagI, tagWe, tagMy, tagOur)
}

// namesTechnology reports whether the main clause names a technology or one of
// several alternatives.
func (r *reading) namesTechnology() bool {
	for i := r.from; i < r.to; i++ {
		if r.toks[i].tech != 0 || r.toks[i].choice != 0 {
			return true
		}
	}
	return false
}

// elided reports whether the main clause begins with its verb, as notes do:
// "Removed Redis", "Tried GraphQL".
func (r *reading) elided() bool {
	if r.from >= r.to || r.toks[r.from].entry == nil {
		return false
	}
	t := &r.toks[r.from]
	inflected := t.entry.base != t.entry.text
	if inflected && (strings.HasSuffix(t.low, "ing") || strings.HasSuffix(t.low, "s")) {
		return false // "books", "creating": no verb of a note
	}
	if t.is(tagPlus) && !inflected && !r.label && !t.is(tagPast) && r.because.empty() && !r.namesTechnology() {
		return false // "keep it up"
	}
	return r.from < r.to && r.toks[r.from].is(tagPlus, tagMinus, tagSwitch, tagSwap, tagAssign, tagSettle, tagUse)
}
