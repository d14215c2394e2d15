package memory

import (
	_ "embed" // the weights
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/ranking"
)

//go:embed worth.txt
var worthWeights string

//go:embed wish.txt
var wishWeights string

// SentenceFeatures are the names of the features by which sentences of the user are judged:
// whether they are worth keeping, and whether they say how answers are wanted from now on.
// They are the signs of the sentence, the logarithms of its words and of the sentences of
// its message, and the tenor of the message.
func SentenceFeatures() []string {
	return slices.Concat(signNames[:], []string{"words", "sentences"}, tenorNames())
}

// judges reads the weights, once.
var judges = sync.OnceValue(func() (out struct{ worth, wish fitted.Model }) {
	names := SentenceFeatures()
	out.worth, out.wish = fitted.MustParse(worthWeights, names), fitted.MustParse(wishWeights, names)
	return out
})

// The logarithms of odds from which a sentence is kept, and from which it is a wish.
const (
	worthAt = -0.1
	wishAt  = -0.4
	// practiceAt is that for what the speakers do for years, which they say with few words: so few that a message of nothing
	// else has fewer odds.
	practiceAt = -1
	// partialAt is that for a sentence of a message of which something was erased. What was there raised the odds or lowered
	// them, and cannot be asked any more. A statement too many is a smaller loss than one too few: the forgetting of one thing
	// must lose no other.
	partialAt = -3
)

// judge decides about a sentence of the user whose signs are read.
func (x *distiller) judge(r *reading) {
	models, v := judges(), x.values(r)
	r.worth, r.wished = models.worth.Score(v), models.wish.Score(v) >= wishAt
}

// Judged is a sentence of a message whose worth is decided by its features.
type Judged struct {
	Start, End int // bytes of the message
	Values     []float32
	// Asserted says that no rule makes it a question, a supposition or a quotation, unless
	// it is a wish.
	Asserted bool
}

// Judge returns the sentences of a message of the user with the features that decide
// whether they are kept. Weights are fitted with it.
func Judge(d ranking.Document) []Judged {
	x := newDistiller(messageOf(d), nil)
	x.readSentences()
	var out []Judged
	for i := range x.sentences {
		r := &x.sentences[i]
		out = append(out, Judged{Start: r.Start, End: r.End, Values: slices.Clone(x.values(r)), Asserted: r.kind().Asserted()})
	}
	return out
}
