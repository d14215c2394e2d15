package ranking

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTermList is a property: what is entered is read back, whatever the gaps
// and counts.
func TestTermList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, bytes := termList{last: -1}, int64(0)
		var want, got [][2]int
		n := int32(-1)
		for range rapid.IntRange(0, 40).Draw(t, "entries") {
			n += rapid.Int32Range(1, 1<<20).Draw(t, "gap")
			count := rapid.IntRange(1, 300).Draw(t, "count")
			for range count {
				l.enter(n, &bytes)
			}
			want = append(want, [2]int{int(n), min(count, 255)})
		}
		if len(want) == 0 {
			return
		}
		for _, p := range l.read(nil, 0, 0) {
			got = append(got, [2]int{int(p.doc), int(p.count)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestKeep is a property: the heap keeps what sorting would.
func TestKeep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.Int32Range(0, 20)).Draw(t, "scores")
		n := rapid.IntRange(1, 12).Draw(t, "n")
		x := New()
		var kept []rough
		var sum, want float32
		for i, s := range scores {
			x.Add(Document{MessageID: int64(i)})
			kept = x.keep(kept, rough{doc: int32(i), score: float32(s)}, n)
		}
		for _, r := range kept {
			sum += r.score
		}
		rest := append([]int32(nil), scores...)
		for range min(n, len(scores)) {
			best := 0
			for i := range rest {
				if rest[i] > rest[best] {
					best = i
				}
			}
			want += float32(rest[best])
			rest[best] = -1
		}
		if len(kept) != min(n, len(scores)) || sum != want {
			t.Fatalf("kept %v of %v", kept, scores)
		}
	})
}
