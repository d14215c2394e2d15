package memory

import (
	"context"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
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

func (d *distant) ID() int64 { return 7 }

func (d *distant) Blocks(_ context.Context, wanted []piece.Ref, each func(of piece.Ref, block []byte)) error {
	d.trips++
	for _, of := range wanted {
		each(of, d.blocks[of.Block])
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
	whole, on := farAway(t, messages, dense)
	partly := NewState()
	partly.rest(on.stored, on.last())
	d := dense(messages + 1)
	learnt := Distill(d, nil)
	if diff := gocmp.Diff(whole.Learn(learnt), partly.Learn(learnt)); diff != "" {
		t.Fatalf("learnt (-at hand +far):\n%s", diff)
	}
	options := BlockOptions{First: whole.Match(d.Text, d.SaidAt, 10), Now: d.SaidAt}
	if diff := gocmp.Diff(options.First, partly.Match(d.Text, d.SaidAt, 10)); diff != "" {
		t.Fatalf("found (-at hand +far):\n%s", diff)
	}
	if diff := gocmp.Diff(options.First, partly.Match(d.Text, d.SaidAt, 10)); diff != "" {
		t.Fatalf("found by words that were looked up before (-at hand +far):\n%s", diff)
	}
	if diff := gocmp.Diff(whole.Block(1000, quarter, options), partly.Block(1000, quarter, options)); diff != "" {
		t.Fatalf("shown (-at hand +far):\n%s", diff)
	}
	if err := on.failed(); err != nil {
		t.Fatal(err)
	}
	if got := on.pieces.single + on.pieces.trips; got > 24 {
		t.Errorf("%d blocks one by one and %d times several of %d, want at most 24 together", on.pieces.single, on.pieces.trips, len(on.pieces.blocks))
	}
	if on.rows.trips > 2*linkedDeep {
		t.Errorf("facts were read by their names %d times", on.rows.trips)
	}
}

// afar is the archive of a scope that is far away, with the counts of what was read.
type afar struct {
	*stored
	pieces *distant
	rows   *distantRows
}

// farAway returns a state that has learnt some messages, and the same facts far away.
func farAway(t *testing.T, messages int64, text func(n int64) ranking.Document) (*State, afar) {
	t.Helper()
	whole, kept := NewState(), newRows()
	for n := range messages {
		kept.write(whole.Learn(Distill(text(n+1), nil)))
	}
	on := afar{pieces: &distant{}, rows: &distantRows{rows: kept}}
	if err := whole.writeFacts(len(whole.order), on.pieces.blocks.Emit); err != nil {
		t.Fatal(err)
	}
	p, err := piece.Open(t.Context(), on.pieces, piece.NewCache(1<<30), factFormat)
	if err != nil {
		t.Fatal(err)
	}
	on.stored = &stored{source: &source{ctx: t.Context(), store: on.rows, far: true}}
	on.parts = []factPart{{Piece{Span: Span{First: 1, Last: messages}, Count: len(whole.order)}, readFacts(t.Context(), p), p}}
	return whole, on
}

// TestChangesFromAfar: the facts that replaced those which answer a question are read in few round
// trips.
func TestChangesFromAfar(t *testing.T) {
	t.Parallel()
	whole, on := farAway(t, 6000, dense)
	partly := NewState()
	partly.rest(on.stored, on.last())
	options := BlockOptions{Now: firstDay}
	for _, n := range whole.order {
		if k := whole.held[n]; k.SupersededBy != "" && len(options.First) < 60 {
			options.First = append(options.First, k.ID)
		}
	}
	if diff := gocmp.Diff(whole.Block(2000, quarter, options), partly.Block(2000, quarter, options)); diff != "" {
		t.Fatalf("shown (-at hand +far):\n%s", diff)
	}
	if on.rows.trips > len(options.First) {
		t.Errorf("facts were read by their names %d times", on.rows.trips)
	}
}

// samePiece is a store far away that has the same piece under all ids.
type samePiece struct {
	Archive
	distant
}

func (s *samePiece) PieceBlock(ctx context.Context, _ owner.Owner, _ PieceID, n int) ([]byte, error) {
	return s.Block(ctx, n)
}

func (s *samePiece) PieceBlocks(ctx context.Context, _ owner.Owner, wanted []piece.Ref) (map[piece.Ref][]byte, error) {
	found := make(map[piece.Ref][]byte)
	err := s.Blocks(ctx, wanted, func(of piece.Ref, block []byte) { found[of] = block })
	return found, err
}

// TestOpeningFromAfar: what the opening of all pieces of a scope reads comes in two round trips, and
// pieces that are open are not read again.
func TestOpeningFromAfar(t *testing.T) {
	t.Parallel()
	whole, kept := NewState(), newRows()
	for n := range int64(2000) {
		kept.write(whole.Learn(Distill(dense(n+1), nil)))
	}
	store := &samePiece{}
	if err := whole.writeFacts(len(whole.order), store.blocks.Emit); err != nil {
		t.Fatal(err)
	}
	m := &Manifest{}
	for n := range int64(5) {
		m.Pieces = append(m.Pieces, Piece{ID: PieceID(n + 1), Kind: FactPiece, Format: factFormat, Span: Span{First: min(n, 1) * (2000*n + 1), Last: 2000 * (n + 1)}})
	}
	from, cache := &source{ctx: t.Context(), store: store, far: true}, piece.NewCache(1<<30)
	a, err := openStored(from, cache, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.parts) != len(m.Pieces) || store.trips > 2 || store.single > 0 {
		t.Errorf("%d pieces were opened with %d round trips and %d single blocks", len(a.parts), store.trips, store.single)
	}
	k := keyOf(kindKey, uint32(whole.held[whole.order[0]].kind))
	if got, want := a.count(k), len(m.Pieces)*whole.count(k); got != want {
		t.Errorf("%d facts have the key, want %d", got, want)
	}
	store.trips, store.single = 0, 0
	if _, err := openStored(from, cache, m, a); err != nil || store.trips+store.single > 0 {
		t.Errorf("open pieces were read again: %d and %d times: %v", store.trips, store.single, err)
	}
}
