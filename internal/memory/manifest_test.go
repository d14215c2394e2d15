package memory

import (
	"slices"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// TestManifestGap: the pieces after a gap are in no run, and are all told apart. A piece in a format of
// another version is a gap.
func TestManifestGap(t *testing.T) {
	t.Parallel()
	piece := func(id PieceID, kind PieceKind, format int, first, last int64) Piece {
		return Piece{ID: id, Kind: kind, Format: format, Span: Span{first, last}}
	}
	const now = ranking.PieceFormat
	m := Manifest{Pieces: []Piece{
		piece(1, FactPiece, factFormat, 3, 9),
		piece(2, MessagePiece, now, 0, 4), piece(3, MessagePiece, now, 5, 6), piece(4, MessagePiece, now, 8, 9),
	}}
	old := Manifest{Pieces: []Piece{
		piece(5, FactPiece, factFormat-1, 0, 9),
		piece(6, MessagePiece, now, 0, 4), piece(7, MessagePiece, now-1, 5, 6), piece(8, MessagePiece, now, 7, 9),
	}}
	for _, tt := range []struct {
		m           *Manifest
		kind        PieceKind
		run, beyond []PieceID
	}{
		{&m, MessagePiece, []PieceID{2, 3}, []PieceID{4}},
		{&m, FactPiece, nil, []PieceID{1}},
		{&old, MessagePiece, []PieceID{6}, []PieceID{7, 8}},
		{&old, FactPiece, nil, []PieceID{5}},
	} {
		var run []PieceID
		for _, p := range tt.m.Run(tt.kind) {
			run = append(run, p.ID)
		}
		if beyond := tt.m.Beyond(tt.kind); !slices.Equal(run, tt.run) || !slices.Equal(beyond, tt.beyond) {
			t.Errorf("%s: got the run %d and beyond it %d, want %d and %d", tt.kind, run, beyond, tt.run, tt.beyond)
		}
	}
}
