package ranking_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// counted is a source that counts the blocks which are in memory.
type counted struct {
	piece.Blocks
	held *atomic.Int32
}

func (c counted) Block(ctx context.Context, n int) ([]byte, error) {
	b, err := c.Blocks.Block(ctx, n)
	if b == nil {
		return nil, err
	}
	copied := bytes.Clone(b)
	c.held.Add(1)
	runtime.AddCleanup(&copied[0], func(held *atomic.Int32) { held.Add(-1) }, c.held)
	return copied, err
}

// TestAtRest: an index at rest keeps no block of its pieces in memory, reads nothing, and
// answers as before in its next session.
func TestAtRest(t *testing.T) {
	t.Parallel()
	var blocks piece.Blocks
	if err := indexOf(chatter(rand.New(rand.NewPCG(11, 11)), 900)).Write(0, 900, blocks.Emit); err != nil {
		t.Fatal(err)
	}
	var held atomic.Int32
	p, err := ranking.OpenPiece(t.Context(), counted{blocks, &held}, piece.NewCache(1))
	if err != nil {
		t.Fatal(err)
	}
	x := over(t, p)
	q := ranking.Query{Text: "Which kayak did Bert choose?"}
	before := x.Search(q)
	if err := x.End(); err != nil || len(before) == 0 {
		t.Fatal(err, before)
	}
	p.Drop()
	for range 100 { // cleanups run behind a collection
		if runtime.GC(); held.Load() == 0 {
			break
		}
		runtime.Gosched()
	}
	if held.Load() != 0 {
		t.Errorf("an index at rest keeps %d blocks", held.Load())
	}
	if x.Search(q); x.Err() == nil || x.End() == nil {
		t.Error("a search without a session has no error")
	}
	x.Read(t.Context())
	same(t, "in another session", indexOf(chatter(rand.New(rand.NewPCG(11, 11)), 900)), x)
}

// TestSizeAtRest: an index over pieces with an empty head is a few KiB, whatever it has
// found.
func TestSizeAtRest(t *testing.T) {
	t.Parallel()
	whole := indexOf(filledDocuments(900))
	a, _ := written(t, whole, 0, 600)
	b, _ := written(t, whole, 600, 900)
	x := over(t, a, b)
	x.Search(ranking.Query{Text: filledDocuments(900)[5].Text})
	if err := x.End(); err != nil {
		t.Fatal(err)
	}
	if got := x.Size(); got < a.Size()+b.Size() || got > 8<<10 {
		t.Errorf("got %d bytes, of which the pieces are %d", got, a.Size()+b.Size())
	}
}

// TestTainted: an index tells for the messages that it holds, in pieces and in its head,
// whether they are tainted. One of the pieces has no tainted message.
func TestTainted(t *testing.T) {
	t.Parallel()
	marked := func(i int) bool { return i%7 == 0 && (i < 30 || i >= 70) }
	docs := chatter(rand.New(rand.NewPCG(12, 12)), 90)
	for i := range docs {
		docs[i].Tainted = marked(i)
	}
	whole := indexOf(docs)
	a, _ := written(t, whole, 0, 30)
	b, _ := written(t, whole, 30, 70)
	x := over(t, a, b)
	for _, d := range docs[70:] {
		x.Add(d)
	}
	for i := range docs {
		if tainted := x.Tainted(docs[i].MessageID); tainted != marked(i) {
			t.Errorf("message %d: got %v", i, tainted)
		}
		if x.Tainted(docs[i].MessageID + 1) {
			t.Errorf("there is no message %d", docs[i].MessageID+1)
		}
	}
	if x.Tainted(0) {
		t.Error("an id below all others is known")
	}
}
