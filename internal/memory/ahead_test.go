package memory

import (
	"context"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
)

// distant is a piece each read of which is a round trip, and counts them.
type distant struct {
	blocks        piece.Blocks
	single, trips int
}

func (d *distant) Block(ctx context.Context, n int) ([]byte, error) {
	d.single++
	return d.blocks.Block(ctx, n)
}

func (d *distant) Blocks(_ context.Context, numbers []int, each func(n int, block []byte)) error {
	d.trips++
	for _, n := range numbers {
		each(n, d.blocks[n])
	}
	return nil
}

// distantRows are facts each read of which is a round trip, and count them.
type distantRows struct {
	*rows
	trips int
}

func (r *distantRows) FactsNamed(ctx context.Context, o owner.Owner, scope Scope, ids []FactID) ([]StoredFact, error) {
	r.trips++
	return r.rows.FactsNamed(ctx, o, scope, ids)
}

// TestTurnFromAfar: the first turn of a scope that is far away reads blocks and facts in few round
// trips, and learns, answers and shows what it does with all facts at hand.
func TestTurnFromAfar(t *testing.T) {
	t.Parallel()
	const messages = 6000
	whole, kept := NewState(), newRows()
	for n := range int64(messages) {
		kept.write(whole.Learn(Distill(dense(n+1), nil)))
	}
	var blocks piece.Blocks
	if err := whole.writeFacts(len(whole.order), blocks.Emit); err != nil {
		t.Fatal(err)
	}
	far, facts := &distant{blocks: blocks}, &distantRows{rows: kept}
	p, err := piece.Open(t.Context(), far, piece.NewCache(1<<30), factFormat)
	if err != nil {
		t.Fatal(err)
	}
	on := &stored{source: &source{ctx: t.Context(), store: facts, far: true}}
	all := Span{First: 1, Last: messages}
	on.parts = []factPart{{Piece{Span: all, Count: len(whole.order)}, readFacts(t.Context(), p), p}}
	partly := NewState()
	partly.rest(on, on.last())
	d := dense(messages + 1)
	learnt := Distill(d, nil)
	if diff := gocmp.Diff(whole.Learn(learnt), partly.Learn(learnt)); diff != "" {
		t.Fatalf("learnt (-at hand +far):\n%s", diff)
	}
	options := BlockOptions{First: whole.Match(d.Text, d.SaidAt, 10), Now: d.SaidAt}
	if diff := gocmp.Diff(options.First, partly.Match(d.Text, d.SaidAt, 10)); diff != "" {
		t.Fatalf("found (-at hand +far):\n%s", diff)
	}
	if diff := gocmp.Diff(whole.Block(1000, quarter, options), partly.Block(1000, quarter, options)); diff != "" {
		t.Fatalf("shown (-at hand +far):\n%s", diff)
	}
	if err := on.failed(); err != nil {
		t.Fatal(err)
	}
	if got := far.single + far.trips; got > 24 {
		t.Errorf("%d blocks one by one and %d times several of %d, want at most 24 together", far.single, far.trips, len(blocks))
	}
	if facts.trips > 2*linkedDeep {
		t.Errorf("facts were read by their names %d times", facts.trips)
	}
}
