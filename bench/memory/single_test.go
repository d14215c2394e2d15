package main

import (
	"os"
	"testing"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/memory"
)

// TestSingleWeights checks that the weights in use tell other values of one thing from values that hold at once.
func TestSingleWeights(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../internal/memory/single.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitted.Parse(string(text), memory.SingleFeatures())
	if err != nil {
		t.Fatal(err)
	}
	lives, err := loadLives("")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := singleExamples(lives)
	if err != nil {
		t.Fatal(err)
	}
	probabilities := make([]float64, len(examples))
	for i := range examples {
		probabilities[i] = float64(fitted.Probability(m.Score(examples[i].values)))
	}
	if got := areaUnder(guesses(examples, probabilities)); got < 0.97 {
		t.Errorf("got an AUC of %.3f, want 0.97: fit again with go run ./bench/memory fit-single -out internal/memory/single.txt", got)
	}
}
