package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// The most facts of one message. A life told in 12 KB has some 150 statements, a pasted log
// has thousands; search finds those that matter.
const (
	maxFactsOfUser      = 256
	maxFactsOfTool      = 8
	maxFactsOfAssistant = 6
	// maxDistilled bounds the part of a message that is distilled, in bytes.
	maxDistilled = 64 << 10
)

// Distill returns the facts of a message. before are the messages just before it in its
// lineage, newest first: they tell what "yes, let's do that" and bare answers reply to.
//
// Every fact's Quote and Statement are words of the message as they stand there. The user's
// statements are asserted unless they ask, suppose or quote, if they are worth keeping. The
// assistant's are kept as proposals, and the output of tools under its own kind.
func Distill(d ranking.Document, before []ranking.Document) []Fact {
	var near []message
	for i := range before {
		near = append(near, messageOf(before[i]))
	}
	facts, _ := distill(messageOf(d), near, nil)
	return facts
}

// distill is Distill with a reused buffer for tokens, which it returns.
func distill(d message, before []message, toks []token) ([]Fact, []token) {
	if d.Text == "" || d.Role == session.System {
		return nil, toks
	}
	x := newDistiller(d, before)
	x.toks = toks
	x.message()
	return x.facts, x.toks[:0]
}

func newDistiller(d message, before []message) *distiller {
	x := &distiller{l: theLexicon(), d: d, before: before, speaker: subjectI}
	if d.Speaker != "" {
		x.speaker = strings.ToLower(d.Speaker)
	}
	if len(x.d.Text) > maxDistilled {
		x.d.Text = strings.Clone(x.d.Text[:maxDistilled]) // facts are substrings of the text, and outlive the message
	}
	return x
}

// distiller is the state for the sentences of one message.
type distiller struct {
	l       *lexicon
	d       message
	before  []message
	speaker string

	toks       []token
	sentences  []reading
	quotations []span
	erased     int  // how many of its sentences were erased
	mine       span // the part of the text that holds the person's own words
	pasted     int  // where text of others begins
	tenor      *tenor
	space      []float32
	facts      []Fact
	units      []unit
}

// message reads the sentences one by one.
func (x *distiller) message() {
	x.readSentences()
	switch role := x.d.Role; {
	case x.ofProgram():
		x.ofMemories()
	case role == session.Assistant:
		x.ofAssistant()
	case role == session.Tool:
		x.ofTool()
	default:
		for i := range x.sentences {
			x.judge(&x.sentences[i])
		}
		x.ofUser()
	}
}

// maxSentence is the length up to which sentences are read; longer ones are data.
const maxSentence = 1000

// readSentences parses the sentences of the person's own part of the message. Code, data
// and sentences with secrets are left out.
func (x *distiller) readSentences() {
	x.mine, x.pasted = span{0, len(x.d.Text)}, len(x.d.Text)
	plain := mention.Unmarked(x.d.Text)
	if !x.ofProgram() {
		x.mine, x.quotations, x.pasted = ownPart(plain), quotations(plain), pastedFrom(plain)
	}
	dates := language.Dates(x.d.Text, x.d.SaidAt)
	all := language.Sentences(x.d.Text[x.mine.start:x.mine.end])
	x.sentences = make([]reading, 0, min(len(all), 64))
	asked, armoured, erased, firstLine := false, false, false, strings.IndexByte(plain, '\n')
	for _, s := range all {
		s.Start, s.End = s.Start+x.mine.start, s.End+x.mine.start
		text := x.d.Text[s.Start:s.End]
		if mention.Emptied(text) {
			erased, x.erased = true, x.erased+1
			continue
		}
		armoured = inPrivateKey(text, armoured)
		if armoured || s.Code || len(text) > maxSentence || x.d.secretIn(span{s.Start, s.End}) {
			continue
		}
		from := len(x.toks)
		x.toks = appendTokens(x.l, x.toks, x.d.Text, s.Start, s.End)
		r := reading{l: x.l, text: x.d.Text, Sentence: s, toks: x.toks[from:len(x.toks):len(x.toks)]}
		if !r.read() {
			continue
		}
		r.apart, erased = erased, false
		r.dates, dates = datesIn(dates, s.Start, s.End)
		r.findReason()
		r.foreign = x.isQuoted(s)
		r.signs = r.theSigns()
		r.signs.set(signBelowRequest, asked)
		r.signs.set(signBullet, isBullet(x.d.Text, s.Start))
		r.signs.set(signOpens, x.said() == 0)
		asked = asked || r.signs.hasAny(requests)
		if s.Start < firstLine {
			x.pasted = min(x.pasted, pastedBelow(plain, asked || r.signs.hasAny(signsOf(signThis, signPlease, signSeeks))))
		}
		x.sentences = append(x.sentences, r)
	}
	for i := range x.sentences {
		x.sentences[i].partial = x.erased > 0
		s := &x.sentences[i].signs
		s.set(signAlone, x.said() == 1)
		s.set(signRequested, asked)
		s.set(signPasted, x.pasted < len(x.d.Text))
		s.set(signBelowColon, i > 0 && x.sentences[i-1].signs.has(signColon))
	}
	if x.d.Role == session.User {
		x.tenor = tenorOf(plain[x.mine.start:x.mine.end], x.sentences)
	}
}

// requests are the signs of a sentence that wants an answer.
const requests = 1<<signAsks | 1<<signOpensQuestion | 1<<signTask | 1<<signQuestionWithin | 1<<signForeignRequest

// datesIn splits off the expressions of time in a range of the text. dates are in order.
func datesIn(dates []language.Date, start, end int) (inside, rest []language.Date) {
	for len(dates) > 0 && dates[0].Start < start {
		dates = dates[1:]
	}
	n := 0
	for n < len(dates) && dates[n].End <= end {
		n++
	}
	return dates[:n:n], dates[n:]
}

// isBullet reports whether a sentence begins the item of a list: only marks and figures
// stand before it on its line.
func isBullet(text string, at int) bool {
	before := strings.TrimSpace(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
	return before != "" && strings.Trim(before, "-*•+–·[x]0123456789.)") == ""
}

// inPrivateKey tracks whether a line lies inside the armour of a private key.
func inPrivateKey(line string, inside bool) bool {
	if strings.Contains(line, "-----BEGIN") || strings.Contains(line, "BEGIN ") && strings.Contains(line, "PRIVATE KEY") {
		return true
	}
	return inside && !strings.Contains(line, "-----END") && !strings.Contains(line, "END ")
}

// ofUser keeps what the user states, and what the user only asks or supposes under its own
// kind.
func (x *distiller) ofUser() {
	if len(x.sentences) > 0 && x.reply(&x.sentences[0]) {
		return
	}
	for i := 0; i < len(x.sentences) && len(x.facts)+len(x.units) < maxFactsOfUser; i++ {
		r := &x.sentences[i]
		if !r.foreign && x.retract(i) {
			continue
		}
		switch kind := r.statedKind(); {
		case r.isReminder():
			x.units = append(x.units, unit{i, i, Event})
		case !kind.Asserted():
			if x.statementBeforeQuestion(i); r.saysSomething() {
				x.add(x.fact(r.words(), kind))
			}
		case kind == Instruction || r.isWorth() || x.isNextItem(i):
			if r.denies() {
				kind = Negated
			}
			x.gather(i, kind)
		}
	}
	x.keepUnits()
}

// keepUnits adds the facts of the units gathered so far.
func (x *distiller) keepUnits() {
	for _, u := range x.units {
		x.keep(u)
	}
	x.units = x.units[:0]
}

// isNextItem reports whether sentence i goes on with a list that is kept: it is kept whole.
func (x *distiller) isNextItem(i int) bool {
	n := len(x.units)
	return n > 0 && x.units[n-1].to == i-1 && x.sentences[i].signs.has(signBullet) && x.leans(i)
}

// isWorth reports whether a sentence is worth keeping.
func (r *reading) isWorth() bool {
	if r.told {
		return r.stop-r.lead >= fewestTold // "remember that …": the user decides
	}
	if r.fresh {
		return true
	}
	says, least := r.lead+phraseLength(r.toks, r.lead, tagFiller) < r.stop, float32(worthAt)
	switch {
	case r.partial:
		least = partialAt
	case r.practises():
		least = practiceAt
	}
	return r.worth >= least && says && !r.isWord() && !r.salutes()
}

// isWord reports whether a sentence is a word alone: "Two." It states nothing unless it
// answers. In writing without spaces a word may be a sentence.
func (r *reading) isWord() bool {
	return r.stop-r.lead == 1 && !strings.ContainsFunc(r.toks[r.lead].low, language.Unspaced)
}

// fewestTold is the minimum number of words in a statement that is kept at the user's
// request.
const fewestTold = 3

// saysSomething reports whether a sentence that asserts nothing is long enough to be kept.
func (r *reading) saysSomething() bool {
	return r.stop-r.lead >= 3 && slices.ContainsFunc(r.toks[r.lead:r.stop], func(t token) bool { return content(&t) })
}

// ofTool keeps the numbers and values that a tool reports.
func (x *distiller) ofTool() {
	for i := range x.sentences {
		r := &x.sentences[i]
		if len(x.facts) >= maxFactsOfTool {
			return
		}
		if kind := r.kind(); kind.Asserted() && (kind == Number || r.slot(x.speaker).filled()) {
			x.keep(unit{i, i, kind})
		}
	}
}

// ofAssistant keeps the assistant's proposals, the reports of its actions, and the question
// that its message ends with: the user may answer with few words.
func (x *distiller) ofAssistant() {
	for i := range x.sentences {
		r := &x.sentences[i]
		if len(x.facts) >= maxFactsOfAssistant {
			return
		}
		switch long := r.stop-r.lead > 40; {
		case long || r.foreign:
		case r.first(r.lead, min(r.lead+6, r.stop), tagSuggest) >= 0:
			x.add(x.fact(r.words(), Proposal))
		case i == len(x.sentences)-1 && r.signs.has(signAsks):
			x.add(x.fact(r.words(), Question))
		case r.reportsAction():
			x.keep(unit{i, i, Event})
		}
	}
}

// reportsAction reports whether the assistant says what it has done.
func (r *reading) reportsAction() bool {
	return r.toks[r.lead].is(tagI) && r.kind().Asserted() && !r.signs.hasAny(signsOf(signNot, signFuture)) &&
		r.first(r.lead+1, min(r.lead+4, r.stop), tagPast, tagPlus, tagMinus, tagSwitch, tagAssign) >= 0
}

// keep adds the fact of a unit, with its parts.
func (x *distiller) keep(u unit) {
	f := x.fact(x.quoteOf(u), u.kind)
	f.Statement = x.d.Text[x.statementStart(u):x.sentences[u.to].lastByte()]
	main := x.add(f)
	if main < 0 {
		return
	}
	for i := u.from; i <= u.to; i++ {
		x.fill(main, i)
	}
}

// fill adds to a fact what one of its sentences says: its reason, its date, its slot; and
// the facts of the sentence's parts.
func (x *distiller) fill(main, i int) {
	r, f := &x.sentences[i], &x.facts[main]
	if f.Because == "" {
		f.Because = x.reasonOf(i)
	}
	if len(r.dates) > 0 { // "tried in Q1, reverted in Q2" is about the state since Q2
		d := r.dates[len(r.dates)-1]
		f.When = Interval{From: d.From, To: d.To}
	}
	if r.corrects != "" {
		f.Replaces = r.corrects
	}
	if r.foreign || !r.kind().Asserted() {
		return
	}
	if f.Value == "" {
		s := r.slot(x.speaker)
		f.Subject, f.Attribute, f.Value = s.subject, s.attribute, s.value
	}
	if r.overturns() {
		f.Replaces = x.overturned(main)
	}
}

// reasonOf is the reason that a sentence gives: its own words, or the sentence before it
// ("That's why we left").
func (x *distiller) reasonOf(i int) string {
	r := &x.sentences[i]
	switch {
	case r.backward && i > 0:
		before := &x.sentences[i-1]
		return strings.TrimRight(x.d.Text[before.Start:before.End], ".!")
	case r.backward || r.because.empty():
		return ""
	}
	return x.d.Text[r.because.start:r.because.end]
}

// add keeps a fact unless an equal one exists.
func (x *distiller) add(f Fact) int {
	for i := range x.facts {
		if x.facts[i].ID == f.ID {
			return -1
		}
	}
	x.facts = append(x.facts, f)
	return len(x.facts) - 1
}

// fact makes the fact of a range of the message.
func (x *distiller) fact(at span, kind Kind) Fact {
	quote := x.d.Text[at.start:at.end]
	return Fact{
		ID: factID(x.d.Root, x.d.Seq, at, kind), Kind: kind, Quote: quote, Statement: quote, SaidAt: x.d.SaidAt,
		Source: Source{
			MessageID: x.d.MessageID, SessionID: x.d.SessionID, Root: x.d.Root, Seq: x.d.Seq,
			Start: at.start, End: at.end, Role: x.d.Role, Speaker: x.d.Speaker,
		},
	}
}

// factID derives a fact's id from its position and its content.
func factID(root session.ID, seq int64, at span, kind Kind) FactID {
	var space [128]byte
	b := append(space[:0], root...)
	b = append(b, 0)
	b = binary.BigEndian.AppendUint64(b, uint64(seq))
	b = binary.BigEndian.AppendUint64(b, uint64(at.start))
	b = binary.BigEndian.AppendUint64(b, uint64(at.end))
	b = append(b, kind...)
	sum := sha256.Sum256(b)
	var id [18]byte
	copy(id[:], "f_")
	hex.Encode(id[2:], sum[:8])
	return FactID(id[:])
}
