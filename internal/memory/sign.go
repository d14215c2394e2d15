package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// sign is a property of a sentence that can be named. Whether a sentence is worth keeping
// is a fitted sum of its signs (worth.go), and its kind is looked up by them (kind.go).
type sign uint8

// The signs, in the order of signNames.
const (
	signI sign = iota
	signIWithin
	signYou
	signOther
	signElided
	signItOpens
	signPast
	signFuture
	signIs
	signAsks
	signOpensQuestion
	signCommand
	signCommandWithin
	signPlease
	signSeeks
	signNumber
	signMeasure
	signDate
	signName
	signTechnology
	signChoice
	signSettles
	signAdds
	signTurns
	signSets
	signUses
	signLikes
	signSelf
	signStanding
	signStyle
	signNow
	signSpeech
	signOpinion
	signHedge
	signIf
	signNot
	signCause
	signPlays
	signOnce
	signLaughs
	signGreets
	signLike
	signShort
	signBullet
	signColon
	signTold
	signPerson
	signOpens
	signAlone
	signBelowRequest
	signForeignRequest
	signForeign
	signHearsay
	signLabel
	signTask
	signQuestionWithin
	signRequested
	signBelowColon
	signThis
	signPasted
	signLets
	signSpeaker
	numSigns
)

// signNames are the names of the signs in worth.txt.
var signNames = [numSigns]string{
	"i-leads", "i-within", "you", "other-leads", "elided", "it-leads", "past", "future", "is", "asks", "opens-question", "command",
	"command-within", "please", "seeks", "number", "measure", "date", "name", "technology", "choice", "settles", "adds", "turns",
	"sets", "uses", "likes", "self", "standing", "style", "now", "speech", "opinion", "hedge", "if", "not", "cause", "plays", "once",
	"laughs", "greets", "compares", "short", "bullet", "colon", "told", "person", "opens-message", "alone", "below-request",
	"foreign-request", "foreign", "hearsay", "label",
	"task", "question-within", "requested", "below-colon", "this", "pasted", "lets", "foreign-speaker",
}

// signs is a set of signs.
type signs uint64

func signsOf(list ...sign) signs {
	var s signs
	for _, x := range list {
		s |= 1 << x
	}
	return s
}

func (s signs) has(x sign) bool      { return s>>x&1 != 0 }
func (s signs) hasAny(o signs) bool  { return s&o != 0 }
func (s signs) hasAll(o signs) bool  { return s&o == o }
func (s *signs) set(x sign, on bool) { *s |= signs(b2u(on)) << x }

func b2u(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// tagSigns are the signs that a tag anywhere in a sentence gives; never written.
var tagSigns = [...]struct {
	sign sign
	tags tagSet
}{
	{signYou, tagsOf(tagYou)}, {signPast, tagsOf(tagPast)}, {signFuture, tagsOf(tagFuture, tagPromise)}, {signIs, tagsOf(tagBe, tagCopula)},
	{signPlease, tagsOf(tagPlease)}, {signSeeks, tagsOf(tagSeek)}, {signSettles, tagsOf(tagSettle)},
	{signAdds, tagsOf(tagPlus, tagMinus, tagGone)}, {signTurns, tagsOf(tagSwitch, tagSwap, tagTakesOver)}, {signSets, tagsOf(tagAssign)},
	{signUses, tagsOf(tagUse, tagOwns)}, {signStanding, tagsOf(tagStanding)},
	{signStyle, tagsOf(tagStyle, tagTongue)}, {signNow, tagsOf(tagNow, tagNoLonger)}, {signSpeech, tagsOf(tagSpeech)},
	{signOpinion, tagsOf(tagOpinion)}, {signNot, tagsOf(tagNeg)}, {signPlays, tagsOf(tagPlay)}, {signOnce, tagsOf(tagOnce)},
	{signLaughs, tagsOf(tagLaugh)}, {signGreets, tagsOf(tagGreet)}, {signPerson, tagsOf(tagRelation, tagPet)},
	{signSpeaker, tagsOf(tagSpeaker)},
}

// theSigns reads the signs of a sentence that is parsed, with its dates and its reason.
func (r *reading) theSigns() signs {
	var s signs
	var all tagSet
	words, figures := 0, false
	for i := r.lead; i < len(r.toks); i++ {
		t := &r.toks[i]
		all = all.join(t.tags)
		switch {
		case t.kind == markToken:
			s.set(signMeasure, s.has(signMeasure) || isMoney(t.low))
			s.set(signLaughs, s.has(signLaughs) || isEmoji(t.low))
			continue
		case t.kind == numberToken:
			s.set(signMeasure, s.has(signMeasure) || unitInside(t.low))
			figures = true
		case t.is(tagNumberWord):
			figures = true
		case i > r.lead && (t.capital && content(t) || t.tech != 0):
			s.set(signName, true)
		}
		words++
		s.set(signMeasure, s.has(signMeasure) || t.is(tagUnit) && r.counted(i))
		s.set(signTechnology, s.has(signTechnology) || t.tech != 0)
		s.set(signChoice, s.has(signChoice) || t.choice != 0)
		s.set(signPast, s.has(signPast) || t.entry == nil && strings.HasSuffix(t.low, "ed"))
		s.set(signIWithin, s.has(signIWithin) || i > r.from && t.is(tagI, tagWe, tagMy, tagOur))
		s.set(signQuestionWithin, s.has(signQuestionWithin) || i > r.lead && r.asksAt(i))
		s.set(signThis, s.has(signThis) || t.low == "this" || t.low == "these")
		s.set(signLike, s.has(signLike) || r.compares(i))
	}
	for i := range tagSigns {
		s.set(tagSigns[i].sign, s.has(tagSigns[i].sign) || all.any(tagSigns[i].tags))
	}
	s.set(signNumber, figures)
	s.set(signMeasure, figures && s.has(signMeasure))
	s.set(signDate, len(r.dates) > 0)
	s.set(signCause, !r.because.empty() || r.backward)
	s.set(signTold, r.told)
	s.set(signShort, words <= 3)
	s.set(signColon, r.stop < len(r.toks) && r.toks[r.stop].mark(":"))
	s.openingSigns(r)
	s.foreignSigns(r.text[r.Start:r.End])
	return s
}

// compares reports whether token i is "like" and compares. In "I like chess" it is a verb.
func (r *reading) compares(i int) bool {
	if i == r.lead || r.toks[i].low != "like" || r.toks[i].capital {
		return false
	}
	before := &r.toks[i-1]
	subject := before.is(tagI, tagWe, tagYou, tagHe, tagAux) && !before.is(tagBe)
	return !subject || r.tasteAt() != i
}

// openingSigns reads the signs of the words that a sentence opens with.
func (s *signs) openingSigns(r *reading) {
	first := &r.toks[r.lead]
	s.set(signI, r.firstPerson())
	s.set(signOther, r.otherPerson())
	s.set(signHearsay, r.hearsay())
	s.set(signLabel, r.label)
	s.set(signLets, first.low == "let's" || first.low == "lets" || first.low == "let" || first.low == "back")
	s.set(signLikes, r.tasteAt() >= 0)
	s.set(signElided, r.elided())
	s.set(signItOpens, first.is(tagIt))
	s.set(signAsks, r.endsAsking())
	s.set(signOpensQuestion, r.opensQuestion())
	s.set(signIf, first.is(tagIf) && first.low != "had")
	s.set(signHedge, r.hedges())
	s.set(signSelf, r.tellsSelf() || r.describesSelf() || r.ownPerson() || r.namesOwn())
	at := r.orderAt(r.lead)
	s.set(signCommand, r.isCommand(at, tagCommand))
	s.set(signTask, r.isCommand(at, tagTask))
	for i := at + 1; i+1 < r.stop; i++ {
		if t := &r.toks[i]; t.mark(",") || t.mark("-") || t.mark(":") || t.is(tagAnd) {
			s.set(signCommandWithin, s.has(signCommandWithin) || r.isCommand(r.orderAt(i+1), tagCommand, tagTask))
		}
	}
}

// orderAt skips the words before an imperative: "please", "make sure you", "so".
func (r *reading) orderAt(i int) int {
	for i < r.stop {
		t := &r.toks[i]
		n := max(phraseLength(r.toks, i, tagOrder), phraseLength(r.toks, i, tagStanding))
		switch {
		case t.kind == markToken:
			i++
		case n > 0 && !t.entryHas(tagCommand):
			i += n
		case t.entryHas(tagPlease) || t.is(tagYou) || t.entryHas(tagAnd):
			i++
		default:
			return i
		}
	}
	return i
}

// isCommand reports whether an imperative begins at token i: the base form of a verb of
// requests, with no subject before it and no copula behind it.
func (r *reading) isCommand(i int, verbs ...tag) bool {
	if i >= r.stop || !r.toks[i].is(verbs...) {
		return false
	}
	t := &r.toks[i]
	if t.entry.base != t.entry.text || i+1 >= r.stop {
		return t.entry.base == t.entry.text
	}
	next := &r.toks[i+1]
	if t.is(tagStanding) || t.is(tagNeg) && t.low != "no" { // "always the same story", "never mind"
		return next.is(tagCommand, tagTask, tagLikes) || !content(next) && next.low == "be" || !next.entryHas(tagStop) && !strings.HasSuffix(next.low, "ing") && next.low != "mind"
	}
	return !next.is(tagBe) && !next.mark(":")
}

// counted reports whether a number stands just before token i.
func (r *reading) counted(i int) bool {
	for k := max(r.lead, i-2); k < i; k++ {
		if r.toks[k].isFigure() {
			return true
		}
	}
	return false
}

// endsAsking reports whether a sentence ends with a question mark, or with a word that asks.
func (r *reading) endsAsking() bool {
	for i := len(r.toks) - 1; i >= 0 && r.toks[i].kind == markToken; i-- {
		switch r.toks[i].low {
		case "?", "？", "؟", "⁇":
			return true
		}
	}
	return AsksAtEnd(r.text[r.Start:r.End])
}

// AsksAtEnd reports whether a sentence ends with a word that makes a question of it, as a verb does in Japanese and
// Korean. Nothing else there may say that the sentence asks.
func AsksAtEnd(sentence string) bool {
	end := strings.TrimRightFunc(sentence, func(r rune) bool { return !unicode.IsLetter(r) })
	if last, _ := utf8.DecodeLastRuneInString(end); !unicode.In(last, unicode.Hangul, unicode.Hiragana, unicode.Han) {
		return false
	}
	end = norm.NFD.String(strings.ToValidUTF8(end[max(0, len(end)-longestEnd):], ""))
	ends := func(word string) bool { return strings.HasSuffix(end, word) }
	l := theLexicon()
	return slices.ContainsFunc(l.foreign["foreign question end"], ends) && !slices.ContainsFunc(l.foreign["foreign no question end"], ends)
}

// longestEnd is how much of a sentence [AsksAtEnd] reads, in bytes.
const longestEnd = 48

// asksAt reports whether the words of a question are at token i: "in bash how do I".
func (r *reading) asksAt(i int) bool {
	if !r.toks[i].entryHas(tagWh) || r.toks[i].low == "which" || i+1 >= r.stop {
		return false
	}
	next := &r.toks[i+1]
	return next.entryHas(tagAux) || next.is(tagHowMany) && r.toks[i].low == "how" || next.is(tagThe) && r.toks[i].is(tagBe)
}

// opensQuestion reports whether a sentence opens as a question does: "how do I", "is it",
// "whats the".
func (r *reading) opensQuestion() bool {
	if r.lead+1 >= r.stop {
		return false
	}
	first, second := &r.toks[r.lead], &r.toks[r.lead+1]
	switch {
	case first.entryHas(tagWh):
		return second.is(tagAux, tagBe, tagHowMany) || first.is(tagBe) || strings.HasSuffix(first.low, "s") && first.low != "whose"
	case first.entryHas(tagAux):
		subject := second.is(tagI, tagWe, tagYou, tagHe, tagIt)
		return subject || second.is(tagThe, tagOur, tagMy) && first.low != "have" && first.low != "do"
	}
	return false
}

// hedges reports whether the main clause only supposes or considers: "maybe we should",
// "we could". A wish ("I'd prefer") and a past inability ("we could not") are firm.
func (r *reading) hedges() bool {
	for i := r.from; i < min(r.from+6, r.to); i++ {
		t := &r.toks[i]
		if !t.is(tagHedge) || t.is(tagFirm) || i > r.from && r.toks[i-1].is(tagFirm) {
			continue
		}
		next := &r.toks[min(i+1, r.stop-1)]
		unable := t.low == "could" && (next.is(tagNeg) || i > r.lead && r.toks[i-1].is(tagNeg))
		settled := r.first(i, r.to, tagSettle) >= 0 || t.low == "should" && i > r.from && t.is(tagCopula) && !r.toks[i-1].is(tagWe, tagI, tagYou)
		if !unable && !settled {
			return true
		}
	}
	return false
}

func isMoney(mark string) bool { return strings.Contains("$€£¥%₹", mark) }

// isEmoji reports whether a mark is a picture.
func isEmoji(mark string) bool {
	r, _ := utf8.DecodeRuneInString(mark)
	return unicode.Is(unicode.So, r)
}

// unitInside reports whether a number carries its unit, as 512MB does.
func unitInside(low string) bool {
	last := low[len(low)-1]
	return last >= 'a' && last <= 'z'
}

// foreignSigns reads the signs of a text in another writing, whose words the lexicon lacks.
func (s *signs) foreignSigns(text string) {
	other := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			other++
		}
	}
	s.set(signForeign, other*3 > len(text))
	if other == 0 {
		return
	}
	for _, f := range foreignSigns {
		contains := func(word string) bool { return strings.Contains(text, word) }
		s.set(f.sign, s.has(f.sign) || slices.ContainsFunc(theLexicon().foreign[f.list], contains))
	}
}

// foreignSigns are the signs that words of languages in other writings give; never written.
var foreignSigns = [...]struct {
	sign sign
	list string
}{{signForeignRequest, "foreign request"}, {signStanding, "foreign standing"}, {signSpeaker, "foreign speaker"}}
