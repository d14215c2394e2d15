package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// The measures of what was planted in a transcript.
const (
	retained = "retained"
	stale    = "stale"
	asserted = "asserted"
	bothEnds = "both ends"
	findable = "answerable"
)

// retention measures what of a long conversation the compressed state keeps: it
// makes transcripts from a seed, plants what is to be remembered and what only
// seems so among filler that never repeats, distils every message, and looks at
// the rendered state.
func retention(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	seed := flags.Uint64("seed", 1, "seed of the generator")
	ask := flags.Bool("search", true, "also ask every question of state and search")
	dump := flags.Int("dump", 0, "print the block for this many messages and stop")
	return func(_ context.Context, w io.Writer) error {
		count, err := counter()
		if err != nil {
			return err
		}
		if *dump > 0 {
			dumpBlock(w, generate(*dump, *seed), count)
			return nil
		}
		retentionTable(w, *seed, *ask, count)
		return nil
	}
}

// retentionTable prints the table for conversations of four lengths.
func retentionTable(w io.Writer, seed uint64, ask bool, count func(string) int) {
	fmt.Fprintln(w, "| messages | budget | tokens | told | fit | retained | % of fit | stale | asserted | both ends | unsupported | tau | answerable | state hash, same bytes again | by sort |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var times []time.Duration
	for _, n := range []int{50, 200, 1000, 5000} {
		t := generate(n, seed)
		var state *memory.State
		state, times = learn(t)
		missing, answers := unsupported(t, state), make(tally)
		if ask {
			answers = askAll(t, state, count)
		}
		again, _ := learn(t)
		same := again.Hash() == state.Hash()
		for _, budget := range []int{1000, 2000, 4000} {
			block := state.Block(budget, count, memory.BlockOptions{})
			r := score(t, block, budget, count)
			r.merge(answers)
			r.unsupported, r.tokens = missing, count(block.Text)
			same = same && again.Block(budget, count, memory.BlockOptions{}).Text == block.Text
			r.printRow(w, state.Hash(), same)
		}
	}
	early, late := median(times[:1000]), median(times[len(times)-1000:])
	fmt.Fprintf(w, "\nupdate per message: %v at the start of 5,000, %v at their end (%.2f×)\n",
		early, late, float64(late)/float64(max(1, early)))
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

// median is the middle of durations: what a message usually costs.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// result is how one state did with one budget.
type result struct {
	tally
	messages, budget  int
	fits, unsupported int
	tau               float64
	tokens            int
}

// score looks at a block for everything that was planted.
func score(t *transcript, b memory.Block, budget int, count func(string) int) *result {
	r := &result{tally: make(tally), messages: len(t.documents), budget: budget, tokens: b.Tokens}
	lines := strings.Split(strings.ToLower(b.Text), "\n")
	words := 0
	for _, it := range t.items {
		words += it.cost(count)
		line, shown := lineWith(lines, it.keys)
		shown = shown && it.dated(line)
		r.hit(it.sort, retained, shown)
		if it.sort == "update" {
			r.hit(it.sort, stale, isStale(lines, it))
		}
		if it.sort == "reverted" && shown {
			r.hit(it.sort, bothEnds, holds(line, it.ends[:]))
		}
	}
	r.fits = min(len(t.items), (budget-60)*len(t.items)/max(1, words))
	for _, it := range t.traps {
		_, shown := lineWith(lines, []string{it.marker})
		r.hit(it.sort, asserted, shown)
	}
	r.tau = order(t, lines)
	return r
}

// ofFit is how much of what fits was retained, in percent.
func (r *result) ofFit() float64 {
	if r.fits == 0 {
		return 0
	}
	return 100 * r.of(retained, sorts...).sum / float64(r.fits)
}

// printRow prints one line of the table.
func (r *result) printRow(w io.Writer, hash string, same bool) {
	var sorted []string
	for _, s := range sorts {
		if k := r.of(retained, s); k.of > 0 {
			sorted = append(sorted, s+" "+k.share())
		}
	}
	over := ""
	if r.tokens > r.budget {
		over = " OVER"
	}
	kept := r.of(retained, sorts...)
	fmt.Fprintf(w, "| %d | %d | %d%s | %d | %d | %.0f | %.1f | %s | %s | %s | %d | %.2f | %.1f | %.12s, %v | %s |\n",
		r.messages, r.budget, r.tokens, over, kept.of, r.fits, kept.sum, r.ofFit(),
		r.of(stale, sorts...).share(), r.of(asserted, distractors...).share(), r.of(bothEnds, sorts...).share(), r.unsupported, r.tau,
		100*r.of(findable, sorts...).mean(), hash, same, strings.Join(sorted, ", "))
}

// dumpBudget is the budget of a printed block.
const dumpBudget = 2000

// dumpBlock prints one block and what it lacks, for the eye.
func dumpBlock(w io.Writer, t *transcript, count func(string) int) {
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
}

// cost is what an item takes to show: the words it was told in, of an update the
// last ones, and what a date and the number of a message take.
func (it *item) cost(count func(string) int) int {
	tokens := 8
	for i, s := range it.sayings {
		if it.sort != "update" || i == len(it.sayings)-1 {
			tokens += count(s.text)
		}
	}
	return tokens
}

// dated reports whether a line has the day of an event; true of what is none.
func (it *item) dated(line string) bool {
	if it.event == nil {
		return true
	}
	for day := -it.slack; day <= it.slack; day++ {
		if strings.Contains(line, it.event(it.said).AddDate(0, 0, day).Format("2006-01-02")) {
			return true
		}
	}
	return false
}

// lineWith finds a line that holds all keys.
func lineWith(lines, keys []string) (string, bool) {
	i := slices.IndexFunc(lines, func(line string) bool { return holds(line, keys) })
	if i < 0 {
		return "", false
	}
	return lines[i], true
}

// isStale reports whether an old value is shown in a line without the newest.
func isStale(lines []string, it *item) bool {
	for _, line := range lines {
		if !strings.Contains(line, it.keys[0]) || strings.Contains(line, it.keys[1]) {
			continue
		}
		for _, old := range it.stale {
			if strings.Contains(line, old) {
				return true
			}
		}
	}
	return false
}

// order is Kendall's tau between the dates shown for events and the true ones.
func order(t *transcript, lines []string) float64 {
	var truth []int64
	var shown []string
	for _, it := range t.items {
		if it.event == nil {
			continue
		}
		if line, ok := lineWith(lines, it.keys); ok && len(line) > 12 {
			truth = append(truth, it.event(it.said).Unix()/86400)
			shown = append(shown, line[:10])
		}
	}
	good, bad := 0, 0
	for i := range truth {
		for j := range i {
			if truth[i] == truth[j] || shown[i] == shown[j] {
				continue
			}
			if (truth[i] < truth[j]) == (shown[i] < shown[j]) {
				good++
			} else {
				bad++
			}
		}
	}
	if good+bad == 0 {
		return 1
	}
	return float64(good-bad) / float64(good+bad)
}

// unsupported counts content words of facts that stand in no message they cite:
// their own and the four before it.
func unsupported(t *transcript, s *memory.State) int {
	missing := 0
	for f := range s.Facts() {
		have := map[string]bool{}
		for k := max(0, f.Source.Seq-4); k <= f.Source.Seq; k++ {
			for w := range contentWords(t.documents[k].Text) {
				have[w] = true
			}
		}
		for w := range contentWords(f.Statement + " " + f.Because + " " + f.Value) {
			if !have[w] {
				missing++
			}
		}
	}
	return missing
}

// contentWords is the set of stems of a text's content words.
func contentWords(text string) map[string]bool {
	out := map[string]bool{}
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			return out
		}
		if !w.Stop {
			out[string(w.Stem)] = true
		}
	}
}

// askAll asks every question and looks in the block and the search hits.
func askAll(t *transcript, s *memory.State, count func(string) int) tally {
	out, index := make(tally), t.index()
	now := t.documents[len(t.documents)-1].SaidAt
	for _, q := range t.questions {
		block := s.Block(2000, count, memory.BlockOptions{First: s.Match(q.text, now, 8), Now: now})
		text := block.Text
		for _, hit := range index.Search(ranking.Query{Text: q.text, At: now, Limit: 10}) {
			text += "\n" + strings.ReplaceAll(t.documents[hit.Seq].Text, "\n", " ")
		}
		out.hit(q.kind, findable, holds(text, q.answer))
	}
	return out
}
