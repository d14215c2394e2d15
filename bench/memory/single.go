package main

import (
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/pairtest"
)

// singleFitting makes the weights by which a plain statement of a value ends an older one. It uses the score of the links.
func singleFitting() fitting {
	return fitting{
		name: "single", file: "internal/memory/single.txt", features: memory.SingleFeatures(), ridge: even(singleRidge), examples: singleExamples,
	}
}

const singleRidge = 0.5

// singleExamples are the pairs of statements that the state compares by the values that they give: those of lives, and the
// project's own pairs.
func singleExamples(lives []life) ([]example, error) {
	set, err := linksOf(lives)
	if err != nil {
		return nil, err
	}
	for _, p := range pairtest.Values() {
		set.addValues(&p)
	}
	if err := set.choose(len(memory.LinkFeatures())); err != nil {
		return nil, err
	}
	var out []example
	for i := range set.pairs {
		p := &set.pairs[i]
		if p.single == nil || !p.used() {
			continue
		}
		e := p.example
		if e.values, e.weight = p.single, 1; p.trap {
			e.weight = trapWeight
		}
		out = append(out, e)
	}
	return out, nil
}

// addValues adds pairs of statements of values. Each pair is told alone, on one day.
func (s *linkSet) addValues(p *pairtest.Person) {
	day := time.Date(2025, 4, 8, 9, 0, 0, 0, time.UTC)
	scope := "values " + p.Name
	for i, pair := range p.Pairs {
		id := scope + strconv.Itoa(i)
		s.bags = append(s.bags, linkBag{scope, id + "-was", id + "-now", "", "values", !p.Ends[i]})
		s.tell(scope, []lifeMessage{
			{ID: id + "-was", Time: day, Role: "user", Statement: true, Text: pair.Was},
			{ID: id + "-now", Time: day.Add(time.Minute), Role: "user", Statement: true, Text: pair.Now},
		}, len(s.bags)-1)
	}
}
