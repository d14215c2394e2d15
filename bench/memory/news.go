package main

import (
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/runtest"
)

// newsFitting makes the weights by which a fact answers "what has changed?".
func newsFitting() fitting {
	return fitting{name: "news", file: "internal/recall/news.txt", features: recall.NewsNames(), ridge: even(5), examples: newsExamples}
}

// newsExamples are the facts of all lives at their end. A fact is a yes if its message is
// the newer side of an update.
func newsExamples(lives []life) ([]example, error) {
	own, err := ownLives()
	if err != nil {
		return nil, err
	}
	var out []example
	for _, l := range slices.Concat(lives, own) {
		last := l
		last.Asked = []lifeQuestion{{AskedAt: l.Messages[len(l.Messages)-1].Time}}
		err := eachAsked(&last, func(_ *lifeQuestion, talk *runtest.Talk) error {
			view, done, err := talk.View()
			if err != nil {
				return err
			}
			defer done()
			view.Pick(func(f *memory.Fact, news func() memory.News) bool {
				n := news()
				if f.Kind.Asserted() {
					id := l.Messages[f.Source.Seq].ID
					out = append(out, example{
						scope: l.ID, values: recall.NewsValues(f, n),
						yes: slices.ContainsFunc(l.Updates, func(u lifeUpdate) bool { return u.Newer == id }),
					})
				}
				return false
			})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ID, err)
		}
	}
	return out, nil
}
