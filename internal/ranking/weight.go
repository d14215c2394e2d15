package ranking

import (
	_ "embed"
	"strings"

	"github.com/hermes-memory/hermes/internal/fitted"
)

//go:embed weights/people.txt
var peopleText string

//go:embed weights/assistant.txt
var assistantText string

// model is what was fitted: the weights of the features are the coefficients of a softmax
// over the candidates of a question.
type model struct {
	weights features
	sure    [numSure]float32
}

// The parts of a logistic model of whether a scope holds the answer.
const (
	surelyNamed  = iota // intercept for a question that names a speaker
	surelyMargin        // lead of that speaker's best message over the others' best
	surelyOpen          // intercept for a question that names no person
	surelyScore         // the best score, if no person is named
	numSure
)

// people is the model for conversations among people, and assistant the one for chats with
// an assistant: people answer each other, and an assistant's words are rarely asked for.
// Never written.
var people, assistant = newModel(peopleText), newModel(assistantText)

func newModel(text string) (m model) {
	fit := fitted.MustParse(text, ModelNames())
	for i := range m.weights {
		m.weights[i] = fit.Weight(i)
	}
	for i := range m.sure {
		m.sure[i] = fit.Weight(int(numFeatures) + i)
	}
	return m
}

// ModelNames are the names of the fitted numbers in the files of weights: the features,
// and the parts of the confidence.
func ModelNames() []string {
	var names []string
	for _, name := range featureNames {
		names = append(names, ModelName(name))
	}
	return append(names, "surely-named", "surely-margin", "surely-open", "surely-score")
}

// ModelName is the name of a [Reason]'s feature in the files of weights.
func ModelName(feature string) string { return strings.ReplaceAll(feature, " ", "-") }

// model is the model for the messages of the index.
func (x *Index) model() *model {
	if x.known.mixed {
		return &assistant
	}
	return &people
}
