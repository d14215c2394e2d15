package memory

import "strings"

// turnedSlot reads the change of one alternative into another, whatever the verb:
// "we're splitting the monolith into microservices", "we folded everything back into
// one monolith".
func (r *reading) turnedSlot(speaker string) slot {
	if !r.firstPerson() && !r.elided() && !r.label {
		return slot{}
	}
	for i := r.from + 1; i+1 < r.to; i++ {
		if low := r.toks[i].low; low != "into" && low != "to" {
			continue
		}
		s := r.choose(i+1, speaker)
		if size := r.partsOrWhole(i, speaker); size.filled() && (s.subject == "" || !r.isChoice(s.attribute)) {
			s = size
		}
		if s.subject == "" || !r.isChoice(s.attribute) {
			continue
		}
		if undo := r.first(r.from, i, tagMinus); undo >= 0 && undo+2 < i && r.toks[undo+1].is(tagDet) && r.toks[undo+2].is(tagSwitch) {
			continue // "we undid the split into microservices"
		}
		for k := r.from; k < i; k++ {
			if t := &r.toks[k]; t.choice != 0 && r.l.choices[t.choice] == s.attribute {
				s.former = r.slice(k, k+r.choiceLength(k))
				return s
			}
		}
		if r.toks[i].low == "into" {
			return s
		}
	}
	return slot{}
}

// partsOrWhole reads "14 services into one Rails app" and "the app into a dozen
// services": it returns the alternative after the "into" at token i.
func (r *reading) partsOrWhole(i int, speaker string) slot {
	end := r.phraseEnd(i+1, 6)
	for k := i + 1; k < end; k++ {
		one := r.toks[i+1].low == "one" || r.toks[i+1].low == "single" || r.toks[i+1].low == "a" && r.toks[min(i+2, end-1)].low == "single"
		switch low := r.toks[k].low; {
		case r.l.has(listPart, low):
			if !one || r.word(r.from, i, "services") < 0 && r.word(r.from, i, "apps") < 0 && r.word(r.from, i, "lambdas") < 0 {
				continue
			}
		case low == "services":
			if t := &r.toks[i+1]; t.kind != numberToken && !t.is(tagNumberWord) && t.low != "a" && t.low != "separate" && t.low != "small" && t.low != "many" && t.low != "several" {
				continue
			}
		default:
			continue
		}
		return slot{subject: r.who(speaker), attribute: attributeDesign, value: r.slice(i+1, k+1)}
	}
	return slot{}
}

// favouredSlot reads "we ditched Jira in favour of Linear".
func (r *reading) favouredSlot(speaker string) slot {
	verb := r.first(r.from, r.to, tagMinus, tagSwap, tagSwitch)
	if verb < 0 {
		return slot{}
	}
	if s := r.leftForSlot(verb, speaker); s.filled() {
		return s
	}
	for i := verb + 1; i+2 < r.to; i++ {
		if low := r.toks[i].low; r.toks[i-1].low != "in" || low != "favour" && low != "favor" || r.toks[i+1].low != "of" {
			continue
		}
		s := r.choose(i+2, speaker)
		if s.subject == "" {
			return slot{}
		}
		s.former = r.slice(r.skipDet(verb+max(1, phraseLength(r.toks, verb, tagMinus)), i-1), i-1)
		return s
	}
	return slot{}
}

// leftForSlot reads "we left AWS for Hetzner": both must be of one category.
func (r *reading) leftForSlot(verb int, speaker string) slot {
	old := -1
	for i := verb + 1; i < r.to && r.toks[i].kind != markToken; i++ {
		switch t := &r.toks[i]; {
		case t.tech == 0:
		case old < 0:
			old = i
		case r.toks[i-1].low == "for" && r.toks[old].tech == t.tech && r.toks[verb].is(tagMinus):
			s := r.choose(i, speaker)
			s.former = r.slice(old, i-1)
			return s
		}
	}
	return slot{}
}

// ownerSlot reads who is responsible for what: "Renata owns the invoicing module", "Tom
// took over the invoicing module".
func (r *reading) ownerSlot(string) slot {
	verb := r.first(r.from+1, min(r.from+5, r.to), tagOwns, tagTakesOver)
	if verb < 0 || !r.toks[r.from].capital || r.toks[r.from].is(tagI, tagWe, tagMy, tagOur, tagDet, tagHe, tagIt) || r.toks[r.from].tech != 0 {
		return slot{}
	}
	switch r.toks[verb-1].low {
	case "its", "their", "our", "my", "his", "her", "your":
		return slot{} // "every service has its own repo"
	}
	from := verb + max(1, phraseLength(r.toks, verb, tagOwns), phraseLength(r.toks, verb, tagTakesOver))
	what := r.stems(from, r.phraseEnd(from, 6))
	end := verb
	for end > r.from+1 && !content(&r.toks[end-1]) {
		end--
	}
	return slot{subject: what, attribute: attributeOwner, value: r.slice(r.from, end)}
}

// roleSlot reads "Maria is the project lead" with the project lead as the attribute, so
// that it fills the same slot as "the project lead is now Stefan".
func (r *reading) roleSlot(string) slot {
	be := r.first(r.from+1, min(r.from+4, r.to), tagCopula)
	if be < 0 || be+2 >= r.to {
		return slot{}
	}
	for i := r.from; i < be; i++ {
		if t := &r.toks[i]; t.entry != nil || !t.capital || t.kind != wordToken {
			return slot{}
		}
	}
	from := be + phraseLength(r.toks, be, tagCopula)
	for from < r.to && r.toks[from].is(tagNow) {
		from++
	}
	if from+1 >= r.to || r.toks[from].low != "the" && r.toks[from].low != "our" {
		return slot{}
	}
	end := r.phraseEnd(from+1, 5)
	if end < r.to && r.toks[end].low == "of" {
		end = r.phraseEnd(end+1, 5)
	}
	return slot{subject: r.stems(from+1, end), attribute: attributeIs, value: r.slice(r.from, be)}
}

// countSlot reads the number of things that the speakers have: "we have 12 engineers".
// A number in the past is an event.
func (r *reading) countSlot(string) slot {
	if !r.toks[r.from].is(tagWe) || len(r.dates) > 0 {
		return slot{}
	}
	have := r.from + 1
	for have < r.to && (r.toks[have].is(tagNow) || r.toks[have].low == "only" || r.toks[have].low == "currently") {
		have++
	}
	if have+2 >= r.to || r.toks[have].low != "have" && r.toks[have].low != "employ" {
		return slot{}
	}
	number := have + 1
	if t := &r.toks[number]; t.is(tagNow) && number+2 < r.to {
		number++
	}
	if t := &r.toks[number]; t.kind != numberToken && !t.is(tagNumberWord) {
		return slot{}
	}
	end := r.phraseEnd(number+1, 4)
	what := r.stems(number+1, end)
	if what == "" {
		return slot{}
	}
	return slot{subject: subjectWe, attribute: attributeCount + what + r.place(end), value: r.slice(number, end)}
}

// isPast reports whether the verb at token i is in the past.
func (r *reading) isPast(i int) bool {
	t := &r.toks[i]
	return t.is(tagPast) || len(t.low) > 3 && strings.HasSuffix(t.low, "ed") && !strings.HasSuffix(t.low, "eed")
}
