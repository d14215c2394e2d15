package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// membersFitting makes the weights by which a message belongs to the answer of a question
// that asks for several.
func membersFitting() fitting {
	return fitting{
		name: "members", file: "internal/recall/members.txt", features: recall.MemberNames(), ridge: even(10), examples: memberExamples,
	}
}

// topicsFitting makes the weights by which the members of an answer are told as sure.
func topicsFitting() fitting {
	return fitting{
		name: "topics", file: "internal/recall/topics.txt", features: recall.TopicNames(), ridge: even(2), examples: topicExamples,
	}
}

// memberExamples are the messages that may answer the questions for several things. A
// message is a yes if it is evidence.
func memberExamples(lives []life) ([]example, error) {
	return listed(lives, func(l *life, q *lifeQuestion, found []recall.Member, _ []float32) (out []example) {
		for i := range found {
			if q.Told {
				out = append(out, example{scope: l.ID, values: found[i].Values, yes: slices.Contains(q.Evidence, l.Messages[found[i].Seq].ID)})
			}
		}
		return out
	})
}

// topicExamples are these questions. One is a yes if the best members have evidence.
func topicExamples(lives []life) ([]example, error) {
	const best = 3
	return listed(lives, func(l *life, q *lifeQuestion, found []recall.Member, signs []float32) []example {
		yes := slices.ContainsFunc(found[:min(best, len(found))], func(m recall.Member) bool {
			return slices.Contains(q.Evidence, l.Messages[m.Seq].ID)
		})
		return []example{{scope: l.ID, values: signs, yes: q.Told && yes}}
	})
}

// listed asks the questions for several things of all lives.
func listed(lives []life, each func(*life, *lifeQuestion, []recall.Member, []float32) []example) ([]example, error) {
	own, err := ownLives()
	if err != nil {
		return nil, err
	}
	var out []example
	for _, l := range slices.Concat(lives, own) {
		err := eachAsked(&l, func(q *lifeQuestion, talk *runtest.Talk) error {
			prompt, done, err := talk.Question(q.Question)
			if err != nil {
				return err
			}
			defer done()
			found, signs, err := recall.Members(context.Background(), prompt.Question, q.Question)
			if signs != nil {
				out = append(out, each(&l, q, found, signs)...)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ID, err)
		}
	}
	return out, nil
}

// eachAsked tells a life and stops at each of its questions.
func eachAsked(l *life, ask func(*lifeQuestion, *runtest.Talk) error) error {
	untracked := *l // updates are of no interest here
	untracked.Updates, untracked.NotUpdates = nil, nil
	p := prober{life: &untracked, talk: runtest.NewTalk(session.ID(l.ID), time.Time{})}
	asked := slices.Clone(l.Asked)
	slices.SortStableFunc(asked, func(a, b lifeQuestion) int { return a.AskedAt.Compare(b.AskedAt) })
	for i := range asked {
		if err := p.tellUntil(asked[i].AskedAt); err != nil {
			return err
		}
		p.talk.Now = asked[i].AskedAt
		if err := ask(&asked[i], p.talk); err != nil {
			return fmt.Errorf("%s: %w", asked[i].ID, err)
		}
	}
	return nil
}
