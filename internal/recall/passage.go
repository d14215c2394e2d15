package recall

import (
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// passage is a part of a message that may answer a question: sentences that follow each
// other.
type passage struct {
	root       session.ID
	seq        int64
	start, end int // bytes of the message
	role       session.Role
	speaker    string
	saidAt     time.Time
	text       string
	words      []word
	vec        wordvec.Vector
	cues       cue
	forms      form         // of answers that it has
	asks       bool         // it asks or requests something
	heir       bool         // it replaced a passage that was found
	whole      bool         // it is the whole message of several sentences
	unrelated  bool         // it tells only of others what is asked of a person
	owners     *ownerReader // of whom it speaks, in its own words; nil before that is read
	things     int          // how many of the things asked of an owner it tells
	later      bool         // it perhaps ends the passage told before it
	turns      bool         // it says that something is other than before
	elsewhen   bool         // it is about another time than the one asked about, or another's in that time
	yields     bool         // another passage is more plainly so of the thing asked for
	narrower   bool         // it yields as it tells of a narrower thing
	// fact is the largest fact of the passage; nil for none.
	fact *memory.Fact
	// rank is the place of the message among the hits, from 0, and hit is its score as a
	// share of the best one's.
	rank int
	hit  float32
	// near are the words of the rest of the message, and of the question that the message
	// answers.
	near []word

	values []float32
	score  float32
}

// ofFact is the passage that a fact quotes.
func ofFact(f *memory.Fact) passage {
	return passage{
		root: f.Source.Root, seq: f.Source.Seq, start: f.Source.Start, end: f.Source.End,
		role: f.Source.Role, speaker: f.Source.Speaker, saidAt: f.SaidAt, text: f.Quote, fact: f,
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

// stands reports whether a passage is a statement of the user that no later one has ended.
func (p *passage) stands() bool {
	return p.role == session.User && !p.asks && (p.fact == nil || holds(p.fact))
}

// read analyses the text of a passage.
func (p *passage) read() {
	p.words = wordsOf(p.text)
	p.vec = wordvec.Of(p.text)
	p.cues = cuesOf(p.text, p.words)
}

// firstMet is the place of the first word that the question has.
func (p *passage) firstMet(q *question) int {
	for i := range p.words {
		if q != nil && q.index(p.words[i].stem) >= 0 {
			return p.words[i].start
		}
	}
	return 0
}
