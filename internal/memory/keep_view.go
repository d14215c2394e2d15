package memory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// A view has the newest messages and facts of its scope in indexes already. The keeper makes
// pieces from these indexes while the scope is in use, and so reads no texts again.
//
// A view may hold messages whose write has failed or is under way, and after an erasure it
// may hold what the store has lost. So the view must have the edition of the manifest, and
// the store must have each message.

// madePiece is a piece that is made and not stored; the zero madePiece is none.
type madePiece struct {
	Piece
	blocks piece.Blocks
}

// take stores a piece that a view has made, if it has made one.
func (k *Keeper) take(from *source, m *Manifest, swap *Swap, made *madePiece, err error) error {
	if err != nil || made.Count == 0 {
		return err
	}
	swap.Remove = append(swap.Remove, m.Beyond(made.Kind)...) // the new piece may overlap them
	return k.store(from, m, made.Piece, swap, each(made.blocks))
}

// newFacts makes a piece of the view's newest facts, if there are enough of them. known is
// false if the view does not tell.
func (v *View) newFacts(m *Manifest, size Sizes) (made madePiece, known bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	run, parts := m.Run(FactPiece), []factPart(nil)
	if v.archive != nil {
		parts = v.archive.parts
	}
	if !v.follows(m) || len(parts) != len(run) {
		return made, false, nil
	}
	order := v.state.order[:max(0, min(mostPiece, len(v.state.order)-size.Spare))]
	order = order[:lastWhole(order)]
	if len(order) == 0 || len(order) < size.Least {
		return made, true, nil
	}
	made.Piece = Piece{
		Kind: FactPiece, Format: factFormat, Count: len(order), Span: Span{next(run), order[len(order)-1].Message()},
	}
	ids := make([]int64, len(order))
	for i, n := range order {
		ids[i] = n.Message()
	}
	if stored, err := v.from.has(made.Span, slices.Compact(ids)); err != nil || !stored {
		return madePiece{}, true, err
	}
	if err := v.state.writeFacts(len(order), made.blocks.Emit); err != nil {
		return madePiece{}, true, fmt.Errorf("make a piece: %w", err)
	}
	return made, true, nil
}

// newMessages is [View.newFacts] for messages.
func (v *View) newMessages(m *Manifest, size Sizes) (made madePiece, known bool, err error) {
	defer v.reading()()
	v.readAll(v.takeUnread(v.Horizon()))
	v.mu.RLock()
	follows := v.follows(m)
	v.mu.RUnlock()
	c, run := &v.corpus, m.Run(MessagePiece)
	if !follows || cmp.Or(c.err, c.broken) != nil || len(c.parts) != len(run) {
		return made, false, nil
	}
	head := c.head()
	n := min(mostPiece, head-size.Spare)
	if n <= 0 || n < size.Least {
		return made, true, nil
	}
	from := c.index.Len() - head
	ids := c.index.IDs(from, from+n)
	made.Piece = Piece{Kind: MessagePiece, Format: ranking.PieceFormat, Count: n, Span: Span{next(run), ids[n-1]}}
	if stored, err := v.from.has(made.Span, ids); err != nil || !stored {
		return madePiece{}, true, err
	}
	err = c.index.Write(from, from+n, made.blocks.Emit)
	if failed := c.failure(); failed != nil || err != nil {
		return madePiece{}, false, failed // without failed, the messages are read from the store
	}
	return made, true, nil
}

// follows reports whether a view has the messages and facts of a manifest's edition. The
// caller holds mu.
func (v *View) follows(m *Manifest) bool {
	return v.edition == m.Edition && cmp.Or(v.err, v.broken, v.unreadable) == nil
}

// has reports whether the store has some messages of the scope. Their ids rise, and are in
// the span.
func (s *source) has(span Span, ids []int64) (bool, error) {
	stored, err := s.store.MessageIDs(s.ctx, s.owner, s.scope, span)
	if err != nil {
		return false, fmt.Errorf("look for messages: %w", err)
	}
	for _, id := range stored {
		if len(ids) > 0 && ids[0] == id {
			ids = ids[1:]
		}
	}
	return len(ids) == 0, nil
}
