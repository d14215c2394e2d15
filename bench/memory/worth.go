package main

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// sentenceRidge draws the weights of signs little and those of the message's meaning much:
// there are a hundred dimensions, and a few thousand messages.
func sentenceRidge() ridge {
	return ridge{few: 3, first: slices.Index(memory.SentenceFeatures(), "v00"), many: 40}
}

// worthFitting makes the weights by which a sentence is kept or not. A sentence is worth
// keeping if the user tells its message. Sentences that other rules take for questions or
// quotations are no examples.
func worthFitting() fitting {
	return fitting{
		name: "worth", file: "internal/memory/worth.txt", features: memory.SentenceFeatures(), ridge: sentenceRidge(),
		examples: sentenceExamples(func(m *labelled, j *memory.Judged) (yes, counts bool) {
			return m.told && !m.isAside(j.Start), j.Asserted
		}),
	}
}

// wishFitting makes the weights by which a sentence is taken for a standing wish.
func wishFitting() fitting {
	return fitting{
		name: "wish", file: "internal/memory/wish.txt", features: memory.SentenceFeatures(), ridge: sentenceRidge(),
		examples: sentenceExamples(func(m *labelled, j *memory.Judged) (yes, counts bool) { return m.wish && !m.isAside(j.Start), true }),
	}
}

// sentenceExamples are the sentences of the messages of users that count. A message counts
// once, however many sentences it has.
func sentenceExamples(label func(*labelled, *memory.Judged) (yes, counts bool)) func([]life) ([]example, error) {
	return func(lives []life) ([]example, error) {
		messages, err := labelledMessages(lives)
		var out []example
		for i := range messages {
			m := &messages[i]
			judged := memory.Judge(ranking.Document{Role: session.User, Text: m.text, SaidAt: m.said})
			for k := range judged {
				if yes, counts := label(m, &judged[k]); counts {
					out = append(out, example{scope: m.scope, values: judged[k].Values, yes: yes, weight: m.weight / float64(len(judged))})
				}
			}
		}
		return out, err
	}
}
