package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// traitOf derives the traits of a fact from its words.
func (s *State) traitOf(f *Fact) trait {
	var t trait
	if f.Value == "" && f.Attribute == "" {
		return t
	}
	t.value = s.valueOf(f.Value, !f.When.IsZero() && !isStatus(f.Attribute) && len(language.Dates(f.Value, f.SaidAt)) > 0)
	if t.value.sort == choiceValue && f.Attribute == attributeIs {
		t.value.sort, t.value.of = otherValue, "" // "the talk was formal" is no choice
	}
	if f.Attribute == attributeDesign && t.value.sort != choiceValue {
		whole := "monolith"
		if strings.HasSuffix(strings.ToLower(f.Value), "services") {
			whole = "microservices"
		}
		t.value = s.valueOf(whole, false) // "one Rails app", "14 services"
	}
	var space [48]token
	toks := appendTokens(s.l, space[:0], f.Statement, 0, len(f.Statement))
	also, valueAt := false, strings.Index(f.Statement, f.Value)
	for i := range toks {
		k := &toks[i]
		switch k.low {
		case "also", "too", "additionally", "besides", "both":
			also = true
		case "back", "reverted", "returned", "reverting", "returning":
			t.back = k.is(tagSwitch, tagSwap, tagMinus) || k.low == "back"
		case "again":
			t.change = t.change || i > 0 && (toks[i-1].tech != 0 || toks[i-1].choice != 0)
		case "since":
			t.change = t.change || i > 1 && i+1 < len(toks) && toks[i+1].kind == wordToken && toks[i+1].low != "then" && f.Subject == subjectWe && isPresent(toks)
		case "everything": // "everything" is with one alternative or another
			t.change = t.change || f.Subject == subjectWe && t.value.sort == techValue
		}
		if f.Attribute == attributeIs && i > 0 && (k.mark(",") || k.low == "but") {
			break // the change is about something else
		}
		if k.is(tagNow, tagNoLonger, tagSwitch, tagSwap, tagTakesOver) {
			t.change = true
		}
		if (k.low == "was" || k.low == "were") && k.start < valueAt {
			t.past = i+1 >= len(toks) || !toks[i+1].is(tagAssign, tagSwitch, tagSwap, tagPlus, tagMinus)
		}
	}
	t.past = t.past && f.Attribute == attributeIs && !s.corrects(f)
	t.change = (t.change || f.Former != "") && !also
	if isStatus(f.Attribute) || strings.HasPrefix(f.Attribute, attributeLiking) {
		t.polarity = s.polarityOf(f.Value)
	}
	return t
}

// isPresent reports whether a statement says "is" or "are". With a "since", that is a
// new state and not a permanent one.
func isPresent(toks []token) bool {
	for i := range toks {
		switch toks[i].low {
		case "is", "are":
			return true
		case "have", "has", "been":
			return false
		}
	}
	return false
}

// corrects reports whether the words before a statement mark it as a correction.
func (s *State) corrects(f *Fact) bool {
	if len(f.Quote) <= len(f.Statement) {
		return false
	}
	var space [8]token
	for _, t := range appendTokens(s.l, space[:0], f.Quote, 0, min(len(f.Quote)-len(f.Statement), 40)) {
		if t.is(tagCorrection) {
			return true
		}
	}
	return false
}

// isStatus reports whether an attribute says that something was added or removed.
func isStatus(attribute string) bool {
	return attribute == attributeStatus || strings.HasPrefix(attribute, attributeStatus+qualifierMark)
}

// qualifier is the qualifier of an attribute; "" for none.
func qualifier(attribute string) string {
	_, q, _ := strings.Cut(attribute, qualifierMark)
	return q
}

// polarityOf reads the words for adding or removing, liking or disliking.
func (s *State) polarityOf(verbatim string) int8 {
	var space [8]token
	toks := appendTokens(s.l, space[:0], verbatim, 0, len(verbatim))
	sign := int8(1)
	if n := len(toks); n > 2 && toks[0].entry != nil { // "rolled GraphQL back"
		for p := range toks[0].entry.phrases {
			if ph := &toks[0].entry.phrases[p]; ph.tags.has(tagMinus) && n > len(ph.rest)+1 && phraseAt(toks, n-len(ph.rest), ph.rest) {
				return -1
			}
		}
	}
	for i := range toks {
		t := &toks[i]
		if t.is(tagMinus, tagHates, tagNoLonger, tagGone) {
			return -1
		}
		if t.is(tagNeg) {
			sign = -1
		}
	}
	return sign
}

// contradicted lists the current facts that fact n contradicts.
func (s *State) contradicted(n int32) []int32 {
	f, t := &s.facts[n], &s.traits[n]
	switch {
	case f.Kind == Retraction:
		return s.retracted(n)
	case t.inner && !t.clause || !f.Kind.Asserted() && f.Kind != Negated || f.Value == "":
		return nil
	}
	var out []int32
	for _, o := range s.slots[slotKey{f.Subject, f.Attribute}] {
		if s.clashes(o, n) {
			out = append(out, o)
		}
	}
	if f.Kind == Negated {
		return out
	}
	if base, _, qualified := strings.Cut(f.Attribute, qualifierMark); f.Former != "" && !qualified {
		out = append(out, s.formerFacts(n, base)...)
	}
	if isStatus(f.Attribute) || t.value.sort == techValue || f.Former != "" {
		out = append(out, s.thingClashes(n)...)
	}
	if t.back && t.change && f.Former == "" {
		out = append(out, s.trialsEnded(n)...)
	}
	out = append(out, s.ported(n)...)
	out = append(out, s.byCategory(n)...)
	out = append(out, s.ended(n)...)
	out = slices.DeleteFunc(out, func(o int32) bool { // a sentence does not contradict itself
		was := &s.facts[o].Source
		return was.Root == f.Source.Root && was.Seq == f.Source.Seq && was.Start <= f.Source.Start && f.Source.End <= was.End
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// trialsEnded finds adoptions of the same sort as the thing to which n returns: "we
// tried GraphQL", "we went back to REST".
func (s *State) trialsEnded(n int32) []int32 {
	f := &s.facts[n]
	if s.traits[n].value.sort != techValue || f.Subject != subjectWe && f.Subject != subjectI {
		return nil
	}
	base, _, _ := strings.Cut(f.Attribute, qualifierMark)
	category := s.l.category(base)
	if category == 0 {
		return nil
	}
	var out []int32
	for _, o := range newestOf(s.techs[category]) {
		old := &s.facts[o]
		if o == n || !old.Current() || !old.Kind.Asserted() || !isStatus(old.Attribute) || s.traits[o].polarity < 0 {
			continue
		}
		for word := range strings.FieldsSeq(old.Subject) {
			if e := s.l.words[word]; e != nil && e.tech == category && !strings.HasPrefix(s.traits[n].value.is, word) {
				out = append(out, o)
				break
			}
		}
	}
	return out
}

// clashes decides whether two facts of the same slot contradict each other.
func (s *State) clashes(o, n int32) bool {
	old, now, f := &s.traits[o], &s.traits[n], &s.facts[n]
	if f.Kind == Negated {
		return old.value.is == now.value.is && old.polarity >= 0 && !isStatus(f.Attribute)
	}
	if now.polarity != 0 {
		return old.polarity*now.polarity < 0
	}
	if old.value.is == now.value.is {
		return false
	}
	if s.isCategory(f.Attribute) {
		return now.change && now.value.replaces(old.value) && (f.Former == "" || s.matchesFormer(o, n))
	}
	if s.exclusive(f.Attribute) {
		return true
	}
	switch {
	case f.Attribute == "job":
		return now.change
	case f.Attribute == "origin", now.past && !now.change:
		return false // a past state does not contradict the present one
	case f.Attribute == attributeOwner, strings.HasPrefix(f.Attribute, attributeCount), strings.HasPrefix(f.Attribute, attributeHabit):
		return now.change
	}
	return now.value.replaces(old.value) || now.change && now.value.sort == old.value.sort || now.value.sort == old.value.sort && s.singular(f)
}

// exclusive reports whether a slot can have only one value at a time.
func (s *State) exclusive(attribute string) bool {
	base, _, _ := strings.Cut(attribute, qualifierMark)
	return slices.Contains(s.l.choices, attribute) || base == attributeTongue || strings.HasPrefix(attribute, attributeOrder) ||
		strings.HasPrefix(attribute, "preferred ") || attribute == attributeName || attribute == "home" || attribute == "employer"
}

// isCategory reports whether a slot is a category of technology, of which several may
// be in use.
func (s *State) isCategory(attribute string) bool {
	base, _, _ := strings.Cut(attribute, qualifierMark)
	return s.l.category(base) != 0
}

// singular reports whether a slot's name says that it has one value: a name, an
// e-mail address, a favourite.
func (s *State) singular(f *Fact) bool {
	words := f.Subject
	if f.Attribute != attributeIs {
		words = f.Attribute
	}
	for word := range strings.FieldsSeq(words) {
		if word == "favorite" {
			return true
		}
		if e := s.l.words[word]; e != nil && e.tags.has(tagAttribute) {
			return true
		}
		if e := s.l.words[word]; e != nil && e.tags.has(tagNumberLabel) && f.Attribute == attributeIs {
			return true
		}
	}
	return false
}

// matchesFormer reports whether o is the fact that n says it replaces.
func (s *State) matchesFormer(o, n int32) bool {
	former := s.valueOf(s.facts[n].Former, false)
	old := s.traits[o].value
	if former.sort == techValue && old.sort == techValue {
		a, _, _ := strings.Cut(former.is, " ")
		b, _, _ := strings.Cut(old.is, " ")
		return a == b
	}
	return former.is == old.is || former.sort == old.sort && former.sort == choiceValue
}

// formerFacts finds current facts with the value that n says it replaces, in slots with
// a qualifier where the slot of n has none.
func (s *State) formerFacts(n int32, category string) []int32 {
	if s.l.category(category) == 0 {
		return nil
	}
	former := s.valueOf(s.facts[n].Former, false)
	name, _, _ := strings.Cut(former.is, " ")
	var out []int32
	for _, o := range s.things[name] {
		base, narrow, _ := strings.Cut(s.facts[o].Attribute, qualifierMark)
		if base == category && s.matchesFormer(o, n) && (narrow == "" || covers(s.statementWords(s.facts[n].Statement), strings.Fields(narrow))) {
			out = append(out, o)
		}
	}
	return out
}
