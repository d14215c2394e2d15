package piece

import (
	"context"
	"errors"
)

// Reader reads a piece in sessions, one after the other. It is used by one goroutine. It keeps
// the first error of a session: from then on it reads no more blocks, and what it returns is to be
// thrown away. Between sessions it keeps nothing of the piece's blocks in memory.
type Reader struct {
	p   *Piece
	ctx context.Context // of this session, which is shorter than the piece's life
	err error
	// wanted are blocks to be fetched, see [Fetch].
	wanted []int
}

// errEnded is the error of reading between sessions.
var errEnded = errors.New("no session of reading has begun")

// Read returns a reader in its first session. All reading from the source is done under ctx.
func (p *Piece) Read(ctx context.Context) *Reader { return &Reader{p: p, ctx: ctx} }

// Begin begins another session, without an error. Sections that the reader returned earlier are
// valid in it.
func (r *Reader) Begin(ctx context.Context) { r.ctx, r.err = ctx, nil }

// End ends the session. Bytes that the reader returned stay valid.
func (r *Reader) End() { r.ctx, r.err = nil, errEnded }

// Err is the first error of the session: ErrDamaged, or one of the source or the context.
func (r *Reader) Err() error { return r.err }

// fail records an error.
func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// block returns the bytes of block n, or nil after an error. The piece has a block n.
func (r *Reader) block(n uint32) []byte {
	if b := r.p.blocks[n].Load(); b != nil {
		b.touch()
		return b.data
	}
	return r.load(n)
}

func (r *Reader) load(n uint32) []byte {
	if r.err != nil {
		return nil
	}
	if r.p.Far() {
		r.fetchAround(int(n))
		if b := r.p.blocks[n].Load(); b != nil {
			return b.data
		}
	}
	data, err := r.p.load(r.ctx, int(n))
	if err != nil {
		r.err = err
		return nil
	}
	return data
}

// span returns the bytes from one position towards another, as far as the block goes, or nil
// after an error. The piece has these positions.
func (r *Reader) span(from, to uint64) []byte {
	data := r.block(uint32(from / room))
	if data == nil {
		return nil
	}
	data = data[from%room:]
	return data[:min(uint64(len(data)), to-from)]
}

// section returns an entry of the header. If the section is not of that kind, it is empty, and
// the session has an error.
func (r *Reader) section(n int, k kind) section {
	if n < 0 || n >= len(r.p.sections) || r.p.sections[n].kind != k {
		r.fail(damaged("section %d is not what it should be", n))
		return section{kind: k}
	}
	return r.p.sections[n]
}
