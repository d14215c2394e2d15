package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// pieceEraser deletes the pieces that are in no manifest any more, in the background. Every
// node has one; they take different pieces.
type pieceEraser struct {
	db    *DB
	grace time.Duration // of pieces that were replaced
	wake  chan struct{}
}

const (
	// eraserPause is how long a piece may wait that another node has taken out of its
	// manifest without deleting it.
	eraserPause = time.Minute
	// eraserStart is how long the first look at what others left may wait: the first turns of a server go first.
	eraserStart = 5 * time.Second
	// eraserPatience is how long a deletion waits for its words to leave the pieces.
	eraserPatience = time.Second
	// pieceGrace is how long a piece stays that was replaced: a turn on another node may still
	// read it. A piece with erased words gets no grace.
	pieceGrace = 2 * time.Minute
	// abandonedAfter is when a piece in the making counts as given up.
	abandonedAfter = "10 minutes"
)

func newPieceEraser(db *DB) *pieceEraser {
	x := &pieceEraser{db: db, wake: make(chan struct{}, 1)}
	if db.opt.Node != "" {
		x.grace = pieceGrace
	}
	return x
}

// soil records that pieces are to be deleted.
func (x *pieceEraser) soil() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// run deletes until ctx ends.
func (x *pieceEraser) run(ctx context.Context) {
	timer := time.NewTicker(eraserStart)
	defer timer.Stop()
	for {
		select {
		case <-x.wake:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if err := recovery.Do(func() error { return x.erase(ctx) }); err != nil && ctx.Err() == nil {
			x.db.log.Warn("pieces of the memory index could not be deleted; it will be tried again", "err", err)
		}
		timer.Reset(eraserPause)
	}
}

// erase deletes all pieces that are due, and waits for those that another node is
// deleting.
func (x *pieceEraser) erase(ctx context.Context) error {
	const abandon = `UPDATE pieces SET state = 'dead' WHERE state = 'making' AND grown_at < now() - interval '` + abandonedAfter + `'`
	if _, err := x.db.pool.Exec(ctx, abandon); err != nil {
		return fmt.Errorf("give up pieces: %w", judge(err))
	}
	for {
		more, err := x.step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

const (
	// duePieces are those to be deleted; $1 is the grace in seconds.
	duePieces = `pieces WHERE state = 'erased' OR state = 'dead' AND grown_at <= now() - make_interval(secs => $1)`
	// gonePiece deletes a piece with all its blocks. Without MATERIALIZED, the planner may
	// choose several times.
	gonePiece = `WITH next AS MATERIALIZED (SELECT owner_id, id FROM ` + duePieces + ` LIMIT 1 FOR UPDATE),
	gone AS (DELETE FROM pieces p USING next n WHERE p.owner_id = n.owner_id AND p.id = n.id RETURNING p.owner_id, p.id),
	blocks AS (DELETE FROM piece_blocks b USING gone g WHERE b.owner_id = g.owner_id AND b.piece_id = g.id)
	SELECT count(*) FROM gone`
)

// step deletes a piece. It reports whether there was one.
func (x *pieceEraser) step(ctx context.Context) (more bool, err error) {
	var gone int
	if err := x.db.row(ctx, gonePiece, x.grace.Seconds()).Scan(&gone); err != nil {
		return false, fmt.Errorf("delete a piece: %w", err)
	}
	if gone > 0 {
		return true, nil
	}
	// Another node may have deleted the piece that this one waited for.
	if err := x.db.row(ctx, `SELECT EXISTS (SELECT 1 FROM `+duePieces+`)`, x.grace.Seconds()).Scan(&more); err != nil {
		return false, fmt.Errorf("look for pieces: %w", err)
	}
	return more, nil
}

// erased waits a moment until the pieces that a deletion took out of their manifest are gone.
// A timeout is no failure.
func (x *pieceEraser) erased(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, eraserPatience)
	defer stop()
	_ = x.erase(ctx)
}
