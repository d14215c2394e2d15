package memory

// kindRow gives sentences a kind: those that have all of the signs in all, one of any (if
// there are some), and none of none.
type kindRow struct {
	kind           Kind
	all, any, none signs
}

// moodRows say what asserts nothing, in their order; never written.
var moodRows = []kindRow{
	{kind: Question, all: signsOf(signAsks), none: signsOf(signTold)},
	{kind: Question, all: signsOf(signOpensQuestion), none: signsOf(signTold)},
	{kind: Question, all: signsOf(signForeignRequest), none: signsOf(signTold)},
	{kind: Hypothetical, all: signsOf(signIf)},
	{kind: Hypothetical, all: signsOf(signHedge), none: signsOf(signTold)},
	{kind: ThirdParty, all: signsOf(signHearsay), any: signsOf(signSpeech, signOpinion, signUses, signTurns, signLikes)},
	{kind: ThirdParty, all: signsOf(signOther, signLikes)},
	{kind: ThirdParty, all: signsOf(signOther, signPerson, signTechnology), none: signsOf(signSelf)},
}

// kindRows are the kinds of what is asserted, in their order; never written.
var kindRows = []kindRow{
	{kind: Preference, all: signsOf(signLikes, signI)},
	{kind: Identity, all: signsOf(signSelf)},
	{kind: Decision, any: signsOf(signSettles, signTurns), all: signsOf(signI)},
	{kind: Decision, any: signsOf(signSettles, signTurns, signAdds), all: signsOf(signElided)},
	{kind: Decision, all: signsOf(signI, signAdds), any: signsOf(signTechnology, signChoice)},
	{kind: Decision, all: signsOf(signLabel), any: signsOf(signSettles, signTurns, signAdds)},
	{kind: Cause, all: signsOf(signCause)},
	{kind: Number, all: signsOf(signMeasure)},
	{kind: Number, all: signsOf(signNumber, signIs), none: signsOf(signDate)},
	{kind: Event, all: signsOf(signDate), any: signsOf(signPast, signFuture, signI, signSets, signAdds)},
	{kind: Event, all: signsOf(signFuture, signI)},
}

// find is the kind of the first row that fits; orElse if none does.
func find(rows []kindRow, s signs, orElse Kind) Kind {
	for i := range rows {
		r := &rows[i]
		if s.hasAll(r.all) && !s.hasAny(r.none) && (r.any == 0 || s.hasAny(r.any)) {
			return r.kind
		}
	}
	return orElse
}

// kind is the kind of a sentence.
func (r *reading) kind() Kind {
	switch {
	case r.foreign:
		return Quoted
	case r.wishes():
		return Instruction
	}
	return find(moodRows, r.signs, find(kindRows, r.signs, Plain))
}

// statedKind is the kind of a statement of the user. What the user says instead of a statement
// that was taken back is the user's own, though it speaks of another person.
func (r *reading) statedKind() Kind {
	kind := r.kind()
	if r.corrects != "" && kind == ThirdParty {
		return Plain
	}
	return kind
}

// wishes reports whether a sentence is a standing wish. "Call me Lex" says who speaks, and
// "how long are your answers" asks.
func (r *reading) wishes() bool {
	asks := r.signs.has(signOpensQuestion) && r.toks[r.lead].entryHas(tagWh)
	return r.wished && !asks && !r.signs.has(signSelf)
}

// kindRanks order kinds by what they say of a statement of several sentences; never
// written.
var kindRanks = [...]Kind{Instruction, Identity, Preference, Decision, Cause, Number, Event}

// stronger is the kind of a statement of sentences of two kinds.
func stronger(a, b Kind) Kind {
	for _, k := range kindRanks {
		if a == k || b == k {
			return k
		}
	}
	return a
}
