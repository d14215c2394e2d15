package recall

import (
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/run"
)

// Weighed is a passage that was weighed for a question, with the values of its features.
type Weighed struct {
	Seq        int64
	Start, End int
	Text       string
	Values     []float32
	Score      float32
}

// Prepare reads the passages for a question once. The function that it returns ranks the
// passages by a score, or by the selector if that is nil, and returns them, best first, with
// the signs by which the best one is judged. The weights of both models are fitted to what
// it returns.
func Prepare(ctx context.Context, ask *run.Question, text string) (func(score func(values []float32) float32) ([]Weighed, []float32, error), error) {
	q := readQuestion(text, ask.Now)
	all, err := find(ctx, ask, q)
	if err != nil {
		return nil, err
	}
	q.measure(all)
	return func(score func(values []float32) float32) ([]Weighed, []float32, error) {
		if len(all) == 0 {
			return nil, nil, nil
		}
		found := slices.Clone(all)
		q.rank(found, score)
		out := make([]Weighed, len(found))
		for i := range found {
			p := &found[i]
			out[i] = Weighed{Seq: p.seq, Start: p.start, End: p.end, Text: p.text, Values: p.values, Score: p.score}
		}
		return out, q.signs(found), nil
	}, nil
}

// FeatureNames are the names of Weighed.Values, and SignNames those of the signs.
func FeatureNames() []string { return featureNames[:] }

// SignNames are the names of the signs.
func SignNames() []string { return signNames[:] }
