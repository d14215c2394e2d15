package main

import (
	_ "embed" // plain sentences
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// worthFitting makes the weights by which a sentence is kept or not.
func worthFitting() fitting {
	return fitting{
		name: "worth", file: "internal/memory/worth.txt", features: memory.WorthFeatures(), ridge: 1, examples: worthExamples,
	}
}

//go:embed testdata/plain.txt
var plainSentences string

// plainWeights are how much a plain sentence counts that is a statement, and one that is
// none: less than one of the lives.
var plainWeights = map[bool]float64{true: 0.2, false: 0.5}

// plainExamples are sentences without a life around them.
func plainExamples() []example {
	var out []example
	for line := range strings.Lines(plainSentences) {
		text, yes := strings.CutPrefix(strings.TrimSpace(line), "+ ")
		if !yes {
			var no bool
			if text, no = strings.CutPrefix(text, "- "); !no {
				continue
			}
		}
		for _, j := range memory.Judge(ranking.Document{Role: session.User, Text: text}) {
			if j.Asserted {
				out = append(out, example{scope: "plain", values: j.Values, yes: yes, weight: plainWeights[yes]})
			}
		}
	}
	return out
}

// worthExamples are the sentences of all messages of users, in these and in own lives, that other rules do not take
// for questions or quotations. One is worth keeping if its message is a statement. A
// message counts once, however many sentences it has.
func worthExamples(lives []life) ([]example, error) {
	out := plainExamples()
	own, err := ownLives()
	if err != nil {
		return nil, err
	}
	lives = append(lives[:len(lives):len(lives)], own...)
	for i := range lives {
		l := &lives[i]
		for k := range l.Messages {
			m := &l.Messages[k]
			if m.Role != "user" {
				continue
			}
			judged := memory.Judge(ranking.Document{Role: session.User, Text: m.Text, SaidAt: m.Time})
			for _, j := range judged {
				if j.Asserted {
					out = append(out, example{scope: l.ID, values: j.Values, yes: m.Statement, weight: 1 / float64(len(judged))})
				}
			}
		}
	}
	return out, nil
}
