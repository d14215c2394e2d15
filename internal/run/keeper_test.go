package run_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestPiecesOfViewsInUse: from a view in use the keeper makes the pieces that it makes from
// the store, byte for byte.
func TestPiecesOfViewsInUse(t *testing.T) {
	t.Parallel()
	for _, key := range []session.Key{"", "key"} {
		h := setup(t, 4000)
		for i := range 30 {
			h.mustTurn(&run.Request{Session: "s", Key: key, Messages: user(keptText(i))})
		}
		scope := memory.Scope{Key: key}
		if key == "" {
			scope.Root = "s"
		}
		reads := &textless{Archive: h.db}
		used := h.pieces(h.views, scope)
		dropped := memory.NewViews(reads, 64<<20)
		if diff := cmp.Diff(h.pieces(dropped, scope), used); diff != "" {
			t.Errorf("key %q: from the view (+), from the store (-):\n%s", key, diff)
		}
		if len(used) != 2 || reads.texts == 0 {
			t.Errorf("key %q: got %d kinds of pieces and %d texts read, want 2 and some", key, len(used), reads.texts)
		}
	}
}

// TestPiecesOfViewsReadNoTexts: the keeper reads no texts while the scope is in use, not
// even when it has made pieces before. A scope with a key is read before its first message.
func TestPiecesOfViewsReadNoTexts(t *testing.T) {
	t.Parallel()
	for _, scope := range []memory.Scope{{Root: "s"}, {Key: "key"}} {
		h := setup(t, 4000)
		reads := &textless{Archive: h.db}
		h.views = memory.NewViews(reads, 64<<20)
		h.runner = h.runs(run.Config{}, nil)
		keeper := smallKeeper(h.views)
		for i := range 30 {
			h.mustTurn(&run.Request{Session: "s", Key: scope.Key, Messages: user(keptText(i))})
			before := reads.texts
			if err := keeper.Keep(t.Context(), owner.Local(), scope); err != nil {
				t.Fatal(err)
			}
			if reads.texts > before {
				t.Fatalf("%+v, turn %d: got %d texts read, want none", scope, i, reads.texts-before)
			}
		}
		m, err := h.db.Manifest(t.Context(), owner.Local(), scope)
		if err != nil || len(m.Run(memory.MessagePiece)) < 2 || len(m.Run(memory.FactPiece)) < 2 {
			t.Errorf("%+v: got the pieces %+v and %v, want several of each kind", scope, m.Pieces, err)
		}
	}
}

func keptText(i int) string {
	return fmt.Sprintf("We use tool%d for the part%d because it is fast. I prefer colour%d.", i, i/3, i%5)
}

// smallKeeper makes small pieces.
func smallKeeper(views *memory.Views) *memory.Keeper {
	keeper := memory.NewKeeper(views, slog.New(slog.DiscardHandler))
	keeper.Messages, keeper.Facts = memory.Sizes{Least: 6, Spare: 2}, memory.Sizes{Least: 6, Spare: 2}
	return keeper
}

// pieces are the blocks of the pieces that a keeper makes of a scope, which has none before
// and after.
func (h *house) pieces(views *memory.Views, scope memory.Scope) map[memory.PieceKind][][]byte {
	h.t.Helper()
	ctx, o := context.Background(), owner.Local()
	if err := smallKeeper(views).Keep(ctx, o, scope); err != nil {
		h.t.Fatal(err)
	}
	m, err := h.db.Manifest(ctx, o, scope)
	if err != nil {
		h.t.Fatal(err)
	}
	out := make(map[memory.PieceKind][][]byte)
	for _, p := range m.Pieces {
		for n := range p.Blocks {
			block, err := h.db.PieceBlock(ctx, o, p.ID, n)
			if err != nil {
				h.t.Fatal(err)
			}
			out[p.Kind] = append(out[p.Kind], block)
		}
		out[p.Kind] = append(out[p.Kind], fmt.Append(nil, p.Span, p.Count))
		if err := h.db.DropPieces(ctx, o, []memory.PieceID{p.ID}); err != nil {
			h.t.Fatal(err)
		}
	}
	return out
}

// textless counts how often texts of messages or facts are read to make pieces.
type textless struct {
	memory.Archive
	texts int
}

func (c *textless) Documents(ctx context.Context, o owner.Owner, s memory.Scope, after int64, each func(ranking.Document) bool) error {
	c.texts++
	return c.Archive.Documents(ctx, o, s, after, each)
}

func (c *textless) FactsSince(
	ctx context.Context, o owner.Owner, s memory.Scope, after memory.FactNumber, limit int,
) ([]memory.StoredFact, error) {
	c.texts++
	return c.Archive.FactsSince(ctx, o, s, after, limit)
}
