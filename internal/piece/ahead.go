package piece

import (
	"cmp"
	"context"
	"slices"
)

// Batch is a Source that reads several blocks in one round trip, those of other pieces of its store,
// too. A reader of a piece with such a source is told what will be read, by the methods that begin
// with Want, and then by [Fetch]. Without such a source these methods do nothing.
type Batch interface {
	Source
	// ID is the number of the piece in its store.
	ID() int64
	// Blocks calls each for some blocks of pieces of the store, in any order. Blocks that do not
	// exist are left out. Their pieces keep the slices.
	Blocks(ctx context.Context, wanted []Ref, each func(of Ref, block []byte)) error
}

// Ref names a block of a piece.
type Ref struct {
	Piece int64 // its ID
	Block int
}

// AppendFirst appends the blocks that [Open] asks a Batch for first.
func AppendFirst(to []Ref, piece int64) []Ref {
	for n := range atOnce {
		to = append(to, Ref{piece, n})
	}
	return to
}

// mostFetched is how many blocks are read in one round trip: 4 MiB, which are held in addition to the cache
// for that time.
const mostFetched = 512

// atOnce is how many neighbouring blocks are read in one round trip when a reader needs a block that it did
// not announce: 64 kB. The next block that the reader needs is often a neighbour, and the round trip costs
// more than the bytes.
const atOnce = 8

// Far reports whether reading several blocks at once is faster than one after the other.
func (p *Piece) Far() bool { return p.batch != nil }

// want notes that the bytes from one position to another will be read.
func (r *Reader) want(from, to uint64) {
	if r.p.batch == nil || from >= to {
		return
	}
	for n := from / room; n <= (to-1)/room; n++ {
		if r.p.blocks[n].Load() == nil {
			r.wanted = append(r.wanted, int(n))
		}
	}
}

// Fetch reads the blocks that the readers of a store's pieces want and that are not in memory, in as
// few round trips as there can be. A block that cannot be read is read again when it is needed, and
// its error is found then.
func Fetch(readers ...*Reader) {
	if !slices.ContainsFunc(readers, func(r *Reader) bool { return len(r.wanted) > 0 }) {
		return // as always without a Batch
	}
	var wanted []Ref
	pieces := make(map[int64]*Piece, len(readers))
	var first *Reader // with a session in which blocks are read
	for _, r := range readers {
		slices.Sort(r.wanted)
		if len(r.wanted) > 0 && r.err == nil {
			id := r.p.batch.ID()
			first, pieces[id] = cmp.Or(first, r), r.p
			for _, n := range slices.Compact(r.wanted) {
				wanted = append(wanted, Ref{id, n})
			}
		}
		r.wanted = r.wanted[:0]
	}
	for some := range slices.Chunk(wanted, mostFetched) {
		_ = first.p.batch.Blocks(first.ctx, some, func(of Ref, sealed []byte) { pieces[of.Piece].take(of.Block, sealed) })
	}
}

// fetchAround reads a block, and those of its neighbours that are not in memory.
func (r *Reader) fetchAround(n int) {
	first := n - n%atOnce
	for i := first; i < min(first+atOnce, len(r.p.blocks)); i++ {
		if r.p.blocks[i].Load() == nil {
			r.wanted = append(r.wanted, i)
		}
	}
	Fetch(r)
}

// take puts a block that came with others into the cache if it is sound. One that is not is read again
// when it is needed, and its error is found then.
func (p *Piece) take(n int, sealed []byte) {
	if data, err := p.unsealed(sealed, n); err == nil {
		p.cache.misses.Add(1)
		p.keep(n, data, cap(sealed))
	}
}

// Want notes that a record will be read.
func (rs *Records) Want(i uint32) { rs.WantRun(i, i+1) }

// WantRun notes that the records from one up to, but not including, another will be read.
func (rs *Records) WantRun(from, to uint32) {
	if to = min(to, rs.g.n); from >= to {
		return
	}
	first, _ := rs.g.at(from)
	last, _ := rs.g.at(to - 1)
	rs.r.want(uint64(first)*room, uint64(last)*room+1)
}

// Want notes that n bytes from an offset will be read.
func (b *Bytes) Want(offset, n uint32) {
	end := min(uint64(offset)+uint64(n), uint64(b.size))
	b.r.want(b.start+uint64(offset), b.start+end)
}

// Want notes that the list will be read from a rank on. It covers the step that says where to begin, and
// [Postings.WantEntries] covers the rest once the step is there.
func (ps *Postings) Want(l List, rank uint32) {
	if rank < l.Count {
		ps.bytes.Want(l.Offset+max(rank/stepLength, 1)*stepSize-stepSize, 1)
	}
}

// likelyEntry is what an entry takes in bytes: numbers that are not a few thousand apart take two.
const likelyEntry = 2

// WantEntries notes that the list will be read from a rank on. It reads the step for the rank.
func (ps *Postings) WantEntries(l List, rank uint32) {
	if rank >= l.Count {
		return
	}
	step := rank / stepLength
	offset, _ := ps.entries(l, step)
	end := min(offset+uint64(l.Count-step*stepLength)*likelyEntry, uint64(ps.bytes.size))
	ps.bytes.r.want(ps.bytes.start+offset, ps.bytes.start+end)
}

// Want notes that the dictionary will be read.
func (d *Dictionary) Want() {
	d.buckets.WantRun(0, d.buckets.Len())
	d.terms.WantRun(0, d.terms.Len())
	d.keys.Want(0, d.keys.Len())
}
