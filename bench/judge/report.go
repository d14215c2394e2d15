package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// report gathers ratings. It may be added to from several goroutines.
type report struct {
	o    *options
	mu   sync.Mutex
	rows []rated
}

func newReport(o *options) *report { return &report{o: o} }

func (r *report) add(row rated) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows = append(r.rows, row)
	if len(r.rows)%50 == 0 {
		fmt.Fprintf(r.o.progress, "%d questions rated\n", len(r.rows))
	}
}

// names are the categories in the order they are shown.
var names = [...]struct {
	category int
	name     string
}{{1, "multi-hop"}, {2, "temporal"}, {3, "open-domain"}, {4, "single-hop"}, {adversarial, "adversarial"}} // never written

// print writes the table, and what is needed to judge the judge.
func (r *report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "category\tquestions\tright\twrong answers accepted\tunclear\tanswer p50\tp95\ttokens in\tout\tjudge in\tout\t")
	var answerable []rated
	for _, n := range names {
		rows := slices.DeleteFunc(slices.Clone(r.rows), func(x rated) bool { return x.category != n.category })
		line(w, n.name, rows)
		if n.category != adversarial {
			answerable = append(answerable, rows...)
		}
	}
	line(w, "all but adversarial", answerable)
	line(w, "all", r.rows)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nanswers by %s, ratings by %s; tokens per question as the servers report them, 0 if they do not\n", r.o.model, r.o.judge)
	fmt.Fprintf(out, "memory.model %q, memory.embeddings_model %q\n", r.o.memoryModel, r.o.embeddings)
	_, err := fmt.Fprintf(out, "\nthe judge's prompt:\n\n%s", judgePrompt)
	return err
}

// line writes the figures of some questions.
func line(w io.Writer, name string, rows []rated) {
	var right, fooled, controlled, unclear, in, outs, judgeIn, judgeOut int
	took := make([]time.Duration, 0, len(rows))
	for i := range rows {
		x := &rows[i]
		right += count(x.right)
		fooled += count(x.fooled)
		controlled += count(x.controlled)
		unclear += x.unclear
		in, outs = in+x.answer.input, outs+x.answer.output
		judgeIn, judgeOut = judgeIn+x.judgeIn, judgeOut+x.judgeOut
		took = append(took, x.answer.took)
	}
	n := max(1, len(rows))
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%v\t%v\t%d\t%d\t%d\t%d\t\n", name, len(rows), percent(right, len(rows)), percent(fooled, controlled), unclear,
		quantile(took, 0.5), quantile(took, 0.95), in/n, outs/n, judgeIn/n, judgeOut/n)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(part, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))].Round(time.Millisecond)
}
