package sqlite

import (
	"context"
	"fmt"
	"sync"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// pieceEraser deletes the pieces that are in no manifest any more, behind the turns and in
// small steps between which turns can write.
type pieceEraser struct {
	db   *DB
	wake chan struct{}
	// stopped is closed when nothing more is deleted.
	stopped chan struct{}

	mu sync.Mutex
	// soiled counts the changes since no such piece was left. clean is closed while it is 0.
	soiled int
	clean  chan struct{}
}

// newPieceEraser returns an eraser. dirty says that an earlier process has left pieces.
func newPieceEraser(db *DB, dirty bool) *pieceEraser {
	x := &pieceEraser{db: db, wake: make(chan struct{}, 1), stopped: make(chan struct{}), clean: make(chan struct{})}
	if dirty {
		x.soiled = 1
		nudge(x.wake)
	} else {
		close(x.clean)
	}
	return x
}

// orphanPieces ends the pieces that an earlier process was making.
const orphanPieces = `UPDATE pieces SET state = 'dead' WHERE state = 'making' AND state <> 'live'`

// anyOrphans reports whether pieces are to be deleted.
const anyOrphans = `SELECT EXISTS (SELECT 1 FROM pieces WHERE state <> 'live')`

// nextGone is a piece to delete.
const nextGone = `SELECT id, state FROM pieces WHERE state <> 'live' AND state <> 'making' LIMIT 1`

// soil records that pieces are to be deleted. The writer calls it before the next
// transaction begins.
func (x *pieceEraser) soil() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == 0 {
		x.clean = make(chan struct{})
	}
	x.soiled++
	nudge(x.wake)
}

// erased returns once the pieces that were to be deleted before the call are gone.
func (x *pieceEraser) erased(ctx context.Context) error {
	x.mu.Lock()
	clean := x.clean
	if x.soiled > 0 {
		nudge(x.wake) // the last try may have failed
	}
	x.mu.Unlock()
	select {
	case <-clean:
		return nil
	case <-x.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run deletes until ctx ends. The next start finds the remaining pieces.
func (x *pieceEraser) run(ctx context.Context) {
	defer close(x.stopped)
	for {
		select {
		case <-x.wake:
		case <-ctx.Done():
			return
		}
		if err := recovery.Do(func() error { return x.erase(ctx) }); err != nil && ctx.Err() == nil {
			x.db.log.Warn("pieces of the memory index could not be deleted; it will be tried again with the next ones", "err", err)
		}
	}
}

// erase deletes all pieces that are to be deleted.
func (x *pieceEraser) erase(ctx context.Context) error {
	x.mu.Lock()
	seen := x.soiled
	x.mu.Unlock()
	for ctx.Err() == nil {
		more, err := x.step(ctx)
		if err != nil {
			return err
		}
		if !more {
			x.cleaned(seen)
			return nil
		}
	}
	return nil
}

// cleaned records that the pieces of the first seen changes are gone.
func (x *pieceEraser) cleaned(seen int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == seen && seen > 0 {
		x.soiled = 0
		close(x.clean)
	}
}

// step deletes some blocks of a piece, and the piece after its last block. It reports
// whether there was a piece.
func (x *pieceEraser) step(ctx context.Context) (more bool, err error) {
	// 128 blocks are 1 MB, as much as blocksAtOnce.
	const some = `DELETE FROM piece_blocks WHERE id IN (SELECT id FROM piece_blocks WHERE id BETWEEN ?1 << 16 AND (?1 << 16) + 65535 LIMIT 128)`
	err = x.db.w.submit(ctx, func(t *tx) error {
		t.merges = true // it frees space
		var id memory.PieceID
		var state pieceState
		err := t.row(nextGone).Scan(&id, &state)
		if isNoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look for pieces: %w", err)
		}
		more = true
		n, err := t.changes(some, int64(id))
		if err != nil || n > 0 {
			return err
		}
		t.erases = t.erases || state == erasedPiece // the log still has its pages
		_, err = t.exec(`DELETE FROM pieces WHERE id = ?`, int64(id))
		return err
	})
	return more, err
}
