package main

import (
	"os"
	"testing"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/memory"
)

// TestLinkWeights checks that the weights in use tell updates from other pairs about as
// well as their head says.
func TestLinkWeights(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../internal/memory/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitted.ParseForest(string(text), memory.LinkFeatures())
	if err != nil {
		t.Fatal(err)
	}
	lives, err := loadLives("")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := linkExamples(lives)
	if err != nil {
		t.Fatal(err)
	}
	probabilities := make([]float64, len(examples))
	for i := range examples {
		probabilities[i] = float64(fitted.Probability(m.Score(examples[i].values)))
	}
	if got := areaUnder(guesses(examples, probabilities)); got < 0.93 {
		t.Errorf("got an AUC of %.3f, want 0.93: fit again with go run ./bench/memory fit-links -out internal/memory/links.txt", got)
	}
}

// TestLinkChained leaves out pairs that are steps over an update between.
func TestLinkChained(t *testing.T) {
	t.Parallel()
	s := &linkSet{bags: []linkBag{{older: "a", newer: "b"}, {older: "b", newer: "c"}, {older: "c", newer: "d"}, {older: "a", newer: "e", trap: true}}}
	for _, c := range []struct {
		older, newer string
		want         bool
	}{{"a", "c", true}, {"a", "d", true}, {"a", "b", false}, {"a", "e", false}, {"c", "a", false}} {
		if got := s.chained(c.older, c.newer, 0); got != c.want {
			t.Errorf("%s → %s: got %v", c.older, c.newer, got)
		}
	}
}
