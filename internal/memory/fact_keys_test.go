package memory

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
)

// tableOf is a table of some keys, each with a list of its own.
func tableOf(t *testing.T, keys []key) (*keyTable, *piece.Reader) {
	t.Helper()
	var blocks piece.Blocks
	w := piece.NewWriter(factFormat, factSections, blocks.Emit)
	var table keyTableWriter
	for i := range keys {
		table.add(listAt(i))
	}
	if err := table.write(w, withoutErrors(keys)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := piece.Open(t.Context(), blocks, piece.NewCache(1<<30), factFormat)
	if err != nil {
		t.Fatal(err)
	}
	r := p.Read(t.Context())
	out := readKeys(r)
	return &out, r
}

func listAt(i int) piece.List { return piece.List{Offset: uint32(7 * i), Count: uint32(i + 1)} }

// TestKeyTable: each key leads to its own list and another key to none, around fences and the ends
// of blocks, too.
func TestKeyTable(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 13))
	for _, n := range []int{0, 1, 2, fenceStep - 1, fenceStep, fenceStep + 1, 3 * fenceStep, 5000} {
		var keys []key
		for range n {
			keys = append(keys, keyOf(wordKey+keySpace(r.IntN(10)), r.Uint32()))
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		table, reader := tableOf(t, keys)
		w := table.walk()
		for i, k := range keys {
			if got := table.list(k); got != listAt(i) {
				t.Fatalf("%d keys: key %d has the list %v, want %v", n, i, got, listAt(i))
			}
			for _, other := range []key{k - 1, k + 1} {
				if _, there := slices.BinarySearch(keys, other); !there && table.list(other) != (piece.List{}) {
					t.Fatalf("%d keys: a key beside key %d has a list", n, i)
				}
			}
			if err := w.step(); err != nil || w.ended || w.key != k || w.list != listAt(i) {
				t.Fatalf("%d keys: step %d leads to %d with %v: %v", n, i, w.key, w.list, err)
			}
		}
		if err := w.step(); err != nil || !w.ended {
			t.Errorf("%d keys: the walk goes on: %v", n, err)
		}
		if err := reader.Err(); err != nil {
			t.Errorf("%d keys: %v", n, err)
		}
	}
}

// TestKeyTableHoldsLittle: a merged piece can have millions of keys, so that few bytes are held of each until the table is
// written.
func TestKeyTableHoldsLittle(t *testing.T) {
	t.Parallel()
	const keys = 200_000
	var table keyTableWriter
	for i := range keys {
		table.add(piece.List{Offset: uint32(3 * i), Count: uint32(1 + i%2)})
	}
	held := 0
	for _, part := range table.held {
		held += cap(part)
	}
	if held > 5*keys/2 {
		t.Errorf("got %d bytes for %d keys", held, keys)
	}
}

// TestKeyTableOutOfOrder: keys that do not rise are damage.
func TestKeyTableOutOfOrder(t *testing.T) {
	t.Parallel()
	table, _ := tableOf(t, []key{keyOf(termKey, 1), keyOf(termKey, 3), keyOf(termKey, 2)})
	w := table.walk()
	var err error
	for err == nil && !w.ended {
		err = w.step()
	}
	if !errors.Is(err, piece.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}
