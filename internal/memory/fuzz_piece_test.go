package memory

import (
	"context"
	"hash/crc32"
	"math"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// FuzzFactPiece reads everything in a fact piece of which one byte was changed, with a
// checksum that fits: what is read may be wrong, but nothing panics or runs for ever.
func FuzzFactPiece(f *testing.F) {
	whole := NewState()
	for i, text := range []string{"We use Postgres for orders because it is fast.", "I moved to Bonn.", "The limit is 10 MB.", "I like tea."} {
		d := spoken(int64(i), session.User, text)
		d.MessageID = int64(i + 1)
		whole.Learn(Distill(d, nil))
	}
	var made piece.Blocks
	if err := whole.writeFacts(made.Emit); err != nil {
		f.Fatal(err)
	}
	f.Add(0, byte(1))
	for at := 3; at < len(made[0]); at += 97 {
		f.Add(at, byte(at))
	}
	f.Fuzz(func(t *testing.T, at int, mask byte) {
		block := append([]byte(nil), made[0]...)
		body := len(block) - crc32.Size
		if at < 0 || at >= body {
			return
		}
		block[at] ^= mask
		sum := crc32.Update(0, crc32.MakeTable(crc32.Castagnoli), block[:body])
		for i := range crc32.Size {
			block[body+i] = byte(sum >> (8 * i))
		}
		p, err := piece.Open(t.Context(), piece.Blocks{block}, piece.NewCache(1<<20), factFormat)
		if err != nil {
			return
		}
		r := readFacts(t.Context(), p)
		for k := range whole.index {
			for _, g := range r.newest(nil, k, math.MaxInt32) {
				r.meaning(g.number)
			}
		}
		var merged piece.Blocks
		_ = mergeFacts([]*factReader{readFacts(context.Background(), p), r}, merged.Emit) // it is refused, or it is as wrong as the piece
	})
}
