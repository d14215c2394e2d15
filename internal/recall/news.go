package recall

import (
	_ "embed" // the fitted model
	"strings"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/memory"
)

//go:embed news.txt
var newsText string

// novelty tells how probable it is that a fact says what is new: its log odds.
var novelty = fitted.MustParse(newsText, newsNames[:])

// The features of a fact as news. The first ones are the relations of package memory.
const (
	nReplaces = 11 + iota // it replaced a fact
	nPerhaps              // it perhaps replaced one
	nReplaced             // it was replaced
	nDecision             // it is a decision
	nEvent                // it has a time
	nTaste                // it is an identity or a preference
	nWish                 // it is an instruction
	nFigure               // it has a figure
	nLong                 // its length
	nOpening              // it is from the first message of its conversation
	numNews
)

// newsNames are the features in the weights file; never written.
var newsNames = [numNews]string{
	"turned", "begun", "ended", "postponed", "returned", "corrected", "unchanged", "passing", "added", "denied", "afar",
	"replaces", "perhaps", "replaced", "decision", "event", "taste", "wish", "figure", "long", "opening",
}

// NewsNames are the names of the features of news.
func NewsNames() []string { return newsNames[:] }

// NewsValues are the values of a fact's features. The weights of the model of news are
// fitted to them.
func NewsValues(f *memory.Fact, n memory.News) []float32 {
	v := make([]float32, numNews)
	for bit := range nReplaces {
		v[bit] = truth(n&(1<<bit) != 0)
	}
	for _, l := range f.Links {
		switch l.Kind {
		case memory.Supersedes:
			v[nReplaces] = 1
		case memory.Perhaps:
			v[nPerhaps] = 1
		}
	}
	v[nReplaced] = truth(!f.Current())
	v[nDecision], v[nEvent] = truth(f.Kind == memory.Decision), truth(f.Kind == memory.Event || !f.When.IsZero())
	v[nTaste], v[nWish] = truth(f.Kind == memory.Identity || f.Kind == memory.Preference), truth(f.Kind == memory.Instruction)
	v[nFigure] = truth(strings.ContainsAny(f.Quote, "0123456789"))
	v[nLong] = min(1, float32(len(f.Quote))/200)
	v[nOpening] = truth(f.Source.Seq == 0)
	return v
}
