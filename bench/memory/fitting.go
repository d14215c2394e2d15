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
)

// fitting makes the weights of one model. It is the subcommand "fit-" and its name.
type fitting struct {
	name     string
	file     string // the weights in use, from the root of the repository
	features []string
	ridge    float64
	// examples makes the examples of a set of lives, in an order that never changes.
	examples func([]life) ([]example, error)
}

// fittings lists the models in the order in which they are fitted: one that uses the
// scores of another comes after it.
func fittings() []fitting {
	return []fitting{worthFitting(), {
		name: "links", file: "internal/memory/links.txt", features: memory.LinkFeatures(), ridge: linkRidge, examples: linkExamples,
	}}
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
	examples, err := f.examples(lives)
	if err != nil {
		return err
	}
	command, figures := "go run ./bench/memory fit-"+f.name, ""
	if leave == "" {
		probabilities, leaveErr := leaveOneScopeOut(examples, len(f.features), f.ridge)
		if leaveErr != nil {
			return leaveErr
		}
		all := guesses(examples, probabilities)
		figures = fmt.Sprintf("%d examples of %d scopes; each scope left out: AUC %.3f", len(all), len(scopesOf(examples)), areaUnder(all))
		if out != "" {
			printGuesses(w, all)
		}
	} else {
		command += " -leave " + leave
	}
	m, err := learnLogistic(withoutScope(examples, leave), len(f.features), f.ridge)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	head := []string{command, "data: bench/memory/testdata/first-contact.json; " + time.Now().UTC().Format(time.DateOnly)}
	if figures != "" {
		head = append(head, strings.Split(figures, "\n")...)
	}
	if err := writeWeights(&text, head, f.features, m); err != nil {
		return err
	}
	if out == "" {
		_, err = w.Write(text.Bytes())
		return err
	}
	return os.WriteFile(out, text.Bytes(), 0o644) //nolint:gosec // weights are public
}
