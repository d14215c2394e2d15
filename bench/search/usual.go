package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// perKind is how many queries of each kind are asked, and again how often: the
// best time of a query counts, because others use the machine as well.
const perKind, again = 50, 5

// kinds make queries out of the words of a message.
func kinds() []struct {
	name string
	make func(r *rand.Rand, telling, all []string) string
} {
	return []struct {
		name string
		make func(r *rand.Rand, telling, all []string) string
	}{
		{"one word", func(r *rand.Rand, t, _ []string) string { return pick(r, t) }},
		{"two words of one message", func(r *rand.Rand, t, _ []string) string { return pick(r, t) + " " + pick(r, t) }},
		{"three words of one message", func(r *rand.Rand, t, _ []string) string { return pick(r, t) + " " + pick(r, t) + " " + pick(r, t) }},
		{"a phrase of two words", func(r *rand.Rand, _, all []string) string {
			i := r.IntN(len(all) - 1)
			return `"` + all[i] + " " + all[i+1] + `"`
		}},
		{"either of two words", func(r *rand.Rand, t, _ []string) string { return pick(r, t) + " OR " + pick(r, t) }},
		{"a word without another", func(r *rand.Rand, t, _ []string) string { return pick(r, t) + " NOT " + pick(r, t) }},
		{"a beginning of four letters", func(r *rand.Rand, t, _ []string) string {
			w := pick(r, t)
			return w[:min(len(w), 4)] + "*"
		}},
	}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// usual measures queries as people ask them.
func usual(ctx context.Context, db *sqlite.DB, c *corpus, n int) error {
	r := rand.New(rand.NewPCG(c.seed, 1<<40))
	rare := make(map[string]bool)
	for _, w := range c.words[common:] {
		rare[w] = true
	}
	var everything []time.Duration
	fmt.Printf("| query | p50 | p95 | slowest | CPU, mean | hits |\n|---|---|---|---|---|---|\n")
	start := cpu()
	for _, k := range kinds() {
		var queries []string
		for len(queries) < perKind {
			i := r.IntN(n)
			all := c.message(i)
			telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !rare[w] || len(w) < 3 })
			if chinese(i) || len(telling) < 4 {
				continue
			}
			queries = append(queries, k.make(r, telling, all))
		}
		took, err := ask(ctx, db, k.name, queries)
		if err != nil {
			return err
		}
		everything = append(everything, took...)
	}
	var queries []string
	for range perKind {
		all := c.message(r.IntN(n/oneIn)*oneIn + oneIn - 1)
		i := r.IntN(len(all) - 1)
		queries = append(queries, all[i]+all[i+1])
	}
	took, err := ask(ctx, db, "two Chinese characters", queries)
	if err != nil {
		return err
	}
	everything = append(everything, took...)
	slices.Sort(everything)
	fmt.Printf("| **all** | **%s** | %s | | %s | |\n", ms(at(everything, 50)), ms(at(everything, 95)),
		ms((cpu()-start)/time.Duration(len(everything)*again)))
	return nil
}

// ask times queries and prints a line.
func ask(ctx context.Context, db *sqlite.DB, name string, queries []string) ([]time.Duration, error) {
	best := make([]time.Duration, len(queries))
	hits, refused, slowest, spent := 0, 0, time.Duration(0), cpu()
	for round := range again {
		for i, q := range queries {
			start := time.Now()
			found, err := search1(ctx, db, q)
			if fault.KindOf(err) == fault.Invalid { // too much to answer in time
				refused++
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", q, err)
			}
			took := time.Since(start)
			if slowest = max(slowest, took); round == 0 || took < best[i] {
				best[i] = took
			}
			hits += len(found.Hits)
		}
	}
	spent = cpu() - spent
	slices.Sort(best)
	n := len(best) * again
	if refused > 0 {
		name += fmt.Sprintf(" (%d of %d refused)", refused, n)
	}
	fmt.Printf("| %s | %s | %s | %s | %s | %.1f |\n", name, ms(at(best, 50)), ms(at(best, 95)), ms(slowest),
		ms(spent/time.Duration(n)), float64(hits)/float64(n))
	return best, nil
}

func search1(ctx context.Context, db *sqlite.DB, query string) (search.Found, error) {
	q, err := search.Parse(query)
	if err != nil {
		return search.Found{}, err
	}
	return db.Search(ctx, owner.Local(), search.Request{Query: q, Scope: search.Scope{All: true}, Limit: 20})
}

// at is a percentile of sorted times.
func at(sorted []time.Duration, percent int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
