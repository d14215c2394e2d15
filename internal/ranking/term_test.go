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
		x := New()
		var want, got [][2]int
		n := int32(-1)
		for range rapid.IntRange(0, 40).Draw(t, "entries") {
			n += rapid.Int32Range(1, 1<<20).Draw(t, "gap")
			count := rapid.IntRange(1, 300).Draw(t, "count")
			for range count {
				x.enter(n, 0, []byte("word"))
			}
			want = append(want, [2]int{int(n), min(count, 255)})
		}
		if len(want) == 0 {
			return
		}
		l := &x.lists[x.terms["word"]]
		for i, d := 0, int32(-1); i < len(l.data); {
			var c float32
			d, c, i = l.next(i, d)
			got = append(got, [2]int{int(d), int(c)})
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
			x.origins = append(x.origins, origin{messageID: int64(i)})
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
