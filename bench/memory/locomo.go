package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// locomo measures how well ranking finds the turns of LoCoMo that answer its
// questions. No model takes part.
func locomo(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	path := flags.String("data", "", "the benchmark's file")
	each := flags.Bool("each", false, "also print every conversation on its own")
	missed := flags.Bool("missed", false, "list the questions whose evidence is not among the first ten")
	among := flags.Int("among", 0, "how often all other conversations are said after each: how recall fares in a long memory")
	var by embeddings
	flags.StringVar(&by.url, "embeddings-url", "", "base URL of a server with embeddings: vectors then count in addition to words")
	flags.StringVar(&by.model, "embeddings-model", "", "the model of that server")
	return func(ctx context.Context, w io.Writer) error {
		conversations, err := load(*path)
		if err != nil {
			return err
		}
		count, err := counter()
		if err != nil {
			return err
		}
		all := newReport()
		for i := range conversations {
			c := crowded(conversations, i, *among)
			note := io.Discard
			if *missed {
				note = w
			}
			near, err := by.of(ctx, &c)
			if err != nil {
				return err
			}
			r := search(&c, near, count, note, *missed)
			if *each {
				fmt.Fprintln(w, c.name)
				r.print(w)
			}
			all.merge(r)
		}
		fmt.Fprintln(w, "all")
		all.print(w)
		return nil
	}
}

// crowded is conversation own with all others said after it, so many times, each
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

// index makes a conversation searchable.
func (c *conversation) index() *ranking.Index {
	x := ranking.New()
	for i := range c.documents {
		x.Add(c.documents[i])
	}
	return x
}

// tokens is what each message takes as a quote.
func (c *conversation) tokens(count func(string) int) []int {
	out := make([]int, len(c.documents))
	for i, d := range c.documents {
		out[i] = count(d.Speaker + ": " + d.Text)
	}
	return out
}

// search asks all questions of a conversation. What is not found is noted.
func search(c *conversation, near *meanings, count func(string) int, note io.Writer, explain bool) *report {
	index, tokens := c.index(), c.tokens(count)
	r := newReport()
	for i := range c.questions {
		q := &c.questions[i]
		hits := index.Search(ranking.Query{Text: q.text, Limit: searchLimit, Explain: explain})
		hits = near.join(hits, i, explain)
		if f := r.record(c, q, hits, tokens); f != nil && f[recallAt10] < 0.999 {
			noteMissed(note, c, q, hits)
		}
	}
	return r
}

// noteMissed shows what ranked before the evidence, and why.
func noteMissed(w io.Writer, c *conversation, q *question, hits []ranking.Hit) {
	fmt.Fprintf(w, "\n%s, %s: %s\n", c.name, q.kind, q.text)
	for rank, h := range hits {
		place, mark := int(h.Seq), "  "
		if slices.Contains(q.evidence, place) {
			mark = "* "
		}
		if rank >= 4 && mark == "  " {
			continue
		}
		d := &c.documents[place]
		fmt.Fprintf(w, "%s%3d %.3f %s: %.110s\n", mark, rank+1, h.Score, d.Speaker, d.Text)
		if rank < 40 {
			for _, reason := range h.Reasons[:min(6, len(h.Reasons))] {
				fmt.Fprintf(w, "        %s %+.3f %s\n", reason.Feature, reason.Weight, reason.Detail)
			}
		}
	}
}

// report is the table of what was found.
type report struct {
	tally
	tops [2][]float64 // first scores of questions with an answer, and of adversarial ones
}

func newReport() *report { return &report{tally: make(tally)} }

// record enters a question; nil if it has no evidence to find.
func (r *report) record(c *conversation, q *question, hits []ranking.Hit, tokens []int) found {
	top, kind := 0.0, 0
	if len(hits) > 0 {
		top = hits[0].Score
	}
	if q.kind == adversarial {
		kind = 1
	}
	r.tops[kind] = append(r.tops[kind], top)
	if q.kind == adversarial || len(q.evidence) == 0 {
		return nil
	}
	f := find(c, q, hits, tokens)
	for measure, v := range f {
		r.add(q.kind, measure, v)
	}
	return f
}

func (r *report) merge(o *report) {
	r.tally.merge(o.tally)
	for i := range r.tops {
		r.tops[i] = append(r.tops[i], o.tops[i]...)
	}
}

// print writes the table: percent, the mean over questions.
func (r *report) print(w io.Writer) {
	measures := []string{recallAt5, recallAt10, recallAt20, within500, within1000, within2000, session1, session5}
	head := []any{"", "n"}
	for _, m := range measures {
		head = append(head, m)
	}
	fmt.Fprintf(w, "%-12s %5s %6s %6s %6s %7s %7s %7s %6s %6s\n", head...)
	line := func(name string, kinds ...string) {
		row := []any{name, r.of(recallAt5, kinds...).of}
		for _, m := range measures {
			row = append(row, 100*r.of(m, kinds...).mean())
		}
		fmt.Fprintf(w, "%-12s %5d %6.1f %6.1f %6.1f %7.1f %7.1f %7.1f %6.1f %6.1f\n", row...)
	}
	for _, kind := range answerable() {
		line(kind, kind)
	}
	line("all four", answerable()...)
	fmt.Fprintf(w, "abstention on %d adversarial questions, AUC of the first score: %.3f\n\n", len(r.tops[1]), auc(r.tops[0], r.tops[1]))
}
