package piece

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
)

// distant is a source that counts what it is asked for.
type distant struct {
	Blocks
	single, together, trips int
	err                     error
	id                      int64
	beside                  *distant // another piece of the store
	// spoil is what becomes of a block that is read together with others.
	spoil func(n int, block []byte) []byte
}

func (d *distant) Block(ctx context.Context, n int) ([]byte, error) {
	d.single++
	return d.Blocks.Block(ctx, n)
}

// far is distant as a Batch.
type far struct{ *distant }

func (f far) ID() int64 { return f.id }

func (f far) Blocks(_ context.Context, wanted []Ref, each func(of Ref, block []byte)) error {
	f.trips++
	for _, of := range wanted {
		f.together++
		from := f.distant
		if of.Piece != f.id {
			from = f.beside
		}
		if block := f.spoil(of.Block, bytes.Clone(from.Blocks[of.Block])); block != nil {
			each(of, block)
		}
	}
	return f.err
}

func asWritten(_ int, block []byte) []byte { return block }

// manyRows is a piece of many blocks, with a row for each number.
func manyRows(t *testing.T) (blocks Blocks, n uint32) {
	t.Helper()
	return rowsFrom(t, 0)
}

// rowsFrom is a piece of many blocks, with a row for each number from one on.
func rowsFrom(t *testing.T, first uint32) (blocks Blocks, n uint32) {
	t.Helper()
	c := &content{texts: bytes.Repeat([]byte("text"), 5*BlockSize/4)}
	for i := range uint32(1600 * room / rowWidth) {
		row := make([]byte, rowWidth)
		binary.LittleEndian.PutUint32(row, first+i)
		c.rows = append(c.rows, row)
	}
	return build(t, c), uint32(len(c.rows))
}

// TestFetch: blocks that a reader has told of are read together, in round trips of bounded size, and
// what was not told of, or did not come, is read when it is needed.
func TestFetch(t *testing.T) {
	t.Parallel()
	blocks, n := manyRows(t)
	const first = uint32(16 * room / rowWidth) // the rows before it came when the piece was opened
	rs := open(t, blocks, NewCache(1<<30)).Read(t.Context()).Records(rows, rowWidth)
	begin, _ := rs.g.at(first)
	wanted := len(blocks) - int(begin)
	odd := len(blocks)/2 - int(begin)/2 // of them
	for _, tt := range []struct {
		name                    string
		err                     error
		spoil                   func(int, []byte) []byte
		trips, together, single int
	}{
		{"all come", nil, asWritten, 4, wanted, 0},
		{"the store fails", errors.New("away"), func(int, []byte) []byte { return nil }, 4, wanted, wanted},
		{"some are gone", nil, func(n int, b []byte) []byte { return b[:len(b)*(n%2)] }, 4, wanted, wanted - odd},
		{"some are damaged", nil, func(n int, b []byte) []byte { b[7] ^= byte(n % 2); return b }, 4, wanted, odd},
	} {
		source := &distant{Blocks: blocks, spoil: asWritten}
		p := open(t, far{source}, NewCache(1<<30))
		source.err, source.spoil = tt.err, tt.spoil
		r := p.Read(t.Context())
		rs := r.Records(rows, rowWidth)
		rs.WantRun(first, n)
		rs.Want(n - 1)
		rs.Want(n) // there is no such record
		source.single, source.trips, source.together = 0, 0, 0
		Fetch(r)
		Fetch(r)
		trips, together := source.trips, source.together
		for i := first; i < n; i++ {
			if got := binary.LittleEndian.Uint32(rs.At(i)); got != i {
				t.Fatalf("%s: record %d is %d", tt.name, i, got)
			}
		}
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if trips != tt.trips || together != tt.together || source.single != tt.single {
			t.Errorf("%s: %d round trips for %d blocks and %d single ones, want %d for %d and %d",
				tt.name, trips, together, source.single, tt.trips, tt.together, tt.single)
		}
	}
}

// TestFetchTogether: what the readers of several pieces want comes in one round trip, each block to
// its piece, whatever has become of another reader.
func TestFetchTogether(t *testing.T) {
	t.Parallel()
	blocks, n := manyRows(t)
	others, _ := rowsFrom(t, 1000)
	one := &distant{Blocks: blocks, spoil: asWritten, id: 1}
	two := &distant{Blocks: others, spoil: asWritten, id: 2}
	one.beside = two
	read := func(of *distant) (*Reader, Records) {
		r := open(t, far{of}, NewCache(1<<30)).Read(t.Context())
		of.single, of.trips, of.together = 0, 0, 0
		return r, r.Records(rows, rowWidth)
	}
	first, rs := read(one)
	second, qs := read(two)
	lost, ls := read(&distant{Blocks: blocks, spoil: asWritten, id: 3})
	lost.fail(errors.New("away"))
	ls.Want(n / 2)
	at := n / 2
	rs.Want(at)
	rs.Want(n - 1)
	qs.Want(at)
	Fetch(lost, first, second)
	for _, i := range []uint32{at, n - 1} {
		if got := binary.LittleEndian.Uint32(rs.At(i)); got != i {
			t.Errorf("record %d is %d", i, got)
		}
	}
	if got := binary.LittleEndian.Uint32(qs.At(at)); got != 1000+at {
		t.Errorf("record %d of the other piece is %d, want %d", at, got, 1000+at)
	}
	if one.trips != 1 || one.together != 3 || one.single+two.single+two.trips != 0 {
		t.Errorf("%d and %d round trips for %d blocks, and %d and %d single ones; want one for 3", one.trips, two.trips, one.together, one.single, two.single)
	}
}

// TestFetchAround: a block that a reader has not told of comes with its neighbours in one round trip.
func TestFetchAround(t *testing.T) {
	t.Parallel()
	blocks, n := manyRows(t)
	source := &distant{Blocks: blocks, spoil: asWritten}
	r := open(t, far{source}, NewCache(1<<30)).Read(t.Context())
	rs := r.Records(rows, rowWidth)
	source.single, source.trips, source.together = 0, 0, 0
	for i := range n {
		rs.At(i)
	}
	trips, together := (len(blocks)-1)/atOnce, len(blocks)-atOnce // the first ones came when it was opened
	if err := r.Err(); err != nil || source.trips != trips || source.together != together || source.single != 0 {
		t.Errorf("%d round trips for %d blocks and %d single ones, want %d for %d and none: %v",
			source.trips, source.together, source.single, trips, together, err)
	}
}

// TestFetchNear: a source that reads blocks one by one is told nothing, and reads what is needed.
func TestFetchNear(t *testing.T) {
	t.Parallel()
	blocks, _ := manyRows(t)
	source := &distant{Blocks: blocks}
	p := open(t, source, NewCache(1<<30))
	r := p.Read(t.Context())
	rs, bs := r.Records(rows, rowWidth), r.Bytes(texts)
	rs.WantRun(0, rs.Len())
	bs.Want(0, bs.Len())
	Fetch(r)
	if p.Far() || source.single != 1 { // the first block, when it was opened
		t.Errorf("%d blocks were read", source.single)
	}
}

// TestFetchBound: what is read ahead is bounded by the cache, as all blocks are.
func TestFetchBound(t *testing.T) {
	t.Parallel()
	blocks, _ := manyRows(t)
	cache := NewCache(10 * BlockSize)
	r := open(t, far{&distant{Blocks: blocks, spoil: asWritten}}, cache).Read(t.Context())
	rs, bs := r.Records(rows, rowWidth), r.Bytes(texts)
	rs.WantRun(0, rs.Len())
	bs.Want(0, bs.Len())
	Fetch(r)
	if s := cache.Stats(); s.Held > s.Limit {
		t.Errorf("the cache holds %d bytes of %d", s.Held, s.Limit)
	}
}
