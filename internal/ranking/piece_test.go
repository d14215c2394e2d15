package ranking_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// written writes a run of an index as a piece and opens it.
func written(tb testing.TB, x *ranking.Index, from, to int) (*ranking.Piece, piece.Blocks) {
	tb.Helper()
	var blocks piece.Blocks
	if err := x.Write(from, to, blocks.Emit); err != nil {
		tb.Fatal(err)
	}
	p, err := ranking.OpenPiece(context.Background(), blocks, piece.NewCache(math.MaxInt64))
	if err != nil {
		tb.Fatal(err)
	}
	return p, blocks
}

func over(tb testing.TB, pieces ...*ranking.Piece) *ranking.Index {
	tb.Helper()
	x, err := ranking.Over(context.Background(), pieces...)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// chatter is messages of lineages that interleave, with long pauses between some, in the
// sentences below, by three speakers.
func chatter(r *rand.Rand, n int) []ranking.Document {
	sentences := []string{
		"Which kayak did you choose?", "The green kayak, last Tuesday.", "I met Anna in Lyon.", "We destroyed the oven on 3 May 2023.",
		"The destruction was total!", "I play the cello, and Bert plays drums.", "My e-mail is late again.", "",
		"An oncologist examined the tumour.", "\"The Kayak\" is a book I like.", "Did Clara buy 3 kayaks?", "Bread.",
	}
	var docs []ranking.Document
	at := day
	for i := range n {
		lineage := r.IntN(3)
		text := sentences[r.IntN(len(sentences))]
		if r.IntN(3) == 0 {
			text += " " + wordsOf(r, 5)
		}
		at = at.Add([]time.Duration{time.Second, time.Minute, 3 * time.Hour, 30 * time.Hour}[r.IntN(4)])
		d := ranking.Document{
			MessageID: int64(3*i + 5), Root: session.ID(fmt.Sprint("r", lineage)), SessionID: session.ID(fmt.Sprint("r", lineage, i/40)),
			Seq: int64(i), Role: session.User, Speaker: []string{"Anna", "Bert", "Clara", ""}[r.IntN(4)], Text: text, SaidAt: at,
		}
		if r.IntN(5) == 0 {
			d.Role, d.Speaker = session.Assistant, ""
		}
		docs = append(docs, d)
	}
	return docs
}

func questions() []string {
	return []string{
		"Which kayak did Bert choose?", "When was the oven destroyed?", "Who plays an instrument?", "What happened on 3 May 2023?",
		"kayaks", "Did I have cancer treatments?", "What did Anna and Bert buy in Lyon?", "email", "What was said on 6 June 2023?", "",
	}
}

// failer is a test or a check of a property.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// same asks two indexes the same.
func same(t failer, what string, want, got *ranking.Index) {
	for _, text := range questions() {
		q := ranking.Query{Text: text, Explain: true, Limit: 15}
		if diff := cmp.Diff(want.Search(q), got.Search(q)); diff != "" {
			t.Fatalf("%s, %q (-one part +divided):\n%s", what, text, diff)
		}
	}
	if err := got.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestDivision is a property: however the messages are divided into pieces, and however
// these were merged, the hits, scores and reasons are those of an index in one part.
func TestDivision(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(rt, "messages")
		docs := chatter(rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)), n)
		whole := indexOf(docs)
		var pieces []*ranking.Piece
		x, from := over(t), 0
		for i := range docs {
			x.Add(docs[i])
			if rapid.IntRange(0, 9).Draw(rt, "cut") == 0 {
				p, _ := written(t, x, from, i+1)
				pieces, from = append(pieces, p), i+1
				x = over(t, pieces...)
			}
		}
		same(rt, fmt.Sprintf("%d pieces and a head", len(pieces)), whole, x)
		if len(pieces) > 1 {
			at := rapid.IntRange(0, len(pieces)-2).Draw(rt, "merge")
			start := 0
			for _, p := range pieces[:at] {
				start += p.Len()
			}
			merged, _ := written(t, x, start, start+pieces[at].Len()+pieces[at+1].Len())
			rest := append(append(append([]*ranking.Piece{}, pieces[:at]...), merged), pieces[at+2:]...)
			x = over(t, rest...)
			for i := from; i < n; i++ {
				x.Add(docs[i])
			}
			same(rt, "merged", whole, x)
		}
		until := rapid.IntRange(0, n).Draw(rt, "until")
		past, err := x.Until(context.Background(), int64(3*until+4))
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, fmt.Sprintf("the first %d", until), indexOf(docs[:until]), past)
	})
}

// TestPieceIsReproduced: a piece merged from two has the bytes of one that was written in
// one go.
func TestPieceIsReproduced(t *testing.T) {
	t.Parallel()
	docs := chatter(rand.New(rand.NewPCG(7, 7)), 200)
	x := indexOf(docs)
	a, _ := written(t, x, 0, 77)
	b, _ := written(t, x, 77, 200)
	_, want := written(t, x, 0, 200)
	_, got := written(t, over(t, a, b), 0, 200)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("the bytes differ")
	}
}

// TestPieceSource: what a source fails with is the error of the search.
func TestPieceSource(t *testing.T) {
	t.Parallel()
	var blocks piece.Blocks
	if err := indexOf(chatter(rand.New(rand.NewPCG(8, 8)), 900)).Write(0, 900, blocks.Emit); err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost")
	if err := search(t, &failing{Blocks: blocks}); err != nil {
		t.Fatal(err)
	}
	for fails := 1; ; fails++ { // at every block that is read
		source := &failing{blocks, lost, fails}
		err := search(t, source)
		if source.left > 0 {
			break
		}
		if !errors.Is(err, lost) {
			t.Fatalf("block %d: got %v, want the error of the source", fails, err)
		}
	}
}

// search asks a piece whose blocks are not kept in memory.
func search(t *testing.T, source piece.Source) error {
	p, err := ranking.OpenPiece(t.Context(), source, piece.NewCache(1))
	if err != nil {
		return err
	}
	x, err := ranking.Over(t.Context(), p)
	if err != nil {
		return err
	}
	x.Search(ranking.Query{Text: "When was the oven destroyed?"})
	return x.Err()
}

// TestRestReadsNoOldPiece: the pieces that an index leaves are gone from the store already.
func TestRestReadsNoOldPiece(t *testing.T) {
	t.Parallel()
	all := chatter(rand.New(rand.NewPCG(5, 8)), 1000)
	whole := indexOf(all)
	var blocks piece.Blocks
	if err := whole.Write(0, 900, blocks.Emit); err != nil {
		t.Fatal(err)
	}
	source := &failing{Blocks: blocks, err: errors.New("gone")}
	old, err := ranking.OpenPiece(t.Context(), source, piece.NewCache(1))
	if err != nil {
		t.Fatal(err)
	}
	x := over(t, old)
	for _, d := range all[900:] {
		x.Add(d)
	}
	if err := x.End(); err != nil {
		t.Fatal(err)
	}
	merged, _ := written(t, whole, 0, 950)
	source.left = 1 // the next read fails
	x.Read(t.Context())
	rested, err := x.Rest(t.Context(), 900, all[949].MessageID, merged)
	if err != nil {
		t.Fatal(err)
	}
	if rested.Len() != len(all) {
		t.Errorf("got %d messages, want %d", rested.Len(), len(all))
	}
}

// failing is a source that fails after so many blocks; 0 never.
type failing struct {
	piece.Blocks
	err  error
	left int
}

func (f *failing) Block(ctx context.Context, n int) ([]byte, error) {
	if f.left--; f.left == 0 {
		return nil, f.err
	}
	return f.Blocks.Block(ctx, n)
}

// TestRest: an index that hands its oldest messages to pieces answers as before, and takes
// more.
func TestRest(t *testing.T) {
	t.Parallel()
	all := chatter(rand.New(rand.NewPCG(3, 18)), 300)
	whole, resting := indexOf(nil), indexOf(nil)
	for i, d := range all {
		whole.Add(d)
		resting.Add(d)
		if i%70 != 69 {
			continue
		}
		covered := i + 1 - i%13
		p, _ := written(t, whole, 0, covered)
		var err error
		if resting, err = resting.Rest(t.Context(), 0, all[covered-1].MessageID, p); err != nil {
			t.Fatal(err)
		}
		if resting.Len() != whole.Len() {
			t.Fatalf("got %d messages, want %d", resting.Len(), whole.Len())
		}
		for _, q := range questions() {
			ask := ranking.Query{Text: q, Explain: true, Undone: func(id int64) bool { return id%7 == 0 }}
			if diff := cmp.Diff(whole.Search(ask), resting.Search(ask)); diff != "" {
				t.Fatalf("%q after %d messages (-whole +resting):\n%s", q, i+1, diff)
			}
		}
	}
}
