package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
)

// links prints how many updates and traps of a set of lives the model that links facts
// finds, each scope left out of the fit in its turn.
func links(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	path := flags.String("data", "", "a file of lives; empty: the development set")
	missed := flags.Bool("missed", false, "list the updates that are missed, and what is wrongly taken for one")
	at := flags.Float64("at", 0.5, "the threshold of the list")
	return func(_ context.Context, w io.Writer) error {
		lives, err := loadLives(*path)
		if err != nil {
			return err
		}
		set, err := linksOf(lives)
		if err != nil {
			return err
		}
		features := memory.LinkFeatures()
		if err := set.choose(len(features)); err != nil {
			return err
		}
		models := make(map[string]weights)
		for _, scope := range append(scopesOf(set.examples()), "") {
			if models[scope], err = learnForest(withoutScope(set.examples(), scope), len(features)); err != nil {
				return err
			}
		}
		models[own] = models[""] // they are promises, not a test
		best := set.best(models)
		printLinks(w, set, best)
		if *missed {
			set.list(w, best, *at)
		}
		return nil
	}
}

// reached is the likeliest pair of a bag; −1 for none.
type reached struct {
	pair        int
	probability float64
}

// best finds the likeliest pair of each bag, and of each message that is in no bag as
// its newer.
func (s *linkSet) best(models map[string]weights) []reached {
	out := make([]reached, len(s.bags))
	for i := range out {
		out[i].pair = -1
	}
	for i := range s.pairs {
		p := &s.pairs[i]
		p.weight = models[p.scope].probability(p.values)
		if p.bag >= 0 && (out[p.bag].pair < 0 || p.weight > out[p.bag].probability) {
			out[p.bag] = reached{i, p.weight}
		}
	}
	return out
}

// linkSources are where labelled pairs come from, in the order of the table.
var linkSources = []string{"life", "own life", "chat", own}

func printLinks(w io.Writer, s *linkSet, best []reached) {
	fmt.Fprintln(w, "| at | updates | traps | own lives' | traps | chat updates | traps | own reversals | controls | other pairs |\n|---|---|---|---|---|---|---|---|---|---|")
	for _, at := range []float64{0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9} {
		var found, of [8]int
		for i, b := range s.bags {
			row := 2 * slices.Index(linkSources, b.source)
			if b.trap {
				row++
			}
			of[row]++
			if best[i].pair >= 0 && best[i].probability >= at {
				found[row]++
			}
		}
		others := 0
		for i := range s.pairs {
			if p := &s.pairs[i]; p.bag < 0 && p.weight >= at {
				others++
			}
		}
		fmt.Fprintf(w, "| %.2f |", at)
		for row := range of {
			fmt.Fprintf(w, " %d/%d |", found[row], of[row])
		}
		fmt.Fprintf(w, " %d |\n", others)
	}
}

func (s *linkSet) list(w io.Writer, best []reached, at float64) {
	for i, b := range s.bags {
		switch {
		case best[i].pair < 0 && !b.trap:
			fmt.Fprintf(w, "no pair %s %s → %s (%s)\n", b.scope, b.older, b.newer, b.kind)
		case best[i].pair >= 0 && (best[i].probability >= at) == b.trap:
			p := &s.pairs[best[i].pair]
			fmt.Fprintf(w, "%.2f trap=%v %s %s → %s (%s)\n", best[i].probability, b.trap, b.scope, b.older, b.newer, b.kind)
			fmt.Fprintf(w, "   %s\n   %s\n", p.was, p.now)
		}
	}
	for i := range s.pairs {
		if p := &s.pairs[i]; p.bag < 0 && p.weight >= at {
			fmt.Fprintf(w, "%.2f OTHER %s %s → %s\n   %s\n   %s\n", p.weight, p.scope, p.older, p.newer, p.was, p.now)
		}
	}
}
