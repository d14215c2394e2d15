package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// settlePiece stores a piece for an owner, with the owner's mark.
func settlePiece(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	ms, err := st.Messages(t.Context(), o, theSession, session.Range{})
	if err != nil {
		t.Fatalf("messages: %v", err)
	}
	put(t, st, o, memory.Scope{Key: theKey}, pieceOf(memory.MessagePiece, &ms[0], &ms[1]), "piece of "+markOf(o))
}

// piecesOf are the pieces of all owners in these tests.
func piecesOf(ctx context.Context, st Store) (ids []memory.PieceID, manifests []memory.Manifest, err error) {
	for _, o := range []owner.Owner{alice(), bob()} {
		m, err := st.Manifest(ctx, o, memory.Scope{Key: theKey})
		if err != nil {
			return nil, nil, err
		}
		for _, p := range m.Pieces {
			ids = append(ids, p.ID)
		}
		manifests = append(manifests, m)
	}
	return ids, manifests, nil
}

// blocksOfTheOwners reads the blocks of all owners' pieces. Those of others do not exist.
func blocksOfTheOwners(ctx context.Context, st Store, o owner.Owner) (any, error) {
	ids, _, err := piecesOf(ctx, st)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, id := range ids {
		block, err := st.PieceBlock(ctx, o, id, 0)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
		out = append(out, block)
	}
	return slices.DeleteFunc(out, func(b []byte) bool { return b == nil }), nil
}

// blocksOfTheOwnersTogether is blocksOfTheOwners by the read of several blocks.
func blocksOfTheOwnersTogether(ctx context.Context, st Store, o owner.Owner) (any, error) {
	ids, _, err := piecesOf(ctx, st)
	if err != nil {
		return nil, err
	}
	var asked []piece.Ref
	for _, id := range ids {
		asked = append(asked, piece.Ref{Piece: int64(id), Block: 1}, piece.Ref{Piece: int64(id), Block: 0})
	}
	return st.PieceBlocks(ctx, o, asked)
}

// pieceWritingCases write pieces under the names of all owners.
func pieceWritingCases() map[string]isolationCase {
	// ofOthers calls write for the manifests of alice and bob, and wants it refused for
	// those that are not the owner's.
	ofOthers := func(write func(context.Context, Store, owner.Owner, memory.Manifest, []memory.PieceID) error) func(context.Context, Store, owner.Owner) (any, error) {
		return func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, manifests, err := piecesOf(ctx, st)
			if err != nil {
				return nil, err
			}
			for i, whose := range []owner.Owner{alice(), bob()} {
				err := write(ctx, st, o, manifests[i], ids)
				if (err == nil) != (o.ID() == whose.ID()) {
					return nil, fmt.Errorf("got %w for a scope of %s's", cmp.Or(err, errors.New("no error")), whose.ID())
				}
			}
			return nil, nil
		}
	}
	return map[string]isolationCase{
		"AddPiece": {silent: true, call: ofOthers(func(ctx context.Context, st Store, o owner.Owner, m memory.Manifest, _ []memory.PieceID) error {
			_, err := st.AddPiece(ctx, o, m, memory.Piece{Kind: memory.FactPiece}, blocksOf("x"))
			return err
		})},
		"Swap": {silent: true, call: ofOthers(func(ctx context.Context, st Store, o owner.Owner, m memory.Manifest, ids []memory.PieceID) error {
			return st.Swap(ctx, o, m, memory.Swap{Remove: ids})
		})},
		"DropPieces": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			ids, _, err := piecesOf(ctx, st)
			if err != nil {
				return nil, err
			}
			return nil, st.DropPieces(ctx, o, ids)
		}},
	}
}
