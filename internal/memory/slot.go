package memory

import "strings"

// slot is the value of an attribute of a subject.
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
	// qualifierMark separates an attribute from its qualifier: "database for
	// analytics".
	qualifierMark = " for "
	subjectWe     = "we"
	subjectI      = "i"
	subjectAnswer = "answers" // the subject of instructions

	attributeTongue = "language of answers"
	attributeOwner  = "owner"
	attributeHome   = "home"
	attributeDesign = "architecture"
	attributeAge    = "age"
	attributeCount  = "count of "
	attributeHabit  = "habit to "
)

// slot returns the slot that the main clause fills; the zero slot for none.
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

// denies reports whether the main clause denies that a thing is used, or a trait.
func (r *reading) denies() bool {
	return r.signs.hasAny(signsOf(signTechnology, signChoice, signSelf)) && r.negated()
}

// negated reports whether the main clause is negated. Endings ("no longer"), dislikes and
// removals are assertions, not negations.
func (r *reading) negated() bool {
	if !r.signs.has(signNot) || r.first(r.from, r.to, tagHates, tagNoLonger) >= 0 {
		return false
	}
	neg := r.first(r.from, min(r.from+9, r.to), tagNeg)
	if neg < 0 || r.word(r.from, neg, ",") >= 0 || r.first(r.from, neg, tagSettle) >= 0 {
		return false
	}
	return neg+1 >= r.to || r.toks[neg+1].low != "only" && r.toks[neg+1].low != "just"
}

// who is the subject of a slot for a sentence about "we" or "I".
func (r *reading) who(speaker string) string {
	if r.from < len(r.toks) && r.toks[r.from].is(tagI, tagMy) {
		return speaker
	}
	return subjectWe
}

// firstPerson reports whether the main clause is about the speakers.
func (r *reading) firstPerson() bool {
	return r.from < r.to && r.toks[r.from].is(tagI, tagWe, tagMy, tagOur)
}

// elided reports whether the main clause begins with its verb, as in notes: "Removed
// Redis", "Tried GraphQL".
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
