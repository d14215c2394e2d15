package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// The most facts of one message. A pasted log has a thousand statements; search finds
// those that matter.
const (
	maxFactsOfUser      = 32
	maxFactsOfTool      = 8
	maxFactsOfAssistant = 6
	// maxDistilled bounds the part of a message that is distilled, in bytes.
	maxDistilled = 64 << 10
)

// Distill returns the facts of a message. before are the messages just before it in its
// lineage, newest first: they resolve "it", "yes, let's do that" and bare answers.
//
// The user's statements are asserted unless the words ask, suppose, deny or quote. The
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

	toks      []token
	dates     []language.Date
	datesRead bool
	facts     []Fact
	// said is the last asserted sentence.
	said span
	// correcting is set after "no, that's wrong": then "it" is the wrong statement.
	correcting bool
	// main is the index of its fact; -1 for none.
	main int
}

// message reads the sentences one by one.
func (x *distiller) message() {
	limit := maxFactsOfUser
	switch x.d.Role {
	case session.Tool:
		limit = maxFactsOfTool
	case session.Assistant:
		limit = maxFactsOfAssistant
	}
	x.main = -1
	key := false // inside a private key
	for i, s := range language.Sentences(x.d.Text) {
		if len(x.facts) >= limit {
			return
		}
		text := x.d.Text[s.Start:s.End]
		key = inPrivateKey(text, key)
		if key || s.Code || len(text) > maxSentence || x.d.secretIn(span{s.Start, s.End}) {
			continue
		}
		x.sentence(i, s)
	}
}

// maxSentence is the length up to which sentences are read; longer ones are data.
const maxSentence = 1000

// inPrivateKey tracks whether a line lies inside the armour of a private key.
func inPrivateKey(line string, inside bool) bool {
	if strings.Contains(line, "-----BEGIN") || strings.Contains(line, "BEGIN ") && strings.Contains(line, "PRIVATE KEY") {
		return true
	}
	return inside && !strings.Contains(line, "-----END") && !strings.Contains(line, "END ")
}

// sentence distils one sentence.
func (x *distiller) sentence(place int, s language.Sentence) {
	x.toks = appendTokens(x.l, x.toks[:0], x.d.Text, s.Start, s.End)
	r := &reading{l: x.l, text: x.d.Text, Sentence: s, toks: x.toks}
	if !r.read() {
		return
	}
	switch x.d.Role {
	case session.Assistant:
		x.assistant(r)
		return
	case session.Tool:
		x.assert(r)
		return
	}
	if x.retract(r) || place == 0 && x.reply(r) {
		return
	}
	if r.isReminder() {
		x.readDates(r)
		x.keep(r, Event, slot{})
		return
	}
	if r.isInstruction() {
		x.keep(r, Instruction, r.instructionSlot())
		return
	}
	r.findReason()
	if x.clauseBeforeQuestion(r) {
		return
	}
	if mood := r.mood(); mood != Plain {
		x.unasserted(r, mood)
		return
	}
	x.assert(r)
}

// clauseBeforeQuestion keeps the statement in "We're on Postgres 15, how do I
// tune it?".
func (x *distiller) clauseBeforeQuestion(r *reading) bool {
	if !r.firstPerson() || !r.isQuestion() {
		return false
	}
	for i := r.from + 3; i+1 < r.stop; i++ {
		if !r.toks[i].mark(",") && !r.toks[i].mark("-") && !r.toks[i].mark(";") {
			continue
		}
		next := &r.toks[i+1]
		if next.is(tagAnd) && i+2 < r.stop {
			next = &r.toks[i+2]
		}
		if !next.is(tagWh, tagAux) {
			continue
		}
		part := *r
		part.End = r.toks[i].start
		part.toks = r.toks[:i]
		part.stop, part.to, part.because = i, i, span{}
		if part.mood() == Plain {
			x.assert(&part)
			return true
		}
	}
	return false
}

// unasserted keeps a sentence that asserts nothing, if it has content.
func (x *distiller) unasserted(r *reading, mood Kind) {
	words := 0
	for i := r.lead; i < r.stop; i++ {
		if content(&r.toks[i]) {
			words++
		}
	}
	if words == 0 || r.stop-r.lead < 3 {
		return
	}
	s := slot{}
	if mood == Negated {
		s = r.slot(x.speaker)
	}
	x.keep(r, mood, s)
}

// assert keeps an asserted sentence with its kind, slot and parts.
func (x *distiller) assert(r *reading) {
	x.readDates(r)
	if x.d.Role != session.User {
		if r.findReason(); r.mood() != Plain {
			return
		}
	}
	if x.actedFirst(r) {
		return
	}
	s := r.slot(x.speaker)
	if full, resolved := x.resolved(r); resolved {
		s = full.slot(x.speaker)
	}
	kind, worth := r.kind(s)
	if x.d.Role == session.Tool && !s.filled() && kind != Number {
		worth = false
	}
	if !worth && r.told && x.d.Role == session.User && r.stop-r.lead >= fewestTold {
		kind, worth = Plain, true // "remember that …": the user decides
	}
	if !worth {
		x.said, x.main = span{r.Start, r.End}, -1
		return
	}
	main := x.keep(r, kind, s)
	if main < 0 {
		return
	}
	if r.overturns() {
		x.facts[main].Replaces = x.overturned()
	}
	x.parts(r, main)
	x.said, x.main = span{r.Start, r.End}, main
}

// fewestTold is the minimum number of words in a statement that is kept at the user's
// request.
const fewestTold = 3

// readDates finds the expressions of time of the message, once.
func (x *distiller) readDates(r *reading) {
	if !x.datesRead {
		x.dates, x.datesRead = language.Dates(x.d.Text, x.d.SaidAt), true
	}
	r.dates = nil
	for i, d := range x.dates {
		if d.Start >= r.Start && d.End <= r.End {
			r.dates = append(x.dates[:0:0], x.dates[i:]...)
			for k := range r.dates {
				if r.dates[k].Start >= r.End {
					r.dates = r.dates[:k]
					break
				}
			}
			return
		}
	}
}

// keep adds the fact of a sentence and returns its index.
func (x *distiller) keep(r *reading, kind Kind, s slot) int {
	f := x.fact(span{r.Start, r.End}, kind)
	f.Statement = x.statement(r)
	f.Subject, f.Attribute, f.Value, f.Former = s.subject, s.attribute, s.value, s.former
	if !r.because.empty() {
		f.Because = x.d.Text[r.because.start:r.because.end]
	}
	if r.backward {
		x.reach(r, &f)
	}
	if d, dated := mainDate(r); dated {
		f.When = Interval{From: d.From, To: d.To}
	}
	return x.add(f)
}

// mainDate is the last expression of time in the sentence: "tried in Q1, reverted in
// Q2" is about the state since Q2.
func mainDate(r *reading) (language.Date, bool) {
	if len(r.dates) == 0 {
		return language.Date{}, false
	}
	return r.dates[len(r.dates)-1], true
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
