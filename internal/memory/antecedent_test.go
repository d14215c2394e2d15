package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// spokenBefore has the messages of lineages, and counts the reads of their newest ones.
type spokenBefore struct {
	Archive // of which only the method below is used
	docs    []ranking.Document
	reads   int
}

func (s *spokenBefore) DocumentsBefore(
	_ context.Context, _ owner.Owner, _ Scope, root session.ID, seq int64, limit int,
) (out []ranking.Document, err error) {
	s.reads++
	for _, d := range s.docs {
		if d.Root == root && d.Seq < seq {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b ranking.Document) int { return cmp.Compare(b.Seq, a.Seq) })
	return out[:min(limit, len(out))], nil
}

// TestKnownAntecedents: the newest messages of lineages that were read with a scope are not read again,
// unless they were not stored in their order, or are too many lineages.
func TestKnownAntecedents(t *testing.T) {
	t.Parallel()
	store := &spokenBefore{}
	newest := make(newestDocuments)
	read := func(root session.ID, seqs ...int64) {
		for _, seq := range seqs {
			d := ranking.Document{MessageID: int64(len(store.docs)), Root: root, Seq: seq, Role: session.User, Text: fmt.Sprint(root, " ", seq)}
			store.docs = append(store.docs, d)
			newest.see(&d)
		}
	}
	read("long", 0, 1, 2, 3, 4, 5)
	read("short", 0, 1)
	read("mixed", 0, 2, 1, 3)
	for i := range mostAntecedents {
		read(session.ID(fmt.Sprint("other ", i)), 0, 1, 2, 3, 4)
	}
	n := antecedents{from: &source{ctx: t.Context(), store: store}}
	n.know(newest)
	for _, c := range []struct {
		root  session.ID
		seq   int64
		want  string
		reads int
	}{
		{"long", 6, "long 5 long 4 long 3 long 2 ", 0},
		{"short", 2, "short 1 short 0 ", 0},
		{"mixed", 4, "mixed 3 mixed 2 mixed 1 mixed 0 ", 1},
		{"other 0", 5, "other 0 4 other 0 3 other 0 2 other 0 1 ", 0},
		{session.ID(fmt.Sprint("other ", mostAntecedents-1)), 5, "other 63 4 other 63 3 other 63 2 other 63 1 ", 1},
	} {
		store.reads = 0
		got := ""
		found, err := n.before(&message{Document: ranking.Document{Root: c.root, Seq: c.seq}})
		for i := range found {
			got += found[i].Text + " "
		}
		if err != nil || got != c.want || store.reads != c.reads {
			t.Errorf("%s: got %q by %d reads, want %q by %d (%v)", c.root, got, store.reads, c.want, c.reads, err)
		}
	}
}
