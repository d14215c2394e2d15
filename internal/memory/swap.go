package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
)

// swap changes the pieces of a scope by do, and makes the cached view of the scope rest on
// the new ones. No turn uses the view meanwhile, so none reads a piece that is gone.
func (c *Views) swap(ctx context.Context, o owner.Owner, s Scope, do func() error) error {
	v := c.cached(o, s)
	if v == nil {
		return do()
	}
	rests, err := c.swapUnder(ctx, v, do)
	if err == nil && !rests {
		c.Drop(o, s) // without the view's lock: the cache's lock comes first
	}
	return err
}

// swapUnder is swap under the locks of a view. It reports whether the view rests on the new
// pieces.
func (c *Views) swapUnder(ctx context.Context, v *View, do func() error) (bool, error) {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := do(); err != nil {
		return false, err
	}
	m, err := v.from.manifest(ctx)
	if err != nil {
		return false, err
	}
	on, err := openStored(v.from, c.cache, &m, v.archive)
	if err != nil {
		return false, err
	}
	parts, err := openMessages(v.from, c.cache, &m, v.corpus.parts)
	if err != nil {
		return false, err
	}
	if v.edition+1 == m.Edition {
		v.edition = m.Edition // the swap is all that has changed
	}
	return v.rest(on, parts)
}

// rest makes a view rest on pieces. It reports false if they index less than the present
// ones. The caller holds searching and mu.
func (v *View) rest(on *stored, parts []messagePart) (bool, error) {
	last := lastOf(parts)
	if v.archive != nil && on.last() < v.archive.last() || last < lastOf(v.corpus.parts) {
		return false, nil
	}
	v.corpus.begin()
	err := v.corpus.rest(parts)
	v.corpus.end()
	if err != nil {
		return false, err
	}
	for len(v.unread) > 0 && v.unread[0].MessageID <= last {
		v.corpus.taints.forget(v.unread[0].Root)
		v.unread, v.taken = v.unread[1:], v.taken+1
	}
	v.archive.dropUnless(on)
	v.archive = on
	v.state.rest(on, on.last())
	return true, nil
}

// mend drops the damaged piece that an error names, if it names one. The piece is made again.
func (c *Views) mend(ctx context.Context, o owner.Owner, err error) error {
	var broken *brokenPiece
	damaged := errors.Is(err, piece.ErrDamaged) || errors.Is(err, piece.ErrFormat)
	if !damaged || !errors.As(err, &broken) {
		return nil
	}
	c.log.Error("the index of a scope is damaged; it is made again", "error", err)
	if err := c.store.DropPieces(ctx, o, []PieceID{broken.id}); err != nil {
		return fmt.Errorf("drop a damaged piece: %w", err)
	}
	return nil
}
