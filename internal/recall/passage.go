package recall

import (
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// passage is something that was said and may answer: a fact, or a sentence of a
// message.
type passage struct {
	root    session.ID
	seq     int64
	start   int // where it stands in its message, in bytes
	end     int
	role    session.Role
	speaker string
	saidAt  time.Time
	// text is what was said, exactly.
	text string
	// fact is what memory made of it; nil for a sentence it kept no fact of.
	fact *memory.Fact
	// at is where in text the first word of the question stands.
	at int
	// seen is what a reading of text shows, where there has been one; nil else.
	seen *look
	// explained is set when text goes on to say why.
	explained bool
	// score is how sure it is that the passage answers; order also says which
	// of two answers to prefer.
	score, order float64
}

// ofFact is the passage a fact quotes.
func ofFact(f memory.Fact) passage {
	return passage{
		root: f.Source.Root, seq: f.Source.Seq, start: f.Source.Start, end: f.Source.End,
		role: f.Source.Role, speaker: f.Source.Speaker, saidAt: f.SaidAt, text: f.Quote, fact: &f,
	}
}

// same reports whether two passages share words of one message.
func (p *passage) same(o *passage) bool {
	return p.root == o.root && p.seq == o.seq && p.start < o.end && o.start < p.end
}

// before orders passages by when they were said.
func (p *passage) before(o *passage) int {
	if c := p.saidAt.Compare(o.saidAt); c != 0 {
		return c
	}
	if p.seq != o.seq {
		return int(p.seq - o.seq)
	}
	return p.start - o.start
}

// statement is what is compared: a fact says what its "it" stands for.
func (p *passage) statement() string {
	text := p.text
	if p.fact != nil && p.fact.Statement != "" && !within(p.text, p.fact.Statement) {
		text = p.fact.Statement + " " + p.text
	}
	return phrases.Replace(text)
}
