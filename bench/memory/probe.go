package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// probe is all that is measured of one life.
type probe struct {
	Scope    string       `json:"scope"`
	Verdicts []verdict    `json:"verdicts"`
	Updates  []updateSeen `json:"updates"`
	Pairs    []pairSeen   `json:"pairs"`
	End      endSeen      `json:"end"`
}

// prober tells a life in the order of its times, and measures between.
type prober struct {
	life     *life
	talk     *runtest.Talk
	count    func(string) int
	heard    attribution
	outdated []outdatedWords
	next     int // of the messages
	out      probe
}

// probeLife plays a life and returns what was measured.
func probeLife(l *life, count func(string) int) (*probe, error) {
	p := prober{life: l, talk: runtest.NewTalk(session.ID(l.ID), time.Time{}), count: count, out: probe{Scope: l.ID}}
	for i := range l.Updates {
		p.outdated = append(p.outdated, outdatedBy(l, &l.Updates[i])...)
	}
	asked := slices.Clone(l.Asked)
	slices.SortStableFunc(asked, func(a, b lifeQuestion) int { return cmp.Or(a.AskedAt.Compare(b.AskedAt), cmp.Compare(a.ID, b.ID)) })
	for i := range asked {
		if err := p.tellUntil(asked[i].AskedAt); err != nil {
			return nil, err
		}
		if err := p.ask(&asked[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", asked[i].ID, err)
		}
	}
	for p.next < len(l.Messages) {
		if err := p.tell(); err != nil {
			return nil, err
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return &p.out, nil
}

func (p *prober) tellUntil(t time.Time) error {
	for p.next < len(p.life.Messages) && !p.life.Messages[p.next].Time.After(t) {
		if err := p.tell(); err != nil {
			return err
		}
	}
	return nil
}

// tell says the next message.
func (p *prober) tell() error {
	m := &p.life.Messages[p.next]
	p.next++
	p.talk.Now = m.Time
	role := session.User
	if m.Role == "assistant" {
		role = session.Assistant
	}
	p.heard.add(m)
	return p.tellLinks(m, func() error {
		_, _, err := p.talk.Learn(role, "", m.Text)
		return err
	})
}

func (p *prober) ask(q *lifeQuestion) error {
	p.talk.Now = q.AskedAt
	prompt, done, err := p.talk.Question(q.Question)
	if err != nil {
		return err
	}
	defer done()
	answer, _, err := runtest.Answer(prompt)
	if err != nil {
		return err
	}
	v := verdict{Scope: p.life.ID}
	quoted, claimed := p.heard.quoted(answer)
	if err := v.judge(q, answer, quoted, claimed); err != nil {
		return err
	}
	v.Rank = p.rank(q, prompt.Question.View.Search(ranking.Query{Text: q.Question, At: q.AskedAt, Limit: searchLimit}))
	p.out.Verdicts = append(p.out.Verdicts, v)
	return nil
}

// rank is the place of the first evidence among the hits that the user said.
func (p *prober) rank(q *lifeQuestion, hits []ranking.Hit) int {
	rank := 0
	for _, h := range hits {
		m := &p.life.Messages[h.Seq]
		if m.Role != "user" {
			continue
		}
		rank++
		if slices.Contains(q.Evidence, m.ID) {
			return rank
		}
	}
	return 0
}
