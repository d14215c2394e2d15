package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// printHead prints the head of the table.
func printHead(w io.Writer) {
	fmt.Fprintln(w, "| messages | budget | tokens | told | fit | retained | % of fit | stale | asserted | both ends | unsupported | tau | answerable | state hash, same bytes again | by sort |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
}

// printRow prints one line of the table.
func printRow(w io.Writer, r result, hash string, same bool) {
	var sorted []string
	for _, s := range sorts {
		if k := r.kept[s]; k[1] > 0 {
			sorted = append(sorted, fmt.Sprintf("%s %d/%d", s, k[0], k[1]))
		}
	}
	over := ""
	if r.tokens > r.budget {
		over = " OVER"
	}
	fmt.Fprintf(w, "| %d | %d | %d%s | %d | %d | %d | %.1f | %d/%d | %d/%d | %d/%d | %d | %.2f | %s | %.12s, %v | %s |\n",
		r.messages, r.budget, r.tokens, over, r.total, r.fits, r.retained, percent(r.retained, r.fits),
		r.stale, r.staleOf, r.asserted, r.traps, r.bothEnds, r.turned, r.unsupported, r.tau,
		fmt.Sprintf("%.1f", percent(r.answered, r.asked)), hash, same, strings.Join(sorted, ", "))
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// dumpBudget is the budget of a printed block.
const dumpBudget = 2000

// dumpBlock prints one block and what it lacks, for the eye.
func dumpBlock(w io.Writer, n int, seed uint64, count func(string) int) error {
	t := generate(n, seed)
	measure(t, count)
	state, _ := learn(t)
	block := state.Block(dumpBudget, count, memory.BlockOptions{})
	fmt.Fprintln(w, block.Text)
	lines := strings.Split(strings.ToLower(block.Text), "\n")
	for _, it := range t.items {
		if _, shown := lineWith(lines, it.keys); !shown {
			fmt.Fprintln(w, "LACKS", it.sort, it.seqs, it.keys, it.joined())
		}
		if it.sort == "update" && isStale(lines, it) {
			fmt.Fprintln(w, "STALE", it.seqs, it.joined())
		}
	}
	for _, it := range t.traps {
		if line, shown := lineWith(lines, []string{it.marker}); shown {
			fmt.Fprintln(w, "ASSERTED", it.sort, it.joined(), "|", line)
		}
	}
	return nil
}
