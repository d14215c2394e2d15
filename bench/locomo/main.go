// Command locomo measures how well ranking finds the turns of LoCoMo
// (Maharana et al., 2024) that answer its questions. No model takes part.
//
// The data is licensed CC BY-NC 4.0 and is read from where it lies; the project
// holds no copy.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func main() {
	path := flag.String("data", "../shared/data/locomo-dev.json", "the benchmark's file")
	each := flag.Bool("each", false, "also print every conversation on its own")
	missed := flag.Bool("missed", false, "list the questions whose evidence is not among the first ten")
	among := flag.Int("among", 0, "how often all other conversations are said behind each: how recall fares in a long memory")
	learn := flag.Bool("train", false, "learn the weights anew, leaving one conversation out at a time")
	flag.Parse()
	if err := run(*path, *each, *missed, *learn, *among); err != nil {
		fmt.Fprintln(os.Stderr, "locomo:", err)
		os.Exit(1)
	}
}

func run(path string, each, missed, learn bool, among int) error {
	conversations, err := load(path)
	if err != nil {
		return err
	}
	count, err := newCounter()
	if err != nil {
		return err
	}
	if learn {
		train(os.Stdout, conversations, count, each)
		return nil
	}
	var all report
	for i := range conversations {
		c := crowded(conversations, i, among)
		r := measure(&c, count, missed)
		if each {
			fmt.Printf("%s\n", conversations[i].id)
			r.print(os.Stdout)
		}
		all.add(&r)
	}
	fmt.Println("all")
	all.print(os.Stdout)
	return nil
}

// crowded is conversation own with all others said behind it, so many times, each
// time a year later. Its questions are the same.
func crowded(all []conversation, own, times int) conversation {
	c := all[own]
	c.documents = slices.Clone(c.documents)
	for n := range times {
		for i := range all {
			if i == own {
				continue
			}
			for _, d := range all[i].documents {
				place := int64(len(c.documents))
				d.MessageID, d.Seq, d.SaidAt = place+1, place, d.SaidAt.AddDate(n, 0, 0)
				d.Root = session.ID(fmt.Sprintf("%s, time %d", d.Root, n))
				d.SessionID = session.ID(fmt.Sprintf("%s, time %d", d.SessionID, n))
				c.documents = append(c.documents, d)
			}
		}
	}
	return c
}

// measure asks all questions of a conversation.
func measure(c *conversation, count *counter, missed bool) report {
	index := ranking.New()
	tokens := make([]int, len(c.documents))
	for i := range c.documents {
		index.Add(c.documents[i])
		tokens[i] = count.tokens(c.documents[i].Speaker + ": " + c.documents[i].Text)
	}
	var r report
	for _, q := range c.questions {
		hits := index.Search(ranking.Query{Text: q.text, Limit: searchLimit, Explain: missed})
		o := judge(c, &q, hits, tokens)
		r.record(q.category, &o)
		if missed && q.category != adversarial && o.values[recallAt10] < 0.999 {
			printMissed(c, &q, hits)
		}
	}
	return r
}

// printMissed shows what ranked before the evidence, and why.
func printMissed(c *conversation, q *question, hits []ranking.Hit) {
	fmt.Printf("\n%s, category %d: %s\n", c.id, q.category, q.text)
	for rank, h := range hits {
		place, mark := int(h.Seq), "  "
		for _, e := range q.evidence {
			if e == place {
				mark = "* "
			}
		}
		if rank >= 4 && mark == "  " {
			continue
		}
		d := &c.documents[place]
		fmt.Printf("%s%3d %.3f %s: %.110s\n", mark, rank+1, h.Score, d.Speaker, d.Text)
		if rank < 40 {
			for _, reason := range h.Reasons[:min(6, len(h.Reasons))] {
				fmt.Printf("        %s %+.3f %s\n", reason.Feature, reason.Weight, reason.Detail)
			}
		}
	}
}
