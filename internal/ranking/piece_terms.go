package ranking

import (
	"bytes"
	"iter"
)

// termWalks read the terms of several parts of an index together, in the order of their stems. The parts of a large
// index have hundreds of thousands of terms together, so that only the next one of each is held.
type termWalks []*termWalk

// termWalk reads the terms of one part.
type termWalk struct {
	in   int // the part
	stem []byte
	id   int32
	left bool // stem and id are a term that was not passed
	pull func() ([]byte, int32, bool)
	stop func()
}

// walkTerms reads the terms of the parts that have messages of the piece.
func (p *pieceWriter) walkTerms() (all termWalks) {
	for in, part := range p.x.parts {
		if base := p.x.bases[in]; base < p.to && base+part.size() > p.from {
			w := &termWalk{in: in}
			w.pull, w.stop = iter.Pull2(part.terms())
			w.step()
			all = append(all, w)
		}
	}
	return all
}

func (w *termWalk) step() { w.stem, w.id, w.left = w.pull() }

// next puts the least stem that is left in a buffer; false if none is left.
func (all termWalks) next(stem *[]byte) bool {
	var least *termWalk
	for _, w := range all {
		if w.left && (least == nil || bytes.Compare(w.stem, least.stem) < 0) {
			least = w
		}
	}
	if least == nil {
		return false
	}
	*stem = append((*stem)[:0], least.stem...)
	return true
}

// pass appends the postings of a stem that next found, those of each part in turn, and leaves the stem behind.
func (all termWalks) pass(stem []byte, found []posting, x *Index) []posting {
	for _, w := range all {
		if w.left && bytes.Equal(w.stem, stem) {
			found = x.parts[w.in].postings(found, w.id, 0, x.bases[w.in])
			w.step()
		}
	}
	return found
}

// end ends the reading.
func (all termWalks) end() {
	for _, w := range all {
		w.stop()
	}
}
