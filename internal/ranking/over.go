package ranking

import (
	"context"
	"fmt"
	"math"
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
	for _, p := range x.parts {
		if s, ok := p.(*sealed); ok {
			if err := s.failure(); err != nil {
				return fmt.Errorf("read a piece of an index: %w", err)
			}
		}
	}
	return nil
}

// Until returns an index over the messages up to an id: what the index was before the
// later ones were added.
func (x *Index) Until(ctx context.Context, id int64) (*Index, error) {
	end := sort.Search(x.Len(), func(d int) bool { return x.origin(int32(d)).messageID > id })
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
		var blocks piece.Blocks
		if err := x.Write(from, to, blocks.Emit); err != nil {
			return nil, err
		}
		made, err := OpenPiece(ctx, blocks, piece.NewCache(math.MaxInt64))
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
