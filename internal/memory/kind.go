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
	{kind: ThirdParty, all: signsOf(signOther, signPerson, signTechnology)},
}

// lastingRows say what a person wants from now on. They come before the moods: "could you
// always answer in French?".
var lastingRows = []kindRow{
	{kind: Instruction, all: signsOf(signStanding), any: signsOf(signCommand, signTask), none: signsOf(signOnce, signPlays)},
	{kind: Instruction, all: signsOf(signStanding, signCommandWithin), none: signsOf(signOnce, signPlays, signI)},
	{kind: Instruction, all: signsOf(signCommand, signStyle), none: signsOf(signOnce, signPlays, signSeeks, signI, signAsks, signThis)},
	{kind: Instruction, all: signsOf(signCommand, signNot), any: signsOf(signPlease, signStyle), none: signsOf(signOnce, signPlays, signAsks, signThis)},
	{kind: Instruction, all: signsOf(signCommand, signChoice), none: signsOf(signOnce, signPlays, signI, signAsks)},
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

// formRows are statements by their form: who the speaker is, what the speaker likes, and
// why something is so; never written.
var formRows = []kindRow{
	{kind: Identity, all: signsOf(signSelf), none: unserious},
	{kind: Preference, all: signsOf(signLikes, signI), none: unserious},
	{kind: Cause, all: signsOf(signCause), none: unserious},
	{kind: Decision, all: signsOf(signElided, signAdds), none: unserious},
}

// passingRows ask for one thing, or only move the talk on ("let's use the second one");
// never written.
var passingRows = []kindRow{
	{kind: Question, all: signsOf(signTask), none: signsOf(signLabel, signAdds, signSets, signSettles)},
	{kind: Question, all: signsOf(signLets), none: signsOf(signTechnology, signChoice, signDate, signCause, signAdds, signTurns)},
	{kind: Question, all: signsOf(signLets, signYou)},
}

// unserious are signs of play, of fun and of requests.
const unserious = 1<<signPlays | 1<<signOnce | 1<<signLaughs | 1<<signRequested | 1<<signPasted | 1<<signIf

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
	if r.foreign {
		return Quoted
	}
	return find(lastingRows, r.signs, find(moodRows, r.signs, find(kindRows, r.signs, Plain)))
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
