package memory

import (
	"cmp"
	"strings"
)

// statusSlot reads what was added or removed, and where: "removed Redis cache from the
// checkout".
func (r *reading) statusSlot(string) slot {
	verb := -1
	for i := r.from; i < r.to; i++ {
		if r.toks[i].is(tagPlus, tagMinus) && !r.isNoun(i) && !r.isPlural(i) {
			verb = i
			break
		}
	}
	if verb < 0 {
		if s := r.settledSlot(); s.filled() {
			return s
		}
		return r.partedSlot()
	}
	n := max(1, phraseLength(r.toks, verb, tagPlus), phraseLength(r.toks, verb, tagMinus))
	from := verb + n
	for from < r.to && (r.toks[from].is(tagUse, tagPlus) || r.toks[from].low == "on") {
		from++
	}
	end := r.phraseEnd(from, 6)
	object := r.stems(from, end)
	where := ""
	if object == "" && verb > r.from && r.toks[verb-1].is(tagBe, tagAux) {
		noun := r.nounStart(r.from)
		last := min(r.phraseEnd(noun, 6), verb-1) // "Kafka for logging was turned down"
		if object = r.stems(noun, last); last < verb-1 {
			where = r.place(last)
		}
	}
	if object == "" || !r.firstPerson() && !r.elided() && verb > r.from && !r.toks[verb-1].is(tagBe, tagAux) {
		return slot{}
	}
	if end+1 < r.to && r.toks[end].low == "for" && r.toks[end+1].capital && r.toks[verb].is(tagMinus) && r.namesTechnology() {
		end = r.to // "we dropped Figma for Penpot" names the replacement
	}
	if !r.toks[verb].is(tagMinus) && phraseLength(r.toks, verb, tagMinus) < n || end < r.to && r.toks[end].low != "to" {
		where = cmp.Or(r.place(end), where) // "moved off Kubernetes to plain VMs" names the replacement, not a place
	}
	return slot{subject: object, attribute: attributeStatus + where, value: r.lastStep(verb, n)}
}

// settledSlot reads "we've standardised on event sourcing", "we committed to weekly
// demos": the chosen thing is in use from then on.
func (r *reading) settledSlot() slot {
	if !r.firstPerson() || !r.toks[r.from].is(tagWe) || r.first(r.from, r.to, tagNeg, tagNoLonger) >= 0 {
		return slot{}
	}
	for i := r.from + 1; i < min(r.from+5, r.to); i++ {
		n := max(phraseLength(r.toks, i, tagSettle), phraseLength(r.toks, i, tagUse))
		if n < 2 {
			continue
		}
		switch r.toks[i+n-1].low {
		case "on", "to":
		default:
			continue
		}
		end := r.phraseEnd(i+n, 5)
		if object := r.stems(i+n, end); object != "" && i+n < r.to && !r.toks[i+n].capital {
			return slot{subject: object, attribute: attributeStatus + r.place(end), value: r.slice(i, i+n)}
		}
	}
	return slot{}
}

// partedSlot reads a verb whose particle follows its object: "we rolled GraphQL back in
// Q2", "we gave Postgres a try".
func (r *reading) partedSlot() slot {
	spoken := r.firstPerson() || r.elided() || r.label
	for i := r.from; i < min(r.from+6, r.to); i++ {
		e := r.toks[i].entry
		if e == nil {
			continue
		}
		if !spoken && (i > r.from || !tellsPast(r.toks[i].low)) {
			return slot{} // "Ripped Kafka out" is a note, "rip it out" is not
		}
		for p := range e.phrases {
			ph := &e.phrases[p]
			rest := ph.rest
			if len(rest) > 1 && rest[0] == "it" {
				rest = rest[1:]
			}
			if !ph.tags.has(tagMinus) && !ph.tags.has(tagPlus) || rest[0] == "on" || rest[0] == "to" || rest[0] == "in" {
				continue
			}
			for k := i + 2; k < min(i+6, r.to); k++ {
				if r.toks[k-1].kind == markToken {
					break
				}
				if end := k + len(rest); phraseAt(r.toks, k, rest) && (end >= r.to || r.toks[end].kind == markToken || r.toks[end].is(tagPrep, tagNow, tagAnd) || r.toks[end].low == "again") {
					if object := r.stems(i+1, k); object != "" {
						return slot{subject: object, attribute: attributeStatus, value: r.slice(i, end)}
					}
				}
			}
		}
	}
	return slot{}
}

// tellsPast reports whether a verb is in the past form, with which notes begin.
func tellsPast(low string) bool {
	switch low {
	case "took", "threw", "gave", "tore", "shut":
		return true
	}
	return strings.HasSuffix(low, "ed")
}

// place is what something was added to or removed from, as the qualifier of an
// attribute (" for checkout"); "" for none.
func (r *reading) place(i int) string {
	if i >= r.to {
		return ""
	}
	switch r.toks[i].low {
	case "to", "from", "for", "in", "on", "into":
	default:
		return ""
	}
	if _, dated := r.dated(i, min(i+3, r.to)); dated || i+1 < r.to && r.toks[i+1].is(tagMotive) {
		return ""
	}
	if words := r.stems(i+1, r.phraseEnd(i+1, 6)); words != "" && words != "end" && words != "meantime" && words != "moment" && words != "future" {
		return qualifierMark + words
	}
	return ""
}

// lastStep is the verb for the final state: "reverted" in "tried GraphQL in Q1,
// reverted in Q2".
func (r *reading) lastStep(verb, n int) string {
	for i := verb + n + 1; i < r.to; i++ {
		if !r.toks[i].is(tagPlus, tagMinus) || r.isNoun(i) {
			continue
		}
		k := max(1, phraseLength(r.toks, i, tagPlus), phraseLength(r.toks, i, tagMinus))
		if next := i + k; next >= r.to || r.toks[next].kind == markToken || r.toks[next].is(tagPrep, tagNow, tagIt) {
			verb, n = i, k
		}
	}
	return r.slice(verb, verb+n)
}

// isNoun reports whether a verb's word is used as a noun ("the start").
func (r *reading) isNoun(i int) bool {
	return i > r.from && (r.toks[i-1].is(tagDet) && r.toks[i-1].kind == wordToken || r.toks[i-1].possessive || r.toks[i-1].low == "of")
}

// isPlural reports whether the first word of a sentence is a plural noun and not the
// verb: another verb follows, as in "deploys need two approvals".
func (r *reading) isPlural(i int) bool {
	return i == r.from && strings.HasSuffix(r.toks[i].low, "s") && i+1 < r.to && r.toks[i+1].is(tagFuture, tagBe, tagAux, tagUsage)
}

// ownedSlot reads "the gateway has a timeout of 30 seconds": the same slot as
// "the timeout of the gateway is 30 seconds".
func (r *reading) ownedSlot(string) slot {
	if r.toks[r.from].is(tagI, tagWe, tagIt, tagHe) {
		return slot{}
	}
	for i := r.from + 1; i < min(r.from+8, r.to); i++ {
		if low := r.toks[i].low; low != "has" && low != "have" && low != "gets" && low != "got" {
			continue
		}
		of := r.word(i+1, min(i+7, r.to), "of")
		if of < 0 || of+1 >= r.to || !r.hasFigure(of+1) && !r.toks[of+1].capital {
			return slot{}
		}
		owner, what := r.stems(r.nounStart(r.from), i), r.stems(i+1, of)
		if owner == "" || what == "" {
			return slot{}
		}
		return slot{subject: r.stemsOf(owner + " " + what), attribute: attributeIs, value: r.value(of + 1)}
	}
	return slot{}
}
