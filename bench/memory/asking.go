package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// asking is one question with the passages that were weighed for it.
type asking struct {
	scope    string
	told     bool
	ask      func(score func([]float32) float32) ([]recall.Weighed, []float32, error)
	passages []recall.Weighed
	right    []bool // of each passage: it answers
}

// weighed asks recall for the passages of every question of the lives and of our rounds.
func weighed(lives []life) ([]asking, error) {
	own, err := ownLives()
	if err != nil {
		return nil, err
	}
	lives = append(slices.Clone(lives), own...)
	var out []asking
	for i := range lives {
		more, err := weighedLife(&lives[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lives[i].ID, err)
		}
		out = append(out, more...)
	}
	for i := range runtest.Scopes {
		more, err := weighedScope(&runtest.Scopes[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", runtest.Scopes[i].Name, err)
		}
		out = append(out, more...)
	}
	for _, r := range ourRounds() {
		more, err := weighedRound(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		out = append(out, more...)
	}
	return out, nil
}

func weighedLife(l *life) ([]asking, error) {
	var out []asking
	err := eachAsked(l, func(q *lifeQuestion, talk *runtest.Talk) error {
		a := asking{scope: l.ID, told: q.Told}
		err := a.weigh(talk, q.Question, func(w *recall.Weighed) (bool, error) {
			return q.answeredIn(l, w)
		})
		out = append(out, a)
		return err
	})
	return out, err
}

// answeredIn reports whether a passage of a life answers the question. If the answer is a
// list or an order, any part of the evidence does.
func (q *lifeQuestion) answeredIn(l *life, w *recall.Weighed) (bool, error) {
	m := &l.Messages[w.Seq]
	if !slices.Contains(q.Evidence, m.ID) {
		return false, nil
	}
	text := m.Time.Format("on 2 January 2006: ") + w.Text
	has, err := q.answeredBy(text)
	if err != nil || !has {
		return q.wantsSeveral(), err
	}
	bad, err := countOf(q.MustNot, text)
	return bad == 0 || q.QuotesStale, err
}

// wantsSeveral reports whether a right answer has several parts.
func (q *lifeQuestion) wantsSeveral() bool {
	return len(q.MustAll) > 0 || q.Kind == "order" && len(q.Evidence) > 1
}

func weighedRound(r aRound) ([]asking, error) {
	conversations, err := parse(r.text)
	if err != nil {
		return nil, err
	}
	var out []asking
	for i := range conversations {
		k, err := conversations[i].play(r.turns)
		if err != nil {
			return nil, err
		}
		for _, q := range conversations[i].questions {
			a := asking{scope: r.name, told: q.kind != never}
			err := a.weigh(k, q.text, func(w *recall.Weighed) (bool, error) {
				return holds(w.Text, q.answer), nil
			})
			if err != nil {
				return nil, err
			}
			out = append(out, a)
		}
	}
	return out, nil
}

func weighedScope(s *runtest.Scope) ([]asking, error) {
	k := runtest.NewTalk(session.ID(s.Name), time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC))
	for _, one := range s.Told {
		if _, _, err := k.Learn(session.User, "", one.Said); err != nil {
			return nil, err
		}
		k.Now = k.Now.Add(24 * time.Hour)
	}
	var out []asking
	ask := func(text, want string) error {
		a := asking{scope: s.Name, told: want != ""}
		err := a.weigh(k, text, func(w *recall.Weighed) (bool, error) {
			return strings.Contains(w.Text, want), nil
		})
		out = append(out, a)
		return err
	}
	for _, one := range s.Told {
		if one.Question != "" && one.Want != "" {
			if err := ask(one.Question, one.Want); err != nil {
				return nil, err
			}
		}
	}
	for _, text := range s.Never {
		if err := ask(text, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// weigh asks, and rates every passage.
func (a *asking) weigh(k *runtest.Talk, text string, rate func(*recall.Weighed) (bool, error)) error {
	prompt, done, err := k.Question(text)
	if err != nil {
		return err
	}
	defer done()
	if a.ask, err = recall.Prepare(context.Background(), prompt.Question, text); err != nil {
		return err
	}
	if a.passages, _, err = a.ask(nil); err != nil {
		return err
	}
	for i := range a.passages {
		right, err := rate(&a.passages[i])
		if err != nil {
			return err
		}
		a.right = append(a.right, right && a.told)
	}
	return nil
}
