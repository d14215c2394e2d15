package ranking_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// sealAgain gives a block that was changed the checksum of package piece.
func sealAgain(n int, block []byte) {
	data := block[:len(block)-4]
	binary.LittleEndian.PutUint32(block[len(data):], crc32.Update(uint32(n), crc32.MakeTable(crc32.Castagnoli), data))
}

// FuzzPiece checks that a piece with other bytes gives an error or hits, and never a
// panic. Half of the damages have a right checksum.
func FuzzPiece(f *testing.F) {
	whole := indexOf(chatter(rand.New(rand.NewPCG(9, 9)), 140))
	var first, sound piece.Blocks
	if err := errors.Join(whole.Write(0, 40, first.Emit), whole.Write(40, 140, sound.Emit)); err != nil {
		f.Fatal(err)
	}
	r := rand.New(rand.NewPCG(10, 10))
	for range 400 {
		f.Add(r.Uint32(), byte(r.Uint32()), r.IntN(2) == 0)
	}
	for at := range uint32(700) { // the header and the first records
		f.Add(at, byte(0xff), true)
	}
	f.Fuzz(func(t *testing.T, at uint32, value byte, sealed bool) {
		var blocks piece.Blocks
		for _, b := range sound {
			blocks = append(blocks, slices.Clone(b))
		}
		n := int(at) % len(blocks)
		b := blocks[n]
		b[int(at)/len(blocks)%len(b)] ^= value
		if sealed {
			sealAgain(n, b)
		}
		err := ask(t, first, blocks)
		switch {
		case err != nil && !errors.Is(err, piece.ErrDamaged) && !errors.Is(err, piece.ErrFormat):
			t.Errorf("got %v, want that the piece is damaged", err)
		case err == nil && !sealed && !bytes.Equal(b, sound[n]):
			t.Error("damage went unnoticed")
		}
	})
}

// ask searches two pieces, adds a message, and writes all as one.
func ask(t *testing.T, sources ...piece.Source) error {
	t.Helper()
	var pieces []*ranking.Piece
	for _, s := range sources {
		p, err := ranking.OpenPiece(t.Context(), s, piece.NewCache(math.MaxInt64))
		if err != nil {
			return err
		}
		pieces = append(pieces, p)
	}
	x, err := ranking.Over(t.Context(), pieces...)
	if err != nil {
		return err
	}
	for _, text := range questions() {
		for _, h := range x.Search(ranking.Query{Text: text, Explain: true}) {
			if x.Err() == nil && math.IsNaN(h.Score) {
				t.Errorf("%q: the score of %+v is no number", text, h)
			}
		}
	}
	x.Add(ranking.Document{MessageID: 1 << 40, Root: "r1", SessionID: "r1", Text: "The kayak."})
	if err := x.Err(); err != nil {
		return err
	}
	return x.Write(0, x.Len(), func(int, []byte) error { return nil })
}
