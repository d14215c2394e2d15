package memory

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// FuzzFactPiece reads everything in a fact piece of which one byte was changed, with a
// checksum that fits, and merges it with a sound one: what is read may be wrong, but nothing
// panics or runs for ever, and a merged piece that is refused is damaged.
func FuzzFactPiece(f *testing.F) {
	whole, after := NewState(), NewState()
	for i, text := range []string{"We use Postgres for orders because it is fast.", "I moved to Bonn.", "The limit is 10 MB.", "I like tea."} {
		for n, s := range []*State{whole, after} {
			d := spoken(int64(i), session.User, text)
			d.MessageID = int64(10*n + i + 1)
			s.Learn(Distill(d, nil))
		}
	}
	var made, next piece.Blocks
	if err := errors.Join(whole.writeFacts(len(whole.order), made.Emit), after.writeFacts(len(after.order), next.Emit)); err != nil {
		f.Fatal(err)
	}
	sound := openFacts(f, next)
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
		binary.LittleEndian.PutUint32(block[body:], sum)
		p, err := piece.Open(t.Context(), piece.Blocks{block}, piece.NewCache(1<<20), factFormat)
		if err != nil {
			return
		}
		r := readFacts(t.Context(), p)
		for k := range whole.index {
			for _, g := range r.newest(nil, k, math.MaxInt32) {
				r.meaning(g.number)
				r.signature(g.number)
			}
		}
		var merged piece.Blocks
		err = mergeFacts([]*factReader{readFacts(t.Context(), p), readFacts(t.Context(), sound)}, merged.Emit)
		switch {
		case err != nil && !errors.Is(err, piece.ErrDamaged):
			t.Errorf("got %v, want that the piece is damaged", err)
		case err == nil:
			openFacts(t, merged)
		case mask == 0:
			t.Error(err)
		}
	})
}

// openFacts opens a fact piece.
func openFacts(t testing.TB, blocks piece.Blocks) *piece.Piece {
	t.Helper()
	p, err := piece.Open(t.Context(), blocks, piece.NewCache(1<<20), factFormat)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
