package ranking_test

import (
	"fmt"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// BenchmarkSearchPieces is BenchmarkSearch over pieces and a head of fifty messages.
func BenchmarkSearchPieces(b *testing.B) {
	for _, sizes := range [][]int{{4096, 1024, 256, 256, 256, 64}, {65536, 16384, 16384, 1024, 256, 256, 64}} {
		n := 50
		for _, size := range sizes {
			n += size
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs := filledDocuments(n)
			whole := indexOf(docs)
			var pieces []*ranking.Piece
			bytes, from := 0, 0
			for _, size := range sizes {
				p, blocks := written(b, whole, from, from+size)
				for _, block := range blocks {
					bytes += len(block)
				}
				pieces, from = append(pieces, p), from+size
			}
			x := over(b, pieces...)
			for _, d := range docs[from:] {
				x.Add(d)
			}
			benchmarkSearch(b, x)
			b.ReportMetric(float64(bytes)/float64(from), "B/message")
		})
	}
}
