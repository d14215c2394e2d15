package ranking

import (
	"cmp"
	"math"
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// Vector is the embedding of a message.
type Vector struct {
	MessageID int64
	SessionID session.ID
	Root      session.ID
	Seq       int64
	// Parts times Scale is the vector, normalized to length 1.
	Scale float32
	Parts []int8
}

// Quantize converts a vector to a quarter of its bytes. ok is false for a vector
// without direction.
func Quantize(direction []float32) (scale float32, parts []int8, ok bool) {
	var sum, most float64
	for _, f := range direction {
		sum += float64(f) * float64(f)
		most = max(most, math.Abs(float64(f)))
	}
	if most == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, nil, false
	}
	parts = make([]int8, len(direction))
	for i, f := range direction {
		parts[i] = int8(math.Round(float64(f) / most * 127))
	}
	return float32(most / 127 / math.Sqrt(sum)), parts, true
}

// MaxMeanings is how many of a scope's newest messages are compared by vector. The
// comparison reads each of them, so it is bounded.
const MaxMeanings = 10_000

// Meanings compares the messages of one scope with a question by vector. It complements
// [Index], and like it is not safe for concurrent use while it grows.
type Meanings struct {
	rows []Vector // parts share no memory with other parts
	size int64
}

// Add adds a message's vector, or replaces its earlier one. Beyond the bound, the
// oldest message is removed.
func (m *Meanings) Add(v Vector) {
	at, found := slices.BinarySearchFunc(m.rows, v.MessageID, func(r Vector, id int64) int { return cmp.Compare(r.MessageID, id) })
	const row = 96
	if found {
		m.rows[at] = v
		return
	}
	m.rows = slices.Insert(m.rows, at, v)
	m.size += int64(len(v.Parts)) + row
	if len(m.rows) > MaxMeanings {
		m.size -= int64(len(m.rows[0].Parts)) + row
		m.rows = slices.Delete(m.rows, 0, 1)
	}
}

// Len is the number of messages with a vector.
func (m *Meanings) Len() int { return len(m.rows) }

// Size is the approximate size, in bytes.
func (m *Meanings) Size() int64 { return m.size }

// Near returns the messages nearest to a query's vector, nearest first; Score is the
// cosine. Vectors of another length are skipped.
func (m *Meanings) Near(q *Query, limit int) []Hit {
	scale, asked, ok := Quantize(q.Vector)
	if !ok {
		return nil
	}
	hits := make([]Hit, 0, limit+1)
	for i := len(m.rows) - 1; i >= 0; i-- { // newer messages first among equals
		r := &m.rows[i]
		if len(r.Parts) != len(asked) || q.skips(r) {
			continue
		}
		score := float64(dot(asked, r.Parts)) * float64(scale) * float64(r.Scale)
		if len(hits) == limit && score <= hits[limit-1].Score {
			continue
		}
		at, _ := slices.BinarySearchFunc(hits, score, func(h Hit, s float64) int {
			if h.Score >= s {
				return -1
			}
			return 1
		})
		hits = slices.Insert(hits, at, Hit{MessageID: r.MessageID, SessionID: r.SessionID, Root: r.Root, Seq: r.Seq, Score: score})
		hits = hits[:min(len(hits), limit)]
	}
	return hits
}

// skips reports whether a query leaves a message out.
func (q *Query) skips(r *Vector) bool {
	return q.Undone != nil && q.Undone(r.MessageID) || q.Skip != nil && q.Skip(r.Root, r.Seq)
}

// dot is unrolled because the search spends all its time here.
func dot(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]int8)(a), (*[8]int8)(b)
		s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
		s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
		s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
		s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
		a, b = a[8:], b[8:]
	}
	for i := range min(len(a), len(b)) {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

const (
	// fuseFlat keeps the first ranks from deciding alone. meaningWeight is how much a
	// rank by vectors counts against a rank by words. The usual choice, 60 and equal
	// weights, loses 18 of 84 points on LoCoMo, because the learnt ranking by words is
	// the better one of the two. The figures are in docs/appendix/benchmarks.md.
	fuseFlat      = 20
	meaningWeight = 0.2
	// Nearest is how many messages the vectors rank.
	Nearest = 64
)

// Fuse merges two rankings of a question by reciprocal rank: each message gets
// 1/(60+rank) for each list it is in. hits keep their scores and reasons. A message
// found only by vector gets the score of the last hit found by words.
func Fuse(hits, near []Hit, limit int, explain bool) []Hit {
	type place struct {
		hit  Hit
		rank float64
	}
	all := make([]place, 0, len(hits)+len(near))
	at := make(map[int64]int, len(hits)+len(near))
	last := 0.0
	for i := range hits {
		at[hits[i].MessageID] = len(all)
		all = append(all, place{hits[i], 1 / float64(fuseFlat+i+1)})
		last = hits[i].Score
	}
	for i := range near {
		worth := meaningWeight / float64(fuseFlat+i+1)
		n, found := at[near[i].MessageID]
		if !found {
			n = len(all)
			hit := near[i]
			hit.Score = last
			all = append(all, place{hit: hit})
		}
		all[n].rank += worth
		if explain {
			all[n].hit.Reasons = append(slices.Clip(all[n].hit.Reasons), Reason{
				Feature: "meaning", Value: near[i].Score, Weight: worth, Detail: "merged by rank with the words",
			})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(b.rank, a.rank) })
	out := make([]Hit, min(limit, len(all)))
	for i := range out {
		out[i] = all[i].hit
	}
	return out
}
