package ranking_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// BenchmarkRest measures the memory of an index at rest, after a search: over three pieces
// and a head, and what [ranking.Index.Size] says of it.
func BenchmarkRest(b *testing.B) {
	for _, inHead := range []int{0, 40, 130} {
		b.Run(fmt.Sprint(inHead), func(b *testing.B) {
			const inPieces = 1024 + 256 + 64
			docs := filledDocuments(inPieces + inHead)
			whole := indexOf(docs[:inPieces])
			var pieces []*ranking.Piece
			for _, r := range [][2]int{{0, 1024}, {1024, 1280}, {1280, inPieces}} {
				p, _ := written(b, whole, r[0], r[1])
				pieces = append(pieces, p)
			}
			kept := make([]*ranking.Index, 0, b.N)
			before := heap()
			for b.Loop() {
				x := over(b, pieces...)
				for _, d := range docs[inPieces:] {
					x.Add(d)
				}
				x.Search(ranking.Query{Text: docs[7].Text})
				if err := x.End(); err != nil {
					b.Fatal(err)
				}
				kept = append(kept, x)
			}
			b.ReportMetric(float64(heap()-before)/float64(len(kept)), "B/index")
			b.ReportMetric(float64(kept[0].Size()), "B/said")
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
