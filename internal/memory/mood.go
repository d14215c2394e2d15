package memory

import "strings"

// mood is Plain if a sentence asserts something, otherwise the kind of what it does
// instead.
func (r *reading) mood() Kind {
	switch {
	case r.Quoted || r.isQuotation():
		return Quoted
	case !r.told && r.isQuestion():
		return Question
	case r.isHypothetical():
		return Hypothetical
	case r.isThirdParty():
		return ThirdParty
	case r.isNegated():
		return Negated
	}
	return Plain
}

// isQuestion reports whether the sentence is a question.
func (r *reading) isQuestion() bool {
	for i := len(r.toks) - 1; i >= 0 && r.toks[i].kind == markToken; i-- {
		if r.toks[i].low == "?" || r.toks[i].low == "？" || r.toks[i].low == "؟" {
			return true
		}
	}
	if r.lead+1 >= r.stop {
		return false
	}
	first, second := &r.toks[r.lead], &r.toks[r.lead+1]
	switch {
	case first.entryHas(tagWh):
		return second.is(tagAux, tagBe) || first.low == "how" && (second.low == "to" || second.low == "many" || second.low == "much") ||
			strings.HasSuffix(first.low, "'s")
	case first.entryHas(tagAux):
		return second.is(tagI, tagWe, tagYou, tagHe, tagIt) || second.is(tagThe, tagOur, tagMy) && first.low != "have" && first.low != "do"
	}
	return false
}

// isHypothetical reports whether the main clause only supposes or considers.
func (r *reading) isHypothetical() bool {
	if r.toks[r.lead].is(tagIf) && r.toks[r.lead].low != "had" {
		return true
	}
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		if t.is(tagHedge) && !r.firmHedge(i) {
			return true
		}
		if t.low == "if" && i+1 < r.to && r.toks[i+1].is(tagWe, tagI) {
			return r.first(r.lead, i, tagHedge) >= 0
		}
	}
	neg := r.first(r.from, r.to, tagNeg)
	if neg >= 0 {
		for i := neg; i < min(neg+4, r.to); i++ {
			if low := r.toks[i].low; low == "decided" || low == "decide" || low == "sure" || low == "settled" {
				return r.toks[neg].low != "not" || low == "sure"
			}
		}
	}
	return false
}

// firmHedge accepts "would" and "should" if they state a wish, or if a decision follows
// the consideration.
func (r *reading) firmHedge(i int) bool {
	if i > r.from && r.toks[i-1].is(tagFirm) || r.toks[i].is(tagFirm) {
		return true
	}
	switch r.toks[i].low {
	case "could":
		return r.wasUnable(i)
	case "would":
		return i > r.from+1 && r.toks[r.from].is(tagI, tagWe) && r.toks[i-1].is(tagI, tagWe) && r.first(r.from+1, min(r.from+3, i), tagSpeech, tagPromise) >= 0
	case "should":
		return i > r.from && r.toks[i].is(tagCopula) && !r.toks[i-1].is(tagWe, tagI, tagYou)
	case "considered", "considering":
		return r.first(i, r.to, tagSettle) >= 0 && r.toks[i].low == "considered"
	}
	return false
}

// wasUnable reads "nobody could" and "we could no longer": past facts, not
// possibilities.
func (r *reading) wasUnable(i int) bool {
	if i > r.lead {
		switch r.toks[i-1].low {
		case "nobody", "none", "never", "hardly", "barely":
			return true
		case "one":
			return i > r.lead+1 && r.toks[i-2].low == "no"
		}
	}
	if i+1 < r.stop {
		switch r.toks[i+1].low {
		case "not", "no", "never", "hardly", "barely", "only":
			return true
		}
	}
	return false
}

// isQuotation reports whether most of the sentence is in quotation marks. A quoted name
// or title does not make the sentence a quotation.
func (r *reading) isQuotation() bool {
	open, words, inside := -1, 0, 0
	for i := r.lead; i < len(r.toks); i++ {
		t := &r.toks[i]
		if t.mark(`"`) || t.mark("「") || t.mark("」") {
			if open < 0 {
				open = i
			} else {
				words = max(words, i-open-1)
				inside += i - open - 1
				open = -1
			}
		}
	}
	if words < 4 {
		return false
	}
	return inside*2 >= r.stop-r.lead || r.first(r.lead, r.stop, tagSpeech) >= 0
}

// isThirdParty reports whether the sentence states another person's tastes, choices or
// opinions.
func (r *reading) isThirdParty() bool {
	who := r.from
	t := &r.toks[who]
	if t.low == "according" {
		return true
	}
	for who+1 < r.to && (r.toks[who].is(tagDet) || r.toks[who].is(tagMy, tagOur)) && !r.toks[who].is(tagHe) {
		who++
	}
	if n := phraseLength(r.toks, r.from, tagRelation); n > 1 {
		who = r.from
	}
	verb := tagsOf(tagOpinion, tagSpeech, tagUsage)
	person := &r.toks[who]
	switch {
	case t.is(tagI, tagWe):
		return r.reportedSpeech()
	case t.low == "everything", (t.low == "everybody" || t.low == "everyone") && r.wholeSlot("").filled():
		return false
	case person.is(tagCompany) && person.capital && person.tech == 0:
		return true
	case r.relationNear(who):
		if r.ownRelation(who) {
			return false
		}
	case person.is(tagHe):
	case t.capital && t.entry == nil && t.kind == wordToken && !t.possessive:
		verb = tagsOf(tagOpinion, tagSpeech)
	case t.capital && t.possessive && r.first(who+1, min(who+3, r.to), tagGroup, tagRelation) >= 0:
	default:
		return false
	}
	for i := who + 1; i < min(who+7, r.to); i++ {
		if r.toks[i].tags.any(verb) {
			return true
		}
	}
	return false
}

// relationNear reports whether the subject is another person: "my brother",
// "a friend of mine", "the new company of my cousin".
func (r *reading) relationNear(who int) bool {
	for i := who; i < min(who+3, r.to); i++ {
		if r.toks[i].is(tagRelation) {
			return true
		}
		if r.toks[i].is(tagAux, tagBe, tagUse, tagI, tagWe) {
			return false
		}
	}
	return false
}

// ownRelation accepts statements of speakers about their family: names, birthdays,
// pets. These are part of the speaker's life, not another person's opinion.
func (r *reading) ownRelation(who int) bool {
	if !r.toks[r.from].is(tagMy, tagOur) {
		return false
	}
	for i := who; i < min(who+5, r.to); i++ {
		if r.toks[i].is(tagAttribute) && !r.toks[i].is(tagGroup) {
			return true
		}
	}
	return r.ownDetail()
}

// reportedSpeech reads "I heard that they use Kafka", "I read that …".
func (r *reading) reportedSpeech() bool {
	for i := r.from; i < min(r.from+4, r.to); i++ {
		switch r.toks[i].low {
		case "heard", "read", "overheard":
			return i+1 < r.to && !r.toks[i+1].is(tagDet) || i+1 < r.to && r.toks[i+1].low == "that"
		}
	}
	return false
}

// isNegated reports whether the main clause is negated. Endings ("no longer"), dislikes
// and removals are assertions, not negations.
func (r *reading) isNegated() bool {
	for i := r.from; i < min(r.from+9, r.to); i++ {
		t := &r.toks[i]
		if t.is(tagHates, tagNoLonger) || t.is(tagLikes) && r.firstPerson() {
			return false
		}
		if !t.is(tagNeg) {
			if t.mark(",") {
				return false
			}
			continue
		}
		switch t.low {
		case "without", "none", "nothing", "nobody":
			continue
		}
		if i+1 < r.to {
			switch r.toks[i+1].low {
			case "only", "just", "doubt", "problem", "matter", "forget":
				continue
			}
		}
		if r.firstPerson() && r.first(i+1, min(i+4, r.to), tagLikes) >= 0 {
			return false
		}
		if r.first(i+1, r.to, tagNoLonger) >= 0 || r.first(r.from, i, tagSettle) >= 0 {
			return false
		}
		return i == r.from || !r.toks[i-1].mark(",")
	}
	return false
}
