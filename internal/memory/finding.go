package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Finding is a statement that a model drew from a message. It becomes a fact only if
// the words of the message support it; [Finding.Read] decides.
//
// Findings are stored data like messages: the same messages and findings give the same
// state, whatever a model would say today.
type Finding struct {
	Root session.ID
	Seq  int64 // of the cited message
	// Start and End bound the cited words in the message's text, in bytes.
	Start, End int
	Statement  string
	// By is the name of the model.
	By string
	// At is when it was accepted. After is the newest message at that time. Together
	// they are its position in the order of learning.
	At    time.Time
	After int64
	// Fact is the fact made from it.
	Fact FactID
}

// Refusal is why a finding did not become a fact; "" means that it did.
type Refusal string

// The refusals.
const (
	RefusedSource  Refusal = "source"  // it cites no message of the user, or words that the message lacks
	RefusedLength  Refusal = "length"  // it is too long, or cites too much
	RefusedSecret  Refusal = "secret"  // it contains a secret
	RefusedErased  Refusal = "erased"  // it mentions a forgotten thing
	RefusedWords   Refusal = "words"   // the cited words do not support it
	RefusedRequest Refusal = "request" // it is a request or a retraction
	RefusedKnown   Refusal = "known"   // memory has it already
)

// The maximum length of a finding, in bytes, and of its citation, in sentences.
const (
	maxFinding   = 400
	maxCitations = 2
)

// Read checks a finding against the message it cites and returns the fact it makes. The
// fact quotes whole sentences of the message. Its slot and kind come from this
// package's own reading of the words, and it is asserted only if every cited sentence
// asserts.
func (p *Finding) Read(d ranking.Document) (Fact, Refusal) {
	switch {
	case d.Role != session.User || d.Root != p.Root || d.Seq != p.Seq,
		p.Start < 0 || p.Start >= p.End || p.End > min(len(d.Text), maxDistilled):
		return Fact{}, RefusedSource
	case p.Statement == "" || len(p.Statement) > maxFinding:
		return Fact{}, RefusedLength
	}
	x := newDistiller(d, nil)
	cited, refused := x.cited(span{p.Start, p.End})
	if refused != "" {
		return Fact{}, refused
	}
	at := span{cited[0].Start, cited[len(cited)-1].End}
	if hasSecret(d.Text[at.start:at.end]) || hasSecret(p.Statement) {
		return Fact{}, RefusedSecret
	}
	if !x.drawn(cited, len(cited)-1, p.Statement) {
		return Fact{}, RefusedWords
	}
	own := x.own(p.Statement)
	if own == nil || own.isRequest() {
		return Fact{}, RefusedRequest
	}
	f := x.fact(at, x.kindOf(cited, own, at))
	f.ID, f.By, f.Statement = p.id(at), p.By, strings.TrimRight(p.Statement, ".! ")
	x.fill(&f, own)
	return f, ""
}

// cited are the sentences that overlap a range of the message, parsed.
func (x *distiller) cited(at span) ([]reading, Refusal) {
	var out []reading
	for _, s := range language.Sentences(x.d.Text) {
		if s.End <= at.start || s.Start >= at.end {
			continue
		}
		text := x.d.Text[s.Start:s.End]
		if s.Code || len(text) > maxSentence || len(out) == maxCitations {
			return nil, RefusedLength
		}
		r := reading{l: x.l, text: x.d.Text, Sentence: s, toks: appendTokens(x.l, nil, x.d.Text, s.Start, s.End)}
		if !r.read() {
			return nil, RefusedSource
		}
		if _, about, n := r.takeBack(); about+n > 0 {
			return nil, RefusedRequest
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, RefusedSource
	}
	return out, ""
}

// own parses a statement alone; nil if it is empty.
func (x *distiller) own(statement string) *reading {
	r := &reading{l: x.l, text: statement, Sentence: language.Sentence{End: len(statement)}}
	r.toks = appendTokens(x.l, nil, statement, 0, len(statement))
	r.dates = language.Dates(statement, x.d.SaidAt)
	if !r.read() {
		return nil
	}
	return r
}

// kindOf is the kind of a found statement. If a cited sentence only asks, supposes,
// denies or reports, so does the statement.
func (x *distiller) kindOf(cited []reading, own *reading, at span) Kind {
	for i := range cited {
		if cited[i].findReason(); cited[i].mood() != Plain {
			return cited[i].mood()
		}
	}
	for _, f := range Distill(x.d, nil) { // the rest of the message may change the kind
		if !f.Kind.Asserted() && f.Source.Start < at.end && f.Source.End > at.start {
			return f.Kind
		}
	}
	if own.isInstruction() {
		return Instruction
	}
	if own.findReason(); own.mood() != Plain {
		return own.mood()
	}
	kind, _ := own.kind(own.slot(x.speaker))
	return kind
}

// fill adds the slot, reason and time that this package reads in the statement. All of
// them are verbatim in the quote.
func (x *distiller) fill(f *Fact, own *reading) {
	if d, dated := mainDate(own); dated {
		f.When = Interval{From: d.From, To: d.To}
	}
	if !f.Kind.Asserted() {
		return
	}
	if because := own.because; !because.empty() {
		f.Because = own.text[because.start:because.end]
	}
	s := own.slot(x.speaker)
	if f.Kind == Instruction {
		s = own.instructionSlot()
	}
	if s.filled() && strings.Contains(f.Quote, s.value) {
		f.Subject, f.Attribute, f.Value, f.Former = s.subject, s.attribute, s.value, s.former
	}
	if !strings.Contains(f.Quote, f.Because) {
		f.Because = ""
	}
}

// id derives a finding's fact id from the citation and the statement.
func (p *Finding) id(at span) FactID {
	b := append([]byte("found\x00"), p.Root...)
	b = append(b, 0)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(at.start))
	b = binary.BigEndian.AppendUint64(b, uint64(at.end))
	sum := sha256.Sum256(append(b, strings.TrimRight(p.Statement, ".! ")...))
	return FactID("f_" + hex.EncodeToString(sum[:8]))
}

// Accept adds a model's finding in the message d to memory. The returned finding has
// its position in the scope's order and the id of its fact; it must be stored together
// with the change.
func (v *View) Accept(d ranking.Document, p Finding) (Finding, Change, Refusal) {
	f, refused := p.Read(d)
	if refused != "" {
		return p, Change{}, refused
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.state.says(&f) {
		return p, Change{}, RefusedKnown
	}
	p.Fact, p.After = f.ID, v.last
	return p, v.state.Learn([]Fact{f}), ""
}

// Erased reports whether a finding mentions something that its owner has forgotten.
func (p *Finding) Erased(o owner.Owner, erasures []Erasure) bool {
	_, n := RedactErased(o, p.Statement, erasures)
	return n > 0
}

// says reports whether another fact of the same message has the same statement, or
// more, and fills the same slot.
func (s *State) says(f *Fact) bool {
	if _, known := s.byID[f.ID]; known {
		return true
	}
	words := s.statementWords(f.Statement)
	for i := range s.facts {
		g := &s.facts[i]
		if g.Source.Root == f.Source.Root && g.Source.Seq == f.Source.Seq && g.Source.Start < f.Source.End && f.Source.Start < g.Source.End &&
			g.Kind.Asserted() == f.Kind.Asserted() && (f.Value == "" || g.Subject == f.Subject && g.Attribute == f.Attribute) && covers(s.statementWords(g.Statement), words) {
			return true
		}
	}
	return false
}

// overtaken is the first contradicted fact that is newer than the finding's message: a
// finding that comes too late changes nothing.
func (s *State) overtaken(n int32, contradicted []int32) (later int32, ok bool) {
	if s.facts[n].By == "" {
		return 0, false
	}
	for _, o := range contradicted {
		if s.facts[o].Source.MessageID > s.facts[n].Source.MessageID {
			return o, true
		}
	}
	return 0, false
}

// DrawnFrom reports whether a line could have been drawn from the user's text, so that
// erasing the text erases the line.
func DrawnFrom(line, text string) bool {
	x := newDistiller(ranking.Document{Role: session.User, Text: text[:min(len(text), maxDistilled)]}, nil)
	var before []reading
	for _, s := range language.Sentences(x.d.Text) {
		r := reading{l: x.l, text: x.d.Text, Sentence: s, toks: appendTokens(x.l, nil, x.d.Text, s.Start, s.End)}
		if !r.read() {
			continue
		}
		before = append(before, r)
		if x.drawn(before, len(before)-1, line) {
			return true
		}
	}
	return false
}
