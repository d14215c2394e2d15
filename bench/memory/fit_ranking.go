package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	// peopleDecay and assistantDecay are how much the weights are drawn to zero, and those
	// for chats with an assistant to those for people. Ten times more or less changes no
	// measure of what was left out by more than a point.
	peopleDecay    = 1e-4
	assistantDecay = 1e-3
)

// fitRanking fits the two models of package ranking: that for conversations among people to
// LoCoMo, and from there that for chats with an assistant to our own sets.
func fitRanking(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	path := flags.String("locomo", "", "LoCoMo's file; without it, both are fitted to our own sets alone")
	data := flags.String("data", "", "a file of lives; empty: the development set")
	out := flags.String("out", "", "the folder to write people.txt and assistant.txt to; empty: only measure")
	return func(_ context.Context, w io.Writer) error {
		lives, err := loadLives(*data)
		if err != nil {
			return err
		}
		own := &training{decay: peopleDecay}
		for i := range lives {
			own.addLife(&lives[i])
		}
		if err := own.addRounds(); err != nil {
			return err
		}
		weights := own.learn("")
		if *path == "" {
			fmt.Fprintln(w, "fitted to our own sets alone")
			reached := own.printLives(w, own.learn)
			return errors.Join(writeModel(*out, "people", own, weights, reached), writeModel(*out, "assistant", own, weights, reached))
		}
		conversations, err := load(*path)
		if err != nil {
			return err
		}
		people := gather(conversations)
		fmt.Fprintln(w, "LoCoMo by weights that were fitted to our own sets alone")
		if _, err := people.printConversations(w, conversations, own, func(string) []float64 { return weights }); err != nil {
			return err
		}
		fmt.Fprintln(w, "LoCoMo, each conversation left out in its turn")
		reached, err := people.printConversations(w, conversations, people, people.learn)
		if err != nil {
			return err
		}
		own.prior, own.decay = people.learn(""), assistantDecay
		fmt.Fprintln(w, "lives, each left out in its turn")
		reachedToo := own.printLives(w, own.learn)
		return errors.Join(writeModel(*out, "people", people, own.prior, reached), writeModel(*out, "assistant", own, own.learn(""), reachedToo))
	}
}

// printConversations reports LoCoMo's conversations by weights made without each of them.
// It returns the main figures in a line.
func (t *training) printConversations(
	w io.Writer, all []conversation, by *training, weights func(without string) []float64,
) (string, error) {
	count, err := counter()
	if err != nil {
		return "", err
	}
	sum := t.leaveEachOut(all, by, weights, count)
	sum.print(w)
	return fmt.Sprintf("LoCoMo, each conversation left out: R@10 %.1f, multi-hop %.1f",
		100*sum.of(recallAt10, answerable()...).mean(), 100*sum.of(recallAt10, multiHop).mean()), nil
}

// writeModel writes weights as package fitted reads them.
func writeModel(folder, name string, t *training, weights []float64, reached string) error {
	if folder == "" {
		return nil
	}
	d, n := t.calibrate("", weights), len(modelNames)
	copy(weights[n-4:], []float64{d.named.base, d.named.slope, d.open.base, d.open.slope})
	file, err := os.Create(filepath.Join(folder, name+".txt"))
	if err != nil {
		return err
	}
	questions := 0
	for i := range t.sets {
		questions += len(t.sets[i].lists)
	}
	head := []string{
		"go run ./bench/memory fit-ranking -locomo FILE -out internal/ranking/weights",
		fmt.Sprintf("data: %d questions of %d scopes; %s", questions, len(t.sets), time.Now().UTC().Format(time.DateOnly)),
		reached,
	}
	err = (&learned{weights: weights}).write(file, head, modelNames)
	return errors.Join(err, file.Close())
}
