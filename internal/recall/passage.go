package recall

import (
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// passage is a statement that may answer: a fact, or a sentence of a message.
type passage struct {
	root    session.ID
	seq     int64
	start   int // byte offset in its message
	end     int
	role    session.Role
	speaker string
	saidAt  time.Time
	// text is the original text.
	text string
	// fact is the fact of the sentence; nil for none.
	fact *memory.Fact
	// at is the position in text of the first word that the question has.
	at int
	// seen is the look of text; nil before it has been read.
	seen *look
	// explained says that text goes on to give a reason.
	explained bool
	// score is the confidence that the passage answers. order decides between passages
	// that answer.
	score, order float64
}

// ofFact is the passage a fact quotes.
func ofFact(f memory.Fact) passage {
	return passage{
		root: f.Source.Root, seq: f.Source.Seq, start: f.Source.Start, end: f.Source.End,
		role: f.Source.Role, speaker: f.Source.Speaker, saidAt: f.SaidAt, text: f.Quote, fact: &f,
	}
}

// same reports whether two passages overlap in one message.
func (p *passage) same(o *passage) bool {
	return p.root == o.root && p.seq == o.seq && p.start < o.end && o.start < p.end
}

// before orders passages by the time they were said.
func (p *passage) before(o *passage) int {
	if c := p.saidAt.Compare(o.saidAt); c != 0 {
		return c
	}
	if p.seq != o.seq {
		return int(p.seq - o.seq)
	}
	return p.start - o.start
}

// statement is the text for comparisons: a fact has its "it" resolved.
func (p *passage) statement() string {
	text := p.text
	if p.fact != nil && p.fact.Statement != "" && !within(p.text, p.fact.Statement) {
		text = p.fact.Statement + " " + p.text
	}
	return phrases.Replace(text)
}
