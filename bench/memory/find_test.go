package main

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/ranking"
)

func TestFind(t *testing.T) {
	t.Parallel()
	c := &conversation{documents: make([]ranking.Document, 30)}
	var hits []ranking.Hit
	var tokens []int
	for i := range c.documents {
		c.documents[i].SessionID = "one"
		if i >= 3 {
			c.documents[i].SessionID = "two"
		}
		hits = append(hits, ranking.Hit{Seq: int64(i), SessionID: c.documents[i].SessionID, Score: float64(30 - i)})
		tokens = append(tokens, 100)
	}
	got := find(c, &question{evidence: []int{3, 14}}, hits, tokens)
	want := found{
		recallAt5: 0.5, recallAt10: 0.5, recallAt20: 1, within500: 0.5, within1000: 0.5, within2000: 1, session1: 0, session5: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAUC(t *testing.T) {
	t.Parallel()
	if got := auc([]float64{3, 2}, []float64{1, 2}); math.Abs(got-0.875) > 1e-9 {
		t.Errorf("got %v, want 0.875", got)
	}
}

// TestLearn: the weights go to the feature that tells evidence from the rest,
// and training is repeatable.
func TestLearn(t *testing.T) {
	t.Parallel()
	tr := &training{decay: 5e-4}
	values := func(tells, noise float64) []float64 {
		x := make([]float64, len(modelNames))
		x[0], x[1] = tells, noise
		return x
	}
	for n := range 2 {
		s := set{name: fmt.Sprint(n)}
		for i := range 8 {
			s.lists = append(s.lists, list{
				question: &question{kind: singleHop},
				values:   [][]float64{values(0.2, float64(i%2)), values(0.8, 0.5), values(0.1, float64((i+1)%2))}, wanted: []int{1},
			})
		}
		tr.sets = append(tr.sets, s)
	}
	w := tr.learn("0")
	if w[0] < 1 || math.Abs(w[1]) > w[0]/4 {
		t.Errorf("got weights %v", w)
	}
	if diff := cmp.Diff(w, tr.learn("0")); diff != "" {
		t.Errorf("learnt again (-first +second):\n%s", diff)
	}
}
