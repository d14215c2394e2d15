package httpapi

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/live"
)

// TestNodeFeedTellsLongTexts: an open region beyond the bound is told as text, then as what
// is appended, and as nodes when it ends.
func TestNodeFeedTellsLongTexts(t *testing.T) {
	t.Parallel()
	var f nodeFeed
	tell := func(text string) nodePiece {
		f.add(&live.Piece{Content: text})
		out, _ := f.take()
		return out
	}
	if got := tell("- short\n"); len(got.Blocks) != 1 || got.Blocks[0].Nodes == nil {
		t.Errorf("a short region: got %+v", got)
	}
	rest := strings.Repeat("- item\n", maxOpenNodes/7)
	if got := tell(rest); len(got.Blocks) != 1 || got.Blocks[0].Text != "- short\n"+rest || got.Blocks[0].Nodes != nil {
		t.Errorf("beyond the bound: got %d regions", len(got.Blocks))
	}
	if got := tell("- more \u202e\n"); len(got.Blocks) != 1 || got.Blocks[0].Append != "- more \ufffd\n" {
		t.Errorf("more of it: got %+v", got)
	}
	f.skip()
	if got := tell("- again\n"); len(got.Blocks) != 1 || !strings.HasPrefix(got.Blocks[0].Text, "- short\n") {
		t.Errorf("after a gap: got %d regions, want the text from its beginning", len(got.Blocks))
	}
	got := tell("\nThe end.\n")
	if len(got.Blocks) != 2 || got.Blocks[0].Nodes == nil || got.Blocks[1].Block != 1 || got.Blocks[1].Nodes == nil {
		t.Errorf("at its end: got %d regions", len(got.Blocks))
	}
	f.add(&live.Piece{Reasoning: "a"})
	f.add(&live.Piece{Reasoning: "b", ToolCalls: []live.CallPart{{Name: "x"}}})
	if got, any := f.take(); !any || got.Reasoning != "ab" || len(got.ToolCalls) != 1 || got.Blocks != nil {
		t.Errorf("without text: got %+v", got)
	}
	if got, any := f.take(); any {
		t.Errorf("nothing new: got %+v", got)
	}
}
