// Retention measures what of a long conversation the compressed state keeps.
//
// It makes transcripts from a seed, plants what is to be remembered and what
// only seems so among filler that never repeats, distils every message, and
// looks at the rendered state. Run it with
//
//	go run ./bench/retention
//
// The same seed gives the same table on every machine, except for the times.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the generator")
	search := flag.Bool("search", true, "also ask every question of state and search")
	dump := flag.Int("dump", 0, "print the block for this many messages and stop")
	flag.Parse()
	if err := run(os.Stdout, *seed, *search, *dump); err != nil {
		fmt.Fprintln(os.Stderr, "retention:", err)
		os.Exit(1)
	}
}

// run prints the report.
func run(w io.Writer, seed uint64, search bool, dump int) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return fmt.Errorf("load the tokenizer: %w", err)
	}
	count := func(s string) int {
		n, countErr := codec.Count(s)
		if countErr != nil {
			return len(s)
		}
		return n
	}
	if dump > 0 {
		return dumpBlock(w, dump, seed, count)
	}
	var costs [2]time.Duration
	printHead(w)
	for _, n := range []int{50, 200, 1000, 5000} {
		t := generate(n, seed)
		measure(t, count)
		state, times := learn(t)
		if n == 5000 {
			costs = [2]time.Duration{median(times[:1000]), median(times[len(times)-1000:])}
		}
		missing := unsupported(t, state)
		answered, asked := 0, 0
		if search {
			answered, asked = answerable(t, state, index(t), count)
		}
		again, _ := learn(t)
		same := again.Hash() == state.Hash()
		for _, budget := range []int{1000, 2000, 4000} {
			block := state.Block(budget, count, memory.BlockOptions{})
			r := score(t, block, budget)
			r.unsupported, r.answered, r.asked = missing, answered, asked
			r.tokens = count(block.Text)
			same = same && again.Block(budget, count, memory.BlockOptions{}).Text == block.Text
			printRow(w, r, state.Hash(), same)
		}
	}
	fmt.Fprintf(w, "\nupdate per message: %v at the start of 5,000, %v at their end (%.2f×)\n",
		costs[0], costs[1], float64(costs[1])/float64(max(1, costs[0])))
	return nil
}

// learn distils a transcript; the times are those of each message.
func learn(t *transcript) (*memory.State, []time.Duration) {
	s := memory.NewState()
	times := make([]time.Duration, 0, len(t.documents))
	var before []ranking.Document
	for _, d := range t.documents {
		began := time.Now()
		s.Learn(memory.Distill(d, before))
		times = append(times, time.Since(began))
		before = append([]ranking.Document{d}, before[:min(3, len(before))]...)
	}
	return s, times
}

// index makes the transcript searchable.
func index(t *transcript) *ranking.Index {
	x := ranking.New()
	for _, d := range t.documents {
		x.Add(d)
	}
	return x
}

// measure counts what each item costs to show: the words it was told in, of an
// update the last ones, and what a date and the number of a message take.
func measure(t *transcript, count func(string) int) {
	for _, it := range t.items {
		for i, s := range it.sayings {
			if it.sort == "update" && i < len(it.sayings)-1 {
				continue
			}
			it.cost += count(s.text)
			if i == len(it.sayings)-1 {
				it.cost += 8
			}
		}
	}
}

// median is the middle of durations: what a message usually costs.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
