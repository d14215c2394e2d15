package memory

import (
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// Extract is a statement that a model made from a message of the user, for a summary, by
// omitting words. It is used only if [Extract.Check] accepts it.
type Extract struct {
	Seq int64 // of the cited message
	// Start and End bound the cited words in the message's text, in bytes.
	Start, End int
	Statement  string
}

// Refusal is why an extract is not used; "" means that it is.
type Refusal string

// The refusals.
const (
	RefusedSource     Refusal = "source"     // it cites no message of the user, or words that the message lacks
	RefusedLength     Refusal = "length"     // it is too long, or cites too much
	RefusedSecret     Refusal = "secret"     // it contains a secret
	RefusedErased     Refusal = "erased"     // it mentions a forgotten thing
	RefusedWords      Refusal = "words"      // the cited words do not support it
	RefusedUnasserted Refusal = "unasserted" // it asks, requests, supposes, denies, reports or retracts
)

// The maximum length of an extract, in bytes, and of its citation, in sentences.
const (
	maxExtract   = 400
	maxCitations = 2
)

// Check compares an extract with the message that it cites. The result rests on this
// package's own reading of the message, never on the model's word.
func (e *Extract) Check(d ranking.Document) Refusal {
	switch {
	case d.Role != session.User, e.Start < 0 || e.Start >= e.End || e.End > min(len(d.Text), maxDistilled):
		return RefusedSource
	case e.Statement == "" || len(e.Statement) > maxExtract:
		return RefusedLength
	}
	x := newDistiller(messageOf(d), nil)
	cited, refused := x.cited(span{e.Start, e.End})
	if refused != "" {
		return refused
	}
	at := span{cited[0].Start, cited[len(cited)-1].End}
	switch {
	case x.d.secretIn(at) || secret.In(e.Statement):
		return RefusedSecret
	case !x.drawn(cited, len(cited)-1, e.Statement):
		return RefusedWords
	case !x.asserts(cited, x.own(e.Statement), at):
		return RefusedUnasserted
	}
	return ""
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
		if r.takeBack().sort > takesIdly {
			return nil, RefusedUnasserted
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

// asserts reports whether an extract says that something is so. own is the extract read
// alone. If a cited sentence only asks, supposes, denies or reports, so does the extract.
func (x *distiller) asserts(cited []reading, own *reading, at span) bool {
	if own == nil {
		return false
	}
	for i := range cited {
		if !cited[i].plain() {
			return false
		}
	}
	facts, _ := distill(x.d, nil, nil)
	for _, f := range facts { // the rest of the message may change the kind
		if !f.Kind.Asserted() && f.Source.Start < at.end && f.Source.End > at.start {
			return false
		}
	}
	return own.plain()
}

// plain reports whether a sentence read alone says that something is so.
func (r *reading) plain() bool {
	r.findReason()
	r.signs = r.theSigns()
	return r.kind().Asserted() && !r.negated() && !r.signs.hasAny(signsOf(signTask, signPlease))
}

// Erased reports whether an extract mentions something that its owner has forgotten.
func (e *Extract) Erased(o owner.Owner, erasures []Erasure) bool {
	_, n := RedactErased(o, e.Statement, erasures)
	return n > 0
}

// DrawnFrom reports whether a line could have been drawn from the user's text, so that
// erasing the text erases the line.
func DrawnFrom(line, text string) bool {
	x := newDistiller(message{Document: ranking.Document{Role: session.User, Text: text[:min(len(text), maxDistilled)]}}, nil)
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
