package memory

import (
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Finding is a statement that a model drew from a message. It is used only if the words
// of the message support it; [Finding.Read] decides.
type Finding struct {
	Root session.ID
	Seq  int64 // of the cited message
	// Start and End bound the cited words in the message's text, in bytes.
	Start, End int
	Statement  string
}

// Refusal is why a finding is not used; "" means that it is.
type Refusal string

// The refusals.
const (
	RefusedSource  Refusal = "source"  // it cites no message of the user, or words that the message lacks
	RefusedLength  Refusal = "length"  // it is too long, or cites too much
	RefusedSecret  Refusal = "secret"  // it contains a secret
	RefusedErased  Refusal = "erased"  // it mentions a forgotten thing
	RefusedWords   Refusal = "words"   // the cited words do not support it
	RefusedRequest Refusal = "request" // it is a request or a retraction
)

// The maximum length of a finding, in bytes, and of its citation, in sentences.
const (
	maxFinding   = 400
	maxCitations = 2
)

// Read checks a finding against the message it cites and returns its kind. The kind comes
// from this package's own reading of the words, and is asserted only if every cited
// sentence asserts.
func (p *Finding) Read(d ranking.Document) (Kind, Refusal) {
	switch {
	case d.Role != session.User || d.Root != p.Root || d.Seq != p.Seq,
		p.Start < 0 || p.Start >= p.End || p.End > min(len(d.Text), maxDistilled):
		return "", RefusedSource
	case p.Statement == "" || len(p.Statement) > maxFinding:
		return "", RefusedLength
	}
	x := newDistiller(d, nil)
	cited, refused := x.cited(span{p.Start, p.End})
	if refused != "" {
		return "", refused
	}
	at := span{cited[0].Start, cited[len(cited)-1].End}
	if hasSecret(d.Text[at.start:at.end]) || hasSecret(p.Statement) {
		return "", RefusedSecret
	}
	if !x.drawn(cited, len(cited)-1, p.Statement) {
		return "", RefusedWords
	}
	own := x.own(p.Statement)
	if own == nil || own.isRequest() {
		return "", RefusedRequest
	}
	return x.kindOf(cited, own, at), ""
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

// Erased reports whether a finding mentions something that its owner has forgotten.
func (p *Finding) Erased(o owner.Owner, erasures []Erasure) bool {
	_, n := RedactErased(o, p.Statement, erasures)
	return n > 0
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
