package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// signature is what a statement is about, in the form in which statements are compared.
// It is made from the words of a fact when the fact enters the state. The fact's piece has
// it, too.
type signature struct {
	terms    [maxTerms]term   // content words, by rising stem
	at       [maxTerms]uint8  // the tokens at which they stand first
	part     [maxTerms]uint8  // the clauses in which they stand first
	partCues [maxParts]cueSet // the cues of the clauses
	figures  [maxFigures]figure
	days     [maxDays]dayRange
	vector   wordvec.Vector
	cues     cueSet
	words    uint16 // length of the statement
	// numTerms, numFigures and numDays are how many there are.
	numTerms, numFigures, numDays uint8
}

// The most parts of a statement that are compared. Later ones are details.
const (
	maxTerms   = 14
	maxFigures = 4
	maxDays    = 2
	maxParts   = 6
)

// term is a content word.
type term struct {
	stem uint32 // a hash
	word uint16 // its number in the table of word vectors; noWord for none
	// kind is the class of things of which it names one: a category of technology, a
	// group of alternatives, a rhythm. Two terms of one class exclude one another.
	kind  uint8
	flags termFlags
}

// termList are the terms, which are those of the signature itself.
func (g *signature) termList() []term { return g.terms[:g.numTerms] }

// noWord is the number of words that the table of word vectors lacks.
const noWord = 1<<16 - 1

type termFlags uint8

const (
	headTerm     termFlags = 1 << iota // the first content word
	nameTerm                           // written like a name, or in no dictionary
	leavingTerm                        // behind "from", "instead of", "no longer", "dropped"
	arrivingTerm                       // behind "to", "into", "now", "new"
	operatorTerm                       // says what happens to things, and names none
	datedTerm                          // part of a date
)

func (f termFlags) has(one termFlags) bool { return f&one != 0 }

// dayRange is a date: days since 1970, the second exclusive.
type dayRange struct {
	from, to uint16
	at       uint8
}

// nearTokens is how many tokens apart words belong together.
const nearTokens = 7

// near reports whether two tokens of a statement stand close together.
func near(a, b uint8) bool { return a <= b+nearTokens && b <= a+nearTokens }

// position is the number of a token, as far as a byte holds it.
func position(i int) uint8 { return uint8(min(i, 250-nearTokens)) }

// cueSet is the set of the tags of a statement that say how it relates to earlier ones.
type cueSet uint32

// cues are the tags that count, in the order of their bits; never written.
var cues = [...]tag{
	tagNow, tagNoLonger, tagMinus, tagPlus, tagSwitch, tagSwap, tagAssign, tagGone, tagTakesOver, tagNeg, tagIf, tagHedge,
	tagCorrection, tagRelation, tagHe, tagFuture, tagI, tagWe, tagAlso, tagMeanwhile, tagStill, tagPostponed, tagAgain,
	tagEnded, tagBegun, tagWrong, tagOutsider, tagLikes, tagHates, tagMy, tagOur, tagPast,
}

// cueTags are the tags of cues, to skip words without any.
var cueTags = tagsOf(cues[:]...)

func cuesOf(tags ...tag) cueSet {
	set := cueSet(0)
	for _, t := range tags {
		if i := slices.Index(cues[:], t); i >= 0 {
			set |= 1 << i
		}
	}
	return set
}

// any reports whether the sets share a cue.
func (c cueSet) any(o cueSet) bool { return c&o != 0 }

// operators are the tags of words that say what happens to things.
var operators = tagsOf(
	tagSwitch, tagSwap, tagAssign, tagPlus, tagMinus, tagUse, tagUsage, tagNow, tagNoLonger, tagGone, tagTakesOver, tagCorrection,
	tagAlso, tagMeanwhile, tagStill, tagPostponed, tagAgain, tagEnded, tagBegun, tagWrong, tagNeg, tagHedge, tagSettle, tagFuture, tagOwns,
)

// signer makes signatures. It keeps its buffers from one fact to the next.
type signer struct {
	l    *lexicon
	toks []token
	out  *signature
	mean wordvec.Mean
	text string
	said time.Time
	days []language.Date
	// leaving and arriving count the tokens to come that are flagged so.
	leaving, arriving int
	headed            bool
	part              uint8 // the clause
}

// signatureOf reads the signature of a fact.
func (s *State) signatureOf(f *Fact) (out signature) {
	text := f.Statement
	g := signer{l: s.l, toks: s.tokensOf(text), out: &out, text: text, said: f.SaidAt.UTC(), days: language.Dates(text, f.SaidAt.UTC())}
	for i := range g.toks {
		g.token(i)
	}
	out.words = uint16(min(len(g.toks), 1<<16-1))
	out.vector = g.mean.Vector()
	out.sort()
	return out
}

// sort orders the terms by stem.
func (g *signature) sort() {
	for i := 1; i < int(g.numTerms); i++ {
		for k := i; k > 0 && g.terms[k].stem < g.terms[k-1].stem; k-- {
			g.terms[k], g.terms[k-1] = g.terms[k-1], g.terms[k]
			g.at[k], g.at[k-1] = g.at[k-1], g.at[k]
			g.part[k], g.part[k-1] = g.part[k-1], g.part[k]
		}
	}
}

// token adds one token.
func (g *signer) token(i int) {
	t := &g.toks[i]
	if t.is(tagAnd) || t.kind == markToken && endsClause(t.low) {
		g.part = min(g.part+1, maxParts-1)
	}
	g.cue(t)
	g.direct(i)
	switch {
	case t.kind == markToken:
		if t.low == "." || t.low == ";" || t.low == "," {
			g.leaving, g.arriving = 0, 0
		}
		return
	case g.dated(i):
		g.term(i, datedTerm)
		return
	case t.kind == numberToken || t.is(tagNumberWord) || hasDigit(t.low):
		g.figure(i)
		return
	}
	g.term(i, 0)
	g.leaving, g.arriving = max(0, g.leaving-1), max(0, g.arriving-1)
}

// endsClause reports whether a punctuation mark ends a clause.
func endsClause(mark string) bool {
	return len(mark) == 1 && strings.IndexByte(",.;:()!?-", mark[0]) >= 0
}

// hasDigit reports whether a word has an ASCII digit.
func hasDigit(word string) bool {
	for i := range len(word) {
		if isDigit(word[i]) {
			return true
		}
	}
	return false
}

// cue adds the tags of a token that are cues.
func (g *signer) cue(t *token) {
	if !t.tags.any(cueTags) {
		return
	}
	for bit, tag := range cues {
		if t.tags.has(tag) {
			g.out.cues |= 1 << bit
			g.out.partCues[g.part] |= 1 << bit
		}
	}
}

// reach is how many tokens behind "from" or "to" belong to it.
const reach = 4

// direct notes that the tokens behind this one name what goes or what comes.
func (g *signer) direct(i int) {
	t := &g.toks[i]
	instead := t.low == "of" && i > 0 && g.toks[i-1].low == "instead"
	switch {
	case instead, contains(leavingWords, t.low), t.is(tagMinus, tagNoLonger, tagSwap):
		g.leaving, g.arriving = reach+1, 0
	case contains(arrivingWords, t.low), t.is(tagNow) && t.low != "instead":
		g.leaving, g.arriving = 0, reach+1
	}
}

// Words before what goes and before what comes; never written.
var (
	leavingWords  = []string{"from", "than", "not", "von"}
	arrivingWords = []string{"to", "into", "onto", "with", "new"}
)

// dated reports whether token i is part of a date, and adds the date at its first token.
func (g *signer) dated(i int) bool {
	at := g.toks[i].start
	k := slices.IndexFunc(g.days, func(d language.Date) bool { return d.Start <= at && at < d.End })
	if k < 0 {
		return false
	}
	if d := &g.days[k]; at == d.Start && g.out.numDays < maxDays {
		g.out.days[g.out.numDays] = dayRange{dayNumber(d.From.Unix()), dayNumber(d.To.Unix() + 86399), position(i)}
		g.out.numDays++
	}
	return true
}

// dayNumber is the number of a day since 1970, in the years that it can count.
func dayNumber(seconds int64) uint16 { return uint16(max(0, min(seconds/86400, 1<<16-1))) }

// term adds the content words of a token.
func (g *signer) term(i int, flags termFlags) {
	t := &g.toks[i]
	if t.tags.any(operators) && t.tech == 0 && t.choice == 0 {
		flags |= operatorTerm
	}
	part := g.text[t.start:t.end]
	scan := language.Scan(part)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if w.Stop || w.End-w.Start == 1 {
			continue
		}
		one := term{stem: hashOf(w.Stem), word: noWord, flags: flags}
		if n, known := wordvec.Lookup(part, &w); known {
			one.word = uint16(n)
			if flags == 0 {
				g.mean.Add(part, &w)
			}
		}
		g.classify(&one, i)
		g.add(one, i)
	}
}

// classify sets the kind and the flags of a term.
func (g *signer) classify(one *term, i int) {
	t := &g.toks[i]
	switch {
	case t.tech != 0:
		one.kind, one.stem = g.l.classOf(t.tech), hashText(g.l.canonical(t.low))
	case t.choice != 0:
		one.kind, one.stem = choiceKinds+t.choice, uint32(t.choice)<<8|uint32(t.side)
	case weekdayOf(t.low) != "":
		one.kind, one.stem = weekdayKind, hashText(weekdayOf(t.low))
	case g.l.has(listRhythm, t.low):
		one.kind = rhythmKind
	case t.is(tagRelation): // "mum" and "mom" are one
		one.stem = hashText(language.Stem(t.entry.base))
	}
	if t.capital && i > 0 && t.entry == nil || one.word == noWord && t.entry == nil {
		one.flags |= nameTerm
	}
	if g.leaving > 0 {
		one.flags |= leavingTerm
	}
	if g.arriving > 0 {
		one.flags |= arrivingTerm
	}
	if !g.headed && !one.flags.has(operatorTerm|datedTerm) {
		one.flags |= headTerm
		g.headed = true
	}
}

// Kinds of terms above the categories of technology.
const (
	choiceKinds = 100
	rhythmKind  = 255
	weekdayKind = 254
)

// weekdayOf is the weekday that a word names, in its short form; "" for none.
func weekdayOf(low string) string {
	if len(low) < 3 {
		return ""
	}
	for _, names := range weekdays {
		if slices.Contains(names, low) {
			return names[0]
		}
	}
	return ""
}

// weekdays are the names of each weekday; never written.
var weekdays = [...][]string{
	{"mon", "monday", "mondays", "montag", "montags", "lundi", "lundis", "lunes"},
	{"tue", "tues", "tuesday", "tuesdays", "dienstag", "dienstags", "mardi", "mardis", "martes"},
	{"wed", "weds", "wednesday", "wednesdays", "mittwoch", "mittwochs", "mercredi", "mercredis", "miércoles"},
	{"thu", "thur", "thurs", "thursday", "thursdays", "donnerstag", "donnerstags", "jeudi", "jeudis", "jueves"},
	{"fri", "friday", "fridays", "freitag", "freitags", "vendredi", "vendredis", "viernes"},
	{"sat", "saturday", "saturdays", "samstag", "samstags", "sonnabend", "samedi", "samedis", "sábado", "sábados"},
	{"sun", "sunday", "sundays", "sonntag", "sonntags", "dimanche", "dimanches", "domingo", "domingos"},
}

// add keeps a term unless it is there.
func (g *signer) add(one term, i int) {
	for k := range g.out.terms[:g.out.numTerms] {
		if was := &g.out.terms[k]; was.stem == one.stem {
			was.flags |= one.flags &^ operatorTerm
			return
		}
	}
	if g.out.numTerms < maxTerms {
		g.out.terms[g.out.numTerms], g.out.at[g.out.numTerms] = one, position(i)
		g.out.part[g.out.numTerms] = g.part
		g.out.numTerms++
	}
}

func shortHash(word string) uint16 { return uint16(hashText(word)) | 1 }

// hashOf and hashText are FNV-1a.
func hashOf(word []byte) uint32 { return hashOn(firstHash, word) }

func hashText(word string) uint32 { return hashOn(firstHash, word) }

// hashOn is the hash of the bytes before, and of some more.
func hashOn[T string | []byte](hash uint32, more T) uint32 {
	for i := range len(more) {
		hash = (hash ^ uint32(more[i])) * 16777619
	}
	return hash
}

// firstHash is the hash of no bytes.
const firstHash = 2166136261
