package memory

import "testing"

// TestMergingIsNotRepeated: a scope that grows by small pieces has few of them, and each message is
// written again a number of times that grows with the logarithm of theirs.
func TestMergingIsNotRepeated(t *testing.T) {
	const least, pieces = 128, 4096
	var run []Piece
	written, longest := 0, 0
	for range pieces {
		run = append(run, Piece{Count: least + least/4})
		for n := mergeable(run, least); n > 0; n = mergeable(run, least) {
			whole := merged(run[len(run)-n:])
			run = append(run[:len(run)-n], whole)
			written += whole.Count
		}
		longest = max(longest, len(run))
	}
	levels := sizeOf(pieces*least, least)
	if all := pieces * (least + least/4); written > levels*all || longest > fan*levels {
		t.Fatalf("%d pieces make up to %d, and write each message %.1f times", pieces, longest, float64(written)/float64(all))
	}
}

// TestMergingOfRemnants: pieces of which little is left do not gather.
func TestMergingOfRemnants(t *testing.T) {
	run := make([]Piece, fan)
	if n := mergeable(run, 128); n != fan {
		t.Fatalf("%d of %d empty pieces are merged", n, fan)
	}
}

// TestMergingIsBounded: a scope may grow beyond what a store can number in one piece. Its largest pieces
// stay apart, and small ones are merged all the same.
func TestMergingIsBounded(t *testing.T) {
	const least, grown = 128, 4 * mostBlocks
	var run []Piece
	for range grown {
		run = append(run, Piece{Count: least, Blocks: 1})
		for n := mergeable(run, least); n > 0; n = mergeable(run, least) {
			whole := Piece{}
			for _, p := range run[len(run)-n:] {
				whole.Count, whole.Blocks = whole.Count+p.Count, whole.Blocks+p.Blocks
			}
			if whole.Blocks > mostBlocks {
				t.Fatalf("a piece of %d blocks", whole.Blocks)
			}
			run = append(run[:len(run)-n], whole)
		}
	}
	if most := fan * sizeOf(grown*least, least); len(run) > most {
		t.Errorf("%d pieces, want at most %d", len(run), most)
	}
}
