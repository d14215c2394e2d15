package memory

import "sync"

// tag is a function that a word can have in a sentence.
type tag uint8

// The tags, in the order of tagList.
const (
	tagStop tag = iota
	tagI
	tagWe
	tagMy
	tagOur
	tagThe
	tagYou
	tagBe
	tagCopula
	tagAux
	tagWh
	tagPast
	tagFuture
	tagPromise
	tagNeg
	tagNoLonger
	tagNow
	tagIf
	tagHedge
	tagFirm
	tagHe
	tagSpeech
	tagOpinion
	tagUsage
	tagIt
	tagAnd
	tagDet
	tagPrep
	tagTimeNoun
	tagAdverbial
	tagReason
	tagFiller
	tagLabel
	tagForget
	tagForgetAbout
	tagCorrection
	tagAccept
	tagDecline
	tagSuggest
	tagWhy
	tagHarm
	tagTakesTo
	tagThus
	tagTherefore
	tagAim
	tagPurpose
	tagMotive
	tagTrouble
	tagPlus
	tagMinus
	tagSwitch
	tagSwap
	tagAssign
	tagSettle
	tagUse
	tagGone
	tagRelation
	tagPet
	tagLikes
	tagHates
	tagSelf
	tagSelfName
	tagAttribute
	tagHome
	tagEmployer
	tagJob
	tagOrigin
	tagNamed
	tagCompany
	tagStanding
	tagOrder
	tagCommand
	tagTask
	tagStyle
	tagUnit
	tagNumberWord
	tagReminder
	tagTongue
	tagOwns
	tagTakesOver
	tagAlso
	tagMeanwhile
	tagStill
	tagPostponed
	tagAgain
	tagEnded
	tagBegun
	tagWrong
	tagOutsider
	tagPlease
	tagSeek
	tagPlay
	tagOnce
	tagLaugh
	tagGreet
	tagHowMany
	tagSpeaker
	tagIdle
	tagUnsay
	tagAskTo
	tagMeant
	tagUnreal
)

// tagList are the names of the tags in the lexicon's files.
var tagList = [...]string{
	"stop", "i", "we", "my", "our", "the", "you", "be", "becopula", "aux", "wh", "past", "future",
	"promise", "neg", "nolonger", "now", "if", "hedge", "firm", "he", "speech", "opinion", "usage",
	"it", "and", "det", "prep", "span of time", "adverbial", "reasonstart", "filler", "label", "forget", "forgetabout",
	"correction", "accept", "decline", "suggest", "why", "harm", "takes to", "thus", "therefore", "aim",
	"purpose", "motive", "trouble", "plus", "minus", "switch", "swap", "set", "settle", "use", "gone",
	"relation", "pet", "likes", "hates", "self", "self with a name", "attribute", "home", "employer", "job", "origin",
	"named", "known company", "standing", "order", "command", "task", "style", "unit", "numword",
	"reminder", "tongue", "owns", "takes over",
	"also", "meanwhile", "still", "postponed", "again", "ended", "begun", "wrong", "outsider",
	"please", "seek", "play", "once", "laugh", "greet", "howmany", "speaker", "idle", "unsay", "ask to", "meant", "unreal",
}

// tagNames maps a name in the lexicon's files to its tag.
var tagNames = sync.OnceValue(func() map[string]tag {
	names := make(map[string]tag, len(tagList))
	for i, name := range tagList {
		names[name] = tag(i)
	}
	return names
})

// tagSet is a set of tags.
type tagSet [2]uint64

// tagsOf makes a set.
func tagsOf(tags ...tag) tagSet {
	var s tagSet
	for _, t := range tags {
		s.add(t)
	}
	return s
}

func (s *tagSet) add(t tag)     { s[t>>6] |= 1 << (t & 63) }
func (s *tagSet) remove(t tag)  { s[t>>6] &^= 1 << (t & 63) }
func (s tagSet) has(t tag) bool { return s[t>>6]&(1<<(t&63)) != 0 }

// any reports whether the sets share a tag.
func (s tagSet) any(o tagSet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

// join returns the tags of both.
func (s tagSet) join(o tagSet) tagSet { return tagSet{s[0] | o[0], s[1] | o[1]} }
