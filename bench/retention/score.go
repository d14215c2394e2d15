package main

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// result is how one state did with one budget.
type result struct {
	messages, budget int
	fits, total      int
	kept             map[string][2]int // per sort: retained, told
	retained         int
	stale, staleOf   int
	asserted, traps  int
	bothEnds, turned int
	tau              float64
	tokens           int
	unsupported      int
	answered, asked  int
}

// score looks at a block for everything that was planted.
func score(t *transcript, b memory.Block, budget int) result {
	r := result{messages: len(t.documents), budget: budget, kept: map[string][2]int{}, tokens: b.Tokens, total: len(t.items)}
	lines := strings.Split(strings.ToLower(b.Text), "\n")
	words := 0
	for _, it := range t.items {
		words += it.cost
		k := r.kept[it.sort]
		k[1]++
		line, shown := lineWith(lines, it.keys)
		if shown && it.event != nil {
			shown = false
			for day := -it.slack; day <= it.slack; day++ {
				shown = shown || strings.Contains(line, it.event(it.said).AddDate(0, 0, day).Format("2006-01-02"))
			}
		}
		if shown {
			k[0]++
			r.retained++
		}
		r.kept[it.sort] = k
		if it.sort == "update" {
			r.staleOf++
			if isStale(lines, it) {
				r.stale++
			}
		}
		if it.sort == "reverted" && shown {
			r.turned++
			if strings.Contains(line, strings.ToLower(it.ends[0])) && strings.Contains(line, strings.ToLower(it.ends[1])) {
				r.bothEnds++
			}
		}
	}
	r.fits = min(r.total, (budget-60)*len(t.items)/max(1, words))
	for _, it := range t.traps {
		r.traps++
		if _, shown := lineWith(lines, []string{it.marker}); shown {
			r.asserted++
		}
	}
	r.tau = order(t, lines)
	return r
}

// lineWith finds a line that holds all keys.
func lineWith(lines, keys []string) (string, bool) {
	for _, line := range lines {
		all := true
		for _, k := range keys {
			if !strings.Contains(line, strings.ToLower(k)) {
				all = false
				break
			}
		}
		if all {
			return line, true
		}
	}
	return "", false
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

// answerable asks every question and looks in the block and the search hits.
func answerable(t *transcript, s *memory.State, index *ranking.Index, count func(string) int) (answered, asked int) {
	now := t.documents[len(t.documents)-1].SaidAt
	for _, it := range t.items {
		asked++
		block := s.Block(2000, count, memory.BlockOptions{First: s.Match(it.question, now, 8), Now: now})
		found := strings.ToLower(block.Text)
		for _, hit := range index.Search(ranking.Query{Text: it.question, At: now, Limit: 10}) {
			found += "\n" + strings.ReplaceAll(strings.ToLower(t.documents[hit.Seq].Text), "\n", " ")
		}
		all := true
		for _, k := range it.answer {
			all = all && strings.Contains(found, strings.ToLower(k))
		}
		if all {
			answered++
		}
	}
	return answered, asked
}
