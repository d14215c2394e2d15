package piece

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync/atomic"
	"unsafe"
)

const (
	// BlockSize is the length in bytes of all blocks of a piece but the last, which may be
	// shorter. A turn reads few bytes each of many places: large blocks would fill the cache with bytes
	// that no turn reads. A block and its key fit on a page of PostgreSQL, which has 8 KiB.
	BlockSize = 8000
	// room is what a block holds without its checksum.
	room = BlockSize - sumSize
	// sumSize is the length of a checksum, which ends a block.
	sumSize = 4
)

// block is a loaded block. Evicting one only removes the pointer at home: whoever holds the
// slice reads on.
type block struct {
	entry
	data []byte // without the checksum
	home *atomic.Pointer[block]
}

// blockSize is what a loaded block costs in addition to its bytes.
const blockSize = int64(unsafe.Sizeof(block{}))

func (b *block) evicted() { b.home.CompareAndSwap(b, nil) }

// sum is the CRC-32C of the bytes of block n. It begins with the number, so that a block in
// another's place is noticed.
func sum(n int, data []byte) uint32 {
	return crc32.Update(uint32(n), crc32.MakeTable(crc32.Castagnoli), data)
}

// seal appends the checksum to the bytes of block n.
func seal(n int, data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, sum(n, data))
}

// unseal checks block n and returns its bytes without the checksum.
func unseal(sealed []byte, n int) ([]byte, error) {
	end := len(sealed) - sumSize
	switch {
	case sealed == nil:
		return nil, damaged("block %d: missing", n)
	case end < 0:
		return nil, damaged("block %d: %d bytes", n, len(sealed))
	case binary.LittleEndian.Uint32(sealed[end:]) != sum(n, sealed[:end]):
		return nil, damaged("block %d: wrong checksum", n)
	}
	return sealed[:end:end], nil
}

func read(ctx context.Context, source Source, n int) ([]byte, error) {
	sealed, err := source.Block(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("read block %d of a piece: %w", n, err)
	}
	return sealed, nil
}

// length is the length of block n without its checksum.
func (p *Piece) length(n int) int {
	return int(min(uint64(p.size)-uint64(n)*room, room))
}

// load reads a block that is not in memory.
func (p *Piece) load(ctx context.Context, n int) ([]byte, error) {
	p.cache.misses.Add(1)
	sealed, err := read(ctx, p.source, n)
	if err != nil {
		return nil, err
	}
	data, err := p.unsealed(sealed, n)
	if err != nil {
		return nil, err
	}
	return p.keep(n, data, cap(sealed)), nil
}

// unsealed checks block n, its length too, and returns its bytes without the checksum.
func (p *Piece) unsealed(sealed []byte, n int) ([]byte, error) {
	data, err := unseal(sealed, n)
	if err == nil && len(data) != p.length(n) {
		err = damaged("block %d: %d bytes instead of %d", n, len(data), p.length(n))
	}
	return data, err
}

// keep puts a block into the cache and returns its bytes. held is the memory that data keeps, in
// bytes. Two readers may load a block at once: the first one's stays.
func (p *Piece) keep(n int, data []byte, held int) []byte {
	b := &block{data: data, home: &p.blocks[n]}
	b.size, b.owner = blockSize+int64(held), b
	return p.cache.add(p, b).data
}
