package ranking_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// distant is a source each read of which is a round trip, and counts them.
type distant struct {
	blocks        piece.Blocks
	single, trips int
}

func (d *distant) Block(ctx context.Context, n int) ([]byte, error) {
	d.single++
	return d.blocks.Block(ctx, n)
}

func (d *distant) ID() int64 { return 7 }

func (d *distant) Blocks(_ context.Context, wanted []piece.Ref, each func(of piece.Ref, block []byte)) error {
	d.trips++
	for _, of := range wanted {
		each(of, d.blocks[of.Block])
	}
	return nil
}

// TestSearchFromAfar: a first search of a piece that is far away reads its blocks in few round trips,
// and finds what one finds in a piece at hand.
func TestSearchFromAfar(t *testing.T) {
	t.Parallel()
	const messages = 20_000
	near, blocks := written(t, indexOf(chatter(rand.New(rand.NewPCG(20, 9)), messages)), 0, messages)
	for _, text := range questions() {
		source := &distant{blocks: blocks}
		p, err := ranking.OpenPiece(t.Context(), source, piece.NewCache(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		x := over(t, p)
		q := ranking.Query{Text: text, Explain: true, At: day.Add(100 * time.Hour), Undone: func(id int64) bool { return id%7 == 0 }}
		if diff := cmp.Diff(over(t, near).Search(q), x.Search(q)); diff != "" {
			t.Fatalf("%q (-near +far):\n%s", text, diff)
		}
		for id := int64(5); id < 3*messages; id += messages / 10 {
			x.Tainted(id)
		}
		if err := x.Err(); err != nil {
			t.Fatal(err)
		}
		const most = 18
		if source.single+source.trips > most {
			t.Errorf("%q: %d blocks one by one and %d times several of %d, want at most %d together",
				text, source.single, source.trips, len(blocks), most)
		}
	}
}
