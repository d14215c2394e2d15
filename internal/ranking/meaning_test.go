package ranking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// direction is a vector of n numbers.
func direction(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func vectorOf(id int64, direction []float32) ranking.Vector {
	v := ranking.Vector{MessageID: id, SessionID: "s", Root: "s", Seq: id}
	v.Scale, v.Parts, _ = ranking.Quantize(direction)
	return v
}

// TestNear compares with cosines that were not rounded to bytes.
func TestNear(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var m ranking.Meanings
	exact := make(map[int64]float64)
	question := direction(r, 96)
	for id := range int64(500) {
		v := direction(r, 96)
		exact[id] = cosine(question, v)
		m.Add(vectorOf(id, v))
	}
	m.Add(vectorOf(900, direction(r, 12))) // of another length
	hits := m.Near(&ranking.Query{Vector: question, Skip: func(_ session.ID, seq int64) bool { return seq == 7 }}, 20)
	if len(hits) != 20 {
		t.Fatalf("got %d hits, want 20", len(hits))
	}
	for i, h := range hits {
		if math.Abs(h.Score-exact[h.MessageID]) > 0.01 {
			t.Errorf("message %d: got %.4f, want %.4f", h.MessageID, h.Score, exact[h.MessageID])
		}
		if i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("hit %d is nearer than the one before it", i)
		}
	}
	better := 0
	for id, c := range exact {
		if id != 7 && c > hits[19].Score+0.01 {
			better++
		}
	}
	if better > 19 {
		t.Errorf("%d messages are nearer than the last of 20", better)
	}
}

func TestMeaningsAreBounded(t *testing.T) {
	t.Parallel()
	var m ranking.Meanings
	for id := range int64(ranking.MaxMeanings + 10) {
		m.Add(vectorOf(id, []float32{1, float32(id)}))
	}
	m.Add(vectorOf(3, []float32{1, 0})) // older than all that is kept
	if m.Len() != ranking.MaxMeanings || m.Size() <= 0 {
		t.Errorf("got %d of %d bytes", m.Len(), m.Size())
	}
	size := m.Size()
	m.Add(vectorOf(500, []float32{-1, 0})) // again
	if m.Len() != ranking.MaxMeanings || m.Size() != size {
		t.Errorf("got %d of %d bytes, want %d", m.Len(), m.Size(), size)
	}
	if hits := m.Near(&ranking.Query{Vector: []float32{-1, 0}}, 1); len(hits) != 1 || hits[0].MessageID != 500 {
		t.Errorf("got %+v, want the one that was replaced", hits)
	}
	if _, _, ok := ranking.Quantize([]float32{0, 0}); ok {
		t.Error("nothing has a direction")
	}
	if _, _, ok := ranking.Quantize([]float32{float32(math.Inf(1)), 1}); ok {
		t.Error("infinity has a direction")
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	hit := func(id int64, score float64) ranking.Hit { return ranking.Hit{MessageID: id, Score: score} }
	words := []ranking.Hit{hit(1, 5), hit(2, 4), hit(3, 3)}
	near := []ranking.Hit{hit(3, 0.9), hit(9, 0.8), hit(1, 0.7)}
	var many []ranking.Hit
	for id := range int64(8) {
		many = append(many, hit(11+id, 5))
	}
	ids := func(hits []ranking.Hit) []int64 {
		var out []int64
		for i := range hits {
			out = append(out, hits[i].MessageID)
		}
		return out
	}
	for _, c := range []struct {
		name        string
		words, near []ranking.Hit
		limit       int
		want        []int64
	}{
		{"both", words, near, 9, []int64{1, 3, 2, 9}},
		{"at most two", words, near, 2, []int64{1, 3}},
		{"by words alone", words, nil, 9, []int64{1, 2, 3}},
		{"by meaning alone", nil, near, 9, []int64{3, 9, 1}},
		{"nothing", nil, nil, 9, nil},
		{"meaning lifts the eighth by words, and not to the top", many, []ranking.Hit{hit(18, 0.9)}, 9, []int64{11, 12, 18, 13, 14, 15, 16, 17}},
	} {
		if diff := cmp.Diff(c.want, ids(ranking.Fuse(c.words, c.near, c.limit, false))); diff != "" {
			t.Errorf("%s: got (+), want (-):\n%s", c.name, diff)
		}
	}
	got := ranking.Fuse(words, near, 9, true)
	if got[0].Score != 5 || got[3].Score != 3 || len(got[3].Reasons) != 1 || got[3].Reasons[0].Feature != "meaning" || len(words[0].Reasons) != 0 {
		t.Errorf("got %+v", got)
	}
}

func BenchmarkNear(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var m ranking.Meanings
	for id := range int64(ranking.MaxMeanings) {
		m.Add(vectorOf(id, direction(r, 768)))
	}
	question := direction(r, 768)
	for b.Loop() {
		m.Near(&ranking.Query{Vector: question}, ranking.Nearest)
	}
}
