package memory

import (
	_ "embed" // the weights
	"math/bits"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/ranking"
)

//go:embed worth.txt
var worthWeights string

// WorthFeatures are the names of the features by which a sentence of the user is judged
// worth keeping: its signs, then the logarithms of its words and of the sentences of its
// message.
func WorthFeatures() []string { return append(slices.Clone(signNames[:]), "words", "sentences") }

// theWorth reads the weights, once.
var theWorth = sync.OnceValue(func() fitted.Model { return fitted.MustParse(worthWeights, WorthFeatures()) })

// worthAt is the logarithm of odds from which a sentence is kept.
const worthAt = 0

// worthValues are the values of the features.
type worthValues [numSigns + 2]float32

func (s signs) values(words, sentences int) worthValues {
	var out worthValues
	for x := range numSigns {
		out[x] = float32(b2u(s.has(x)))
	}
	out[numSigns] = float32(bits.Len(uint(words)))
	out[numSigns+1] = float32(bits.Len(uint(sentences)))
	return out
}

// Judged is a sentence of a message whose worth is decided by its features.
type Judged struct {
	Start, End int // bytes of the message
	Values     []float32
	// Asserted says that no other rule makes it a question, a request or a quotation.
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
		v := r.signs.values(r.stop-r.lead, len(x.sentences))
		out = append(out, Judged{Start: r.Start, End: r.End, Values: v[:], Asserted: r.kind().Asserted()})
	}
	return out
}
