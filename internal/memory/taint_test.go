package memory

import (
	"context"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// transcript is a store with the messages of one lineage.
type transcript struct {
	Archive // of which only the method below is used
	docs    []ranking.Document
}

func (s *transcript) DocumentsBefore(_ context.Context, _ owner.Owner, _ Scope, _ session.ID, seq int64, limit int) (out []ranking.Document, err error) {
	for i := len(s.docs) - 1; i >= 0 && len(out) < limit; i-- {
		if s.docs[i].Seq < seq {
			out = append(out, s.docs[i])
		}
	}
	return out, nil
}

// tells reports what a view says of a message.
func tells(v *View, id int64) bool {
	defer v.reading()()
	return v.corpus.tainted(id)
}

// TestTaintOverPieces: an answer is tainted by a result that was read before it, also if a
// piece took the result over before the view read it.
func TestTaintOverPieces(t *testing.T) {
	t.Parallel()
	docs := []ranking.Document{
		{Role: session.User, Text: "What is new at the harbour?"},
		{Role: session.Tool, Text: "The ferry is late.", Note: session.FoundNote},
		{Role: session.Assistant, Text: "The ferry is late, I read."},
		{Role: session.User, Text: "Thank you."},
		{Role: session.Assistant, Text: "You are welcome."},
	}
	for i := range docs {
		docs[i].MessageID, docs[i].Seq, docs[i].Root, docs[i].SessionID = int64(i+1), int64(i), "s", "s"
	}
	for covered := range len(docs) {
		from := &source{ctx: t.Context(), store: &transcript{docs: docs}}
		v := newView(from)
		whole := ranking.New()
		for i := range covered {
			v.Learn(docs[i])
			if searched(&docs[i]) {
				whole.Add(docs[i])
			}
			if i == 0 { // the view has read the question, and not what follows
				v.Search(ranking.Query{Text: "harbour"})
			}
		}
		if covered > 0 {
			var b piece.Blocks
			if err := whole.Write(0, whole.Len(), b.Emit); err != nil {
				t.Fatal(err)
			}
			p, err := ranking.OpenPiece(t.Context(), b, piece.NewCache(1<<20))
			if err != nil {
				t.Fatal(err)
			}
			part := messagePart{Piece{Span: Span{0, int64(covered)}, Count: whole.Len()}, p}
			if rests, err := v.rest(&stored{source: from}, []messagePart{part}); !rests || err != nil {
				t.Fatal(rests, err)
			}
		}
		for i := range docs[covered:] {
			v.Learn(docs[covered+i])
		}
		v.Search(ranking.Query{Text: "ferry"})
		if covered <= 2 && !tells(v, 3) {
			t.Errorf("with %d messages in a piece the answer that repeats a result is not tainted", covered)
		}
		if covered <= 4 && tells(v, 5) {
			t.Errorf("with %d messages in a piece an answer to the user alone is tainted", covered)
		}
	}
}
