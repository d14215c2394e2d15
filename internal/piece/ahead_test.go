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
	// spoil is what becomes of a block that is read together with others.
	spoil func(n int, block []byte) []byte
}

func (d *distant) Block(ctx context.Context, n int) ([]byte, error) {
	d.single++
	return d.Blocks.Block(ctx, n)
}

// far is distant as a Batch.
type far struct{ *distant }

func (f far) Blocks(_ context.Context, numbers []int, each func(n int, block []byte)) error {
	f.trips++
	for _, n := range numbers {
		f.together++
		if block := f.spoil(n, bytes.Clone(f.distant.Blocks[n])); block != nil {
			each(n, block)
		}
	}
	return f.err
}

func asWritten(_ int, block []byte) []byte { return block }

// manyRows is a piece of many blocks.
func manyRows(t *testing.T) (blocks Blocks, n uint32) {
	t.Helper()
	c := &content{texts: bytes.Repeat([]byte("text"), 5*BlockSize/4)}
	for i := range uint32(1600 * room / rowWidth) {
		row := make([]byte, rowWidth)
		binary.LittleEndian.PutUint32(row, i)
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
		r.Fetch()
		r.Fetch()
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
	r.Fetch()
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
	r.Fetch()
	if s := cache.Stats(); s.Held > s.Limit {
		t.Errorf("the cache holds %d bytes of %d", s.Held, s.Limit)
	}
}
