package postgres

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
)

// pieceState is what has become of a piece. Blocks of dead and erased pieces are deleted
// in the background.
type pieceState string

const (
	makingPiece pieceState = "making" // belongs to no manifest yet
	livePiece   pieceState = "live"   // belongs to the manifest of its scope
	deadPiece   pieceState = "dead"   // was replaced
	erasedPiece pieceState = "erased" // may hold erased words: its bytes must leave the log, too
)

// everyKind stands for both kinds of pieces.
const everyKind memory.PieceKind = ""

const (
	// blockBits is the size of a block's number in the key of the table.
	blockBits = 16
	maxBlocks = 1 << blockBits
	// blocksAtOnce is how many bytes of blocks one transaction stores or deletes.
	blocksAtOnce = 1 << 20
)

const (
	selectBlock  = `SELECT b.data FROM piece_blocks b WHERE b.owner_id = ? AND b.piece_id = ? AND b.number = ?`
	selectBlocks = `SELECT b.piece_id, b.number, b.data FROM unnest(?2::bigint[], ?3::bigint[]) w (piece_id, number) CROSS JOIN LATERAL
		(SELECT * FROM piece_blocks WHERE owner_id = ?1 AND piece_id = w.piece_id AND number = w.number) b`
	insertPiece = `INSERT INTO pieces (owner_id, scope_id, kind, state, format, first_id, last_id, count, blocks, grown_at)
		SELECT owner_id, id, ?::text, 'making', ?::bigint, ?::bigint, ?::bigint, ?::bigint, 0, now() FROM scopes WHERE owner_id = ? AND id = ? AND edition = ? RETURNING id`
	growPiece   = `UPDATE pieces SET blocks = ?, grown_at = now() WHERE owner_id = ? AND id = ? AND state = 'making'`
	insertBlock = `INSERT INTO piece_blocks (owner_id, piece_id, number, data) VALUES (?, ?, ?, ?)`
)

// PieceBlock implements memory.PieceStore.
func (db *DB) PieceBlock(ctx context.Context, o owner.Owner, piece memory.PieceID, block int) ([]byte, error) {
	if block < 0 || block >= maxBlocks {
		return nil, errNoBlock()
	}
	var data []byte
	err := db.row(ctx, selectBlock, o.ID(), int64(piece), block).Scan(&data)
	if isNoRows(err) {
		return nil, errNoBlock()
	}
	if err != nil {
		return nil, fmt.Errorf("read a block: %w", err)
	}
	return data, nil
}

// PieceBlocks implements memory.PieceStore.
func (db *DB) PieceBlocks(ctx context.Context, o owner.Owner, blocks []piece.Ref) (map[piece.Ref][]byte, error) {
	pieces, numbers := make([]int64, len(blocks)), make([]int64, len(blocks))
	for i, of := range blocks {
		pieces[i], numbers[i] = of.Piece, int64(of.Block)
	}
	got, err := db.query(ctx, selectBlocks, o.ID(), pieces, numbers)
	if err != nil {
		return nil, fmt.Errorf("read blocks: %w", err)
	}
	found := make(map[piece.Ref][]byte, len(blocks))
	err = scanAll(got, func(rows *rows) error {
		var of piece.Ref
		var data pgtype.DriverBytes // of the connection until the next row
		err := rows.Scan(&of.Piece, &of.Block, &data)
		found[of] = bytes.Clone(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read blocks: %w", err)
	}
	return found, nil
}

func errNoBlock() error {
	return fault.New(fault.NotFound, "piece_gone", "This part of the index does not exist any more. Try again.")
}

// AddPiece implements memory.PieceStore.
func (db *DB) AddPiece(
	ctx context.Context, o owner.Owner, from memory.Manifest, p memory.Piece, blocks iter.Seq2[memory.PieceBlock, error],
) (memory.PieceID, error) {
	if err := errNoOwner(o); err != nil {
		return 0, err
	}
	stored, err := db.addBlocks(ctx, o, blocks, func(t *tx, stored int, batch []memory.PieceBlock) error {
		if stored == 0 {
			if err := t.addPiece(o, &from, &p); err != nil {
				return err
			}
		}
		return t.addBlocks(o, p.ID, stored, batch)
	})
	if err != nil {
		if stored > 0 {
			_ = db.DropPieces(context.WithoutCancel(ctx), o, []memory.PieceID{p.ID}) // else the next start does it
		}
		return 0, fmt.Errorf("add a piece: %w", err)
	}
	return p.ID, nil
}

// addPiece inserts a piece without its blocks.
func (t *tx) addPiece(o owner.Owner, from *memory.Manifest, p *memory.Piece) error {
	err := t.row(insertPiece, string(p.Kind), p.Format, p.First, p.Last, p.Count, o.ID(), int64(from.Scope), from.Edition).Scan(&p.ID)
	if isNoRows(err) {
		return errRetold()
	}
	return err
}

// addBlocks stores the blocks of a piece by add, in transactions of about blocksAtOnce. Most
// pieces are stored by one. The result is how many blocks were stored, after an error, too.
func (db *DB) addBlocks(
	ctx context.Context, o owner.Owner, blocks iter.Seq2[memory.PieceBlock, error],
	add func(t *tx, stored int, batch []memory.PieceBlock) error,
) (stored int, err error) {
	var batch []memory.PieceBlock
	size := 0
	flush := func() error {
		if err := db.w.submit(ctx, o, func(t *tx) error { return add(t, stored, batch) }); err != nil {
			return err
		}
		stored += len(batch)
		batch, size = batch[:0], 0
		return nil
	}
	for block, err := range blocks {
		if err != nil {
			return stored, err
		}
		if block.Number < 0 || block.Number >= maxBlocks {
			return stored, fmt.Errorf("the piece has more than %d blocks", maxBlocks)
		}
		batch = append(batch, memory.PieceBlock{Number: block.Number, Data: bytes.Clone(block.Data)})
		if size += len(block.Data); size < blocksAtOnce {
			continue
		}
		if err := flush(); err != nil {
			return stored, err
		}
	}
	if len(batch) == 0 && stored > 0 {
		return stored, nil
	}
	err = flush()
	return stored, err
}

// addBlocks adds blocks to a piece in the making, which has some stored.
func (t *tx) addBlocks(o owner.Owner, piece memory.PieceID, stored int, blocks []memory.PieceBlock) error {
	grown, err := t.exec(growPiece, stored+len(blocks), o.ID(), int64(piece))
	if err != nil {
		return fmt.Errorf("grow a piece: %w", err)
	}
	if grown == 0 { // something was erased meanwhile
		return errRetold()
	}
	for _, block := range blocks {
		t.send("insert a block", insertBlock, o.ID(), int64(piece), block.Number, block.Data)
	}
	return nil
}

// Swap implements memory.PieceStore.
func (db *DB) Swap(ctx context.Context, o owner.Owner, from memory.Manifest, s memory.Swap) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	lost := false
	err := db.w.submit(ctx, o, func(t *tx) error {
		var err error
		if lost, err = t.swap(o, &from, &s); err != nil || !lost {
			return err
		}
		return t.setState(o, s.Add, makingPiece, deadPiece)
	})
	if err == nil && lost {
		return errRetold()
	}
	return err
}

// swap reports whether the swap lost the race. It has changed nothing then.
func (t *tx) swap(o owner.Owner, from *memory.Manifest, s *memory.Swap) (lost bool, err error) {
	withdrawn, err := spansText(s.Withdrawn)
	if err != nil {
		return false, err
	}
	ready, err := t.making(o, from.Scope, s.Add)
	if err != nil || !ready {
		return true, err
	}
	const next = `UPDATE scopes SET edition = edition + 1, withdrawn = ?3, covered = greatest(covered,
		coalesce((SELECT max(last_id) FROM pieces WHERE owner_id = ?1 AND id = ANY(?4::bigint[])), 0)) WHERE owner_id = ?1 AND id = ?2 AND edition = ?5`
	n, err := t.exec(next, o.ID(), int64(from.Scope), withdrawn, numbersOf(s.Add), from.Edition)
	if err != nil || n == 0 {
		return true, err
	}
	for _, c := range []struct {
		pieces   []memory.PieceID
		was, now pieceState
	}{{s.Remove, livePiece, deadPiece}, {s.Add, makingPiece, livePiece}} {
		if err := t.setState(o, c.pieces, c.was, c.now); err != nil {
			return false, err
		}
	}
	return false, nil
}

// making reports whether all pieces are in the making, for this scope.
func (t *tx) making(o owner.Owner, scope memory.ScopeID, pieces []memory.PieceID) (bool, error) {
	const count = `SELECT count(*) FROM pieces WHERE owner_id = ? AND id = ANY(?) AND scope_id = ? AND state = 'making'`
	var n int
	if err := t.row(count, o.ID(), numbersOf(pieces), int64(scope)).Scan(&n); err != nil {
		return false, fmt.Errorf("look for pieces: %w", err)
	}
	return n == len(pieces), nil
}

// setState changes the state of those of an owner's pieces that are in the state was.
func (t *tx) setState(o owner.Owner, pieces []memory.PieceID, was, now pieceState) error {
	const change = `UPDATE pieces SET state = ?, grown_at = now() WHERE owner_id = ? AND id = ANY(?) AND state = ?`
	n, err := t.exec(change, string(now), o.ID(), numbersOf(pieces), string(was))
	if err != nil {
		return fmt.Errorf("change pieces: %w", err)
	}
	t.unpieces = t.unpieces || n > 0 && now != livePiece
	return nil
}

// DropPieces implements memory.PieceStore.
func (db *DB) DropPieces(ctx context.Context, o owner.Owner, pieces []memory.PieceID) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.w.submit(ctx, o, func(t *tx) error { return t.dropPieces(o, pieces) })
}

// dropPieces erases pieces of an owner. The edition rises if the manifest loses one.
func (t *tx) dropPieces(o owner.Owner, pieces []memory.PieceID) error {
	const raise = `UPDATE scopes SET edition = edition + 1 WHERE owner_id = ?1 AND id IN
		(SELECT scope_id FROM pieces WHERE owner_id = ?1 AND id = ANY(?2) AND state = 'live')`
	t.send("drop pieces", raise, o.ID(), numbersOf(pieces))
	for _, was := range []pieceState{livePiece, makingPiece} {
		if err := t.setState(o, pieces, was, deadPiece); err != nil {
			return err
		}
	}
	return nil
}

// losePieces takes the live pieces of a scope that hold one of some message ids out of the
// manifest.
func (t *tx) losePieces(o owner.Owner, scope int64, now pieceState, kind memory.PieceKind, ids memory.Span) {
	const lose = `UPDATE pieces SET state = ?, grown_at = now() WHERE owner_id = ? AND scope_id = ? AND state = 'live' AND first_id <= ? AND last_id >= ? AND ?::text IN ('', kind)`
	t.unpiece("lose pieces", lose, string(now), o.ID(), scope, ids.Last, ids.First, string(kind))
}

// eraseOthers makes sure that the pieces of a scope which are in no manifest leave no bytes:
// they may hold erased words.
func (t *tx) eraseOthers(o owner.Owner, scope int64) {
	t.unpiece("erase pieces", `UPDATE pieces SET state = 'erased' WHERE owner_id = ? AND scope_id = ? AND state <> 'live'`, o.ID(), scope)
}

// unpiece sends a statement that takes pieces out of their manifest.
func (t *tx) unpiece(what, query string, args ...any) {
	t.expect(what, func(n int64) error {
		t.unpieces = t.unpieces || n > 0
		return nil
	}, query, args...)
}
