package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recall"
)

// fitting makes the weights of one model. It is the subcommand "fit-" and its name.
type fitting struct {
	name     string
	file     string // the weights in use, from the root of the repository
	features []string
	ridge    ridge
	// examples makes the examples of a set of lives, in an order that never changes.
	examples func([]life) ([]example, error)
	// learn replaces the fit of examples: it returns the weights without a scope, and what
	// they reach if no scope is left out. Nil fits the examples.
	learn func(w io.Writer, lives []life, leave string) (weights, string, error)
	// forest fits decision trees to the examples, not a weighted sum.
	forest bool
}

// weights is a fitted model.
type weights interface {
	probability(values []float32) float64
	// write writes the model as package fitted reads it. The lines of head say which
	// command, data and date made it, and what they measured.
	write(w io.Writer, head, names []string) error
}

// fittings lists the models in the order in which they are fitted: one that uses the
// scores of another comes after it.
func fittings() []fitting {
	return []fitting{worthFitting(), wishFitting(), {
		name: "links", file: "internal/memory/links.txt", features: memory.LinkFeatures(), forest: true, examples: linkExamples,
	}, singleFitting(), {
		name: "selector", file: "internal/recall/selector.txt", features: recall.FeatureNames(), learn: learnSelector,
	}, {
		name: "confidence", file: "internal/recall/confidence.txt", features: recall.SignNames(),
		ridge: even(confidenceRidge), examples: confidenceExamples,
	}, newsFitting(), membersFitting(), topicsFitting()}
}

func (f fitting) table() table {
	return table{"fit-" + f.name, func(flags *flag.FlagSet) func(context.Context, io.Writer) error {
		data := flags.String("data", "", "a file of lives; empty: the development set")
		leave := flags.String("leave", "", "the scope to leave out")
		out := flags.String("out", "", "the file to write the weights to; empty: standard output")
		return func(_ context.Context, w io.Writer) error {
			lives, err := loadLives(*data)
			if err != nil {
				return err
			}
			return f.fit(w, lives, *leave, *out)
		}
	}}
}

// fit writes the weights for all scopes but one to a file. With none left out it also
// prints what is reached where scopes are left out in their turn.
func (f fitting) fit(w io.Writer, lives []life, leave, out string) error {
	learn := f.learn
	if learn == nil {
		learn = f.learnExamples
	}
	notes := io.Discard
	if out != "" {
		notes = w
	}
	m, figures, err := learn(notes, lives, leave)
	if err != nil {
		return err
	}
	command := "go run ./bench/memory fit-" + f.name
	if leave != "" {
		command += " -leave " + leave
	}
	head := []string{command, "data: bench/memory/testdata; " + time.Now().UTC().Format(time.DateOnly)}
	if figures != "" {
		head = append(head, strings.Split(figures, "\n")...)
	}
	var text bytes.Buffer
	if err := m.write(&text, head, f.features); err != nil {
		return err
	}
	if out == "" {
		_, err = w.Write(text.Bytes())
		return err
	}
	return os.WriteFile(out, text.Bytes(), 0o644) //nolint:gosec // weights are public
}

// learnExamples fits the examples of all scopes but one.
func (f fitting) learnExamples(w io.Writer, lives []life, leave string) (weights, string, error) {
	examples, err := f.examples(lives)
	if err != nil {
		return nil, "", err
	}
	figures := ""
	if leave == "" {
		probabilities, leaveErr := leaveScopesOut(examples, f.model)
		if leaveErr != nil {
			return nil, "", leaveErr
		}
		all := guesses(examples, probabilities)
		figures = fmt.Sprintf("%d examples of %d scopes; each scope left out: AUC %.3f", len(all), len(scopesOf(examples)), areaUnder(all))
		printGuesses(w, all)
	}
	m, err := f.model(withoutScope(examples, leave))
	return m, figures, err
}

// model fits examples.
func (f fitting) model(examples []example) (weights, error) {
	if f.forest {
		return learnForest(examples, len(f.features))
	}
	return learnLogistic(examples, len(f.features), f.ridge)
}
