package main

import (
	"context"
	_ "embed" // the prompts
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

//go:embed ask.txt
var askPrompt string

//go:embed judge.txt
var judgePrompt string

// The measures of a question put to a model, next to right.
const (
	fooled    = "wrong answers accepted"
	unclear   = "unclear" // ratings that were neither yes nor no
	tokensIn  = "tokens in"
	tokensOut = "out"
	judgeIn   = "judge in"
	judgeOut  = "judge out"
)

// unsaid is what is right to say of what was never told.
const unsaid = "(The conversation does not say; the right answer is to say so.)"

// rated is what became of one question.
type rated struct {
	figures map[string]float64
	took    time.Duration
}

// rate asks a question and has two answers rated: the one given, and a wrong one.
func (c *client) rate(ctx context.Context, s *conversation, q *question) (rated, error) {
	a, err := c.ask(ctx, s, q)
	if err != nil {
		return rated{}, fmt.Errorf("ask: %w", err)
	}
	r := rated{took: a.took, figures: map[string]float64{
		tokensIn: float64(a.input), tokensOut: float64(a.output), judgeIn: 0, judgeOut: 0, unclear: 0,
	}}
	if err = c.verdict(ctx, r.figures, q, right, a.text); err == nil && q.wrong != "" {
		err = c.verdict(ctx, r.figures, q, fooled, q.wrong)
	}
	return r, err
}

// verdict asks the judge whether an answer is right, and enters it as a measure.
func (c *client) verdict(ctx context.Context, figures map[string]float64, q *question, measure, answer string) error {
	wanted := q.expected()
	if q.kind == adversarial {
		wanted = unsaid
	}
	v, err := c.chat(ctx, c.o.upstream, c.o.key, c.o.judge, nil, judgePrompt,
		fmt.Sprintf("Question: %s\nExpected answer: %s\nAnswer to rate: %s", q.text, wanted, answer))
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	figures[judgeIn] += float64(v.input)
	figures[judgeOut] += float64(v.output)
	yes, clear := parseVerdict(v.text)
	if figures[measure] = 0; yes {
		figures[measure] = 1
	}
	if !clear {
		figures[unclear]++
	}
	return nil
}

// parseVerdict reads the judge's JSON. What is neither yes nor no counts as no.
func parseVerdict(text string) (right, clear bool) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return false, false
	}
	var v struct {
		Correct *bool `json:"correct"`
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), &v); err != nil || v.Correct == nil {
		return false, false
	}
	return *v.Correct, true
}

// ratings gathers what was rated, from several goroutines.
type ratings struct {
	o     *options
	mu    sync.Mutex
	tally tally
	took  map[string][]time.Duration
	count int
}

func (r *ratings) enter(kind string, one rated) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for measure, v := range one.figures {
		r.tally.add(kind, measure, v)
	}
	r.took[kind] = append(r.took[kind], one.took)
	if r.count++; r.count%50 == 0 {
		fmt.Fprintf(r.o.progress, "%d questions rated\n", r.count)
	}
}

// print writes the table, and what is needed to judge the judge.
func (r *ratings) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "category\tquestions\tright\twrong answers accepted\tunclear\tanswer p50\tp95\ttokens in\tout\tjudge in\tout\t")
	everything := append(answerable(), adversarial)
	for _, kind := range everything {
		r.line(w, kind, kind)
	}
	r.line(w, "all but adversarial", answerable()...)
	r.line(w, "all", everything...)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nanswers by %s, ratings by %s; tokens per question as the servers report them, 0 if they do not\n", r.o.model, r.o.judge)
	fmt.Fprintf(out, "memory.model %q, memory.embeddings_model %q\n", r.o.memoryModel, r.o.embeddings)
	_, err := fmt.Fprintf(out, "\nthe judge's prompt:\n\n%s", judgePrompt)
	return err
}

// line writes the figures of some kinds of questions.
func (r *ratings) line(w io.Writer, name string, kinds ...string) {
	var took []time.Duration
	for _, kind := range kinds {
		took = append(took, r.took[kind]...)
	}
	of := func(measure string) figure { return r.tally.of(measure, kinds...) }
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.0f\t%v\t%v\t", name, len(took), of(right).percent(), of(fooled).percent(), of(unclear).sum,
		quantile(took, 0.5), quantile(took, 0.95))
	for _, measure := range []string{tokensIn, tokensOut, judgeIn, judgeOut} {
		fmt.Fprintf(w, "%d\t", int(of(measure).mean()))
	}
	fmt.Fprintln(w)
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))].Round(time.Millisecond)
}
