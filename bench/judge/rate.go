package main

import (
	"context"
	_ "embed" // the prompts
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed ask.txt
var askPrompt string

//go:embed judge.txt
var judgePrompt string

// rated is a question with what became of it.
type rated struct {
	category      int
	right         bool // the judge accepts the answer
	fooled        bool // the judge accepts the wrong answer
	controlled    bool // there was a wrong answer to try
	unclear       int  // ratings that were neither yes nor no
	answer        reply
	judgeIn       int
	judgeOut      int
	question      string
	given, wanted string
}

// unknown is what is right to say of what was never told.
const unknown = "(The conversation does not say; the right answer is to say so.)"

// rate asks a question and has two answers rated: the one given, and a wrong one.
func (c *client) rate(ctx context.Context, s *sample, k int) (rated, error) {
	q := &s.questions[k]
	a, err := c.ask(ctx, s, q)
	if err != nil {
		return rated{}, fmt.Errorf("ask: %w", err)
	}
	r := rated{category: q.category, answer: a, question: q.text, given: a.text, wanted: q.answer}
	if q.category == adversarial {
		r.wanted = unknown
	}
	if r.right, err = c.verdict(ctx, &r, a.text); err != nil {
		return r, err
	}
	if q.wrong != "" {
		r.controlled = true
		r.fooled, err = c.verdict(ctx, &r, q.wrong)
	}
	return r, err
}

// verdict asks the judge whether an answer is right.
func (c *client) verdict(ctx context.Context, r *rated, answer string) (bool, error) {
	v, err := c.chat(ctx, c.o.upstream, c.o.key, c.o.judge, nil, judgePrompt,
		fmt.Sprintf("Question: %s\nExpected answer: %s\nAnswer to rate: %s", r.question, r.wanted, answer))
	if err != nil {
		return false, fmt.Errorf("judge: %w", err)
	}
	r.judgeIn += v.input
	r.judgeOut += v.output
	right, clear := parseVerdict(v.text)
	if !clear {
		r.unclear++
	}
	return right, nil
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
