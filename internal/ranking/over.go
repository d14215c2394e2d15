package ranking

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/piece"
)

// Over returns an index over pieces, in the order of their messages. Messages that are
// added come after those of the pieces. The index is in a session of reading, under ctx.
func Over(ctx context.Context, pieces ...*Piece) (*Index, error) {
	x := blank()
	for _, p := range pieces {
		x.append(newSealed(p, p.p.Read(ctx)))
		x.far = x.far || p.p.Far()
	}
	x.append(x.head)
	return x, x.Err()
}

// Read begins a session of reading: the pieces are read under ctx from then on, and Err
// is nil. Every method but Len, Size, Err and End needs a session, unless the index has
// no pieces.
func (x *Index) Read(ctx context.Context) {
	for _, p := range x.sealed() {
		p.begin(ctx)
	}
}

// End ends the session of reading and returns its first error, see Err. The index then
// keeps no block of its pieces in memory, and no context.
func (x *Index) End() error {
	err := x.Err()
	for _, p := range x.sealed() {
		p.end()
	}
	return err
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
	for _, p := range x.sealed() {
		if err := p.failure(); err != nil {
			return p.Piece, err
		}
	}
	return nil, nil
}

// Rest returns an index over pieces and the messages with ids above last, which the pieces
// lack. Those are taken from x without their texts. The first covered messages of x have ids
// up to last. None of them is read: their pieces may be gone.
func (x *Index) Rest(ctx context.Context, covered int, last int64, pieces ...*Piece) (*Index, error) {
	from := x.upTo(covered, last)
	if from < x.Len() {
		rest, err := x.copied(ctx, from, x.Len())
		if err != nil {
			return nil, err
		}
		pieces = append(slices.Clip(pieces), rest)
	}
	return Over(ctx, pieces...)
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

// Size is the approximate memory of the index at rest, in bytes: with the open pieces,
// without their blocks.
func (x *Index) Size() int64 {
	size := int64(unsafe.Sizeof(*x)) + x.head.bytesHeld() + x.names.size() + int64(len(x.nexts))*linkBytes
	for in, p := range x.sealed() {
		size += p.Size() + int64(unsafe.Sizeof(*p)) + int64(len(x.speakers[in]))*4 + int64(len(x.links[in]))*linkBytes
	}
	return size
}

// linkBytes is the approximate memory of an entry of a small map.
const linkBytes = 32

// sealed yields the parts that are pieces, with their numbers among the parts.
func (x *Index) sealed() iter.Seq2[int, *sealed] {
	return func(yield func(int, *sealed) bool) {
		for in, p := range x.parts {
			if s, ok := p.(*sealed); ok && !yield(in, s) {
				return
			}
		}
	}
}

// lost records that a word of a piece is not found there: the piece is damaged, or can no
// longer be read.
func (x *Index) lost(stem string) {
	for _, p := range x.parts {
		if s, ok := p.(*sealed); ok {
			if from, to := s.stems.Prefix([]byte(stem)); from < to && string(s.stems.Key(from)) == stem {
				s.fail("term %d is not found", from)
			}
		}
	}
}

// Until returns an index over the messages up to an id: what the index was before the
// later ones were added.
func (x *Index) Until(ctx context.Context, id int64) (*Index, error) {
	end := x.upTo(0, id)
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
