package memory

import (
	"slices"
	"testing"
)

// TestManifestGap: the pieces after a gap are in no run, and are all told apart.
func TestManifestGap(t *testing.T) {
	t.Parallel()
	m := Manifest{Pieces: []Piece{
		{ID: 1, Kind: FactPiece, Span: Span{3, 9}},
		{ID: 2, Kind: MessagePiece, Span: Span{0, 4}}, {ID: 3, Kind: MessagePiece, Span: Span{5, 6}}, {ID: 4, Kind: MessagePiece, Span: Span{8, 9}},
	}}
	for kind, want := range map[PieceKind][2][]PieceID{MessagePiece: {{2, 3}, {4}}, FactPiece: {nil, {1}}} {
		var run []PieceID
		for _, p := range m.Run(kind) {
			run = append(run, p.ID)
		}
		if beyond := m.Beyond(kind); !slices.Equal(run, want[0]) || !slices.Equal(beyond, want[1]) {
			t.Errorf("%s: got the run %d and beyond it %d, want %d and %d", kind, run, beyond, want[0], want[1])
		}
	}
}
