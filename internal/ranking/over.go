package ranking

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hermes-memory/hermes/internal/piece"
)

// Over returns an index over pieces, in the order of their messages. Messages that are
// added come after those of the pieces.
func Over(ctx context.Context, pieces ...*Piece) (*Index, error) {
	x := blank()
	for _, p := range pieces {
		s := &sealed{Piece: p}
		s.begin(p.p.Read(ctx))
		x.append(s)
	}
	x.append(x.head)
	return x, x.Err()
}

// Read begins a session of reading: the pieces are read under ctx from then on, and Err
// is nil. An index that has no pieces needs none.
func (x *Index) Read(ctx context.Context) {
	for _, p := range x.parts {
		if s, ok := p.(*sealed); ok {
			s.begin(s.p.Read(ctx))
		}
	}
}

// Err is the first error of the session. What was found after it is to be thrown away,
// and so is the index if messages were added in the session.
func (x *Index) Err() error {
	if _, err := x.Broken(); err != nil {
		return fmt.Errorf("read a piece of an index: %w", err)
	}
	return nil
}

// Broken is the piece whose reading failed, and the error; nil if none did.
func (x *Index) Broken() (*Piece, error) {
	for _, p := range x.parts {
		if s, ok := p.(*sealed); ok {
			if err := s.failure(); err != nil {
				return s.Piece, err
			}
		}
	}
	return nil, nil
}

// Rest returns an index over pieces and the messages with ids above last, which the pieces
// lack. Those are taken from x without their texts.
func (x *Index) Rest(ctx context.Context, last int64, pieces ...*Piece) (*Index, error) {
	from := x.firstAfter(last)
	if from < x.Len() {
		rest, err := x.copied(ctx, from, x.Len())
		if err != nil {
			return nil, err
		}
		pieces = append(slices.Clip(pieces), rest)
	}
	return Over(ctx, pieces...)
}

// firstAfter is the number of the first message with an id above last.
func (x *Index) firstAfter(last int64) int {
	return sort.Search(x.Len(), func(d int) bool { return x.origin(int32(d)).messageID > last })
}

// copied is a piece in memory of a run of messages.
func (x *Index) copied(ctx context.Context, from, to int) (*Piece, error) {
	var blocks piece.Blocks
	if err := x.Write(from, to, blocks.Emit); err != nil {
		return nil, err
	}
	p, err := OpenPiece(ctx, blocks, piece.NewCache(math.MaxInt64))
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		p.held += int64(len(b))
	}
	return p, nil
}

// Until returns an index over the messages up to an id: what the index was before the
// later ones were added.
func (x *Index) Until(ctx context.Context, id int64) (*Index, error) {
	end := x.firstAfter(id)
	var pieces []*Piece
	for i, p := range x.parts {
		from, to := int(x.bases[i]), min(end, int(x.bases[i]+p.size()))
		if from >= to {
			break
		}
		if s, ok := p.(*sealed); ok && to-from == s.Len() {
			pieces = append(pieces, s.Piece)
			continue
		}
		made, err := x.copied(ctx, from, to)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, made)
	}
	if err := x.Err(); err != nil {
		return nil, err
	}
	return Over(ctx, pieces...)
}
