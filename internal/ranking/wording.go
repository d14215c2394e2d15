package ranking

import "encoding/binary"

// wordings keep which words each message holds, so that messages can be compared
// with one another: the places of their terms, as varints, about two bytes each.
type wordings struct {
	data  []byte
	ends  []int32 // where each message's words end in data
	under []int32 // the words of the message being added
	like  comparison
}

// mostWords bounds what is kept of a message; a chat turn has fewer words that
// tell something, and of a long text the beginning says what it is about.
const mostWords = 64

// meet notes a word of the message being added, at its first occurrence.
func (w *wordings) meet(term int32) {
	if len(w.under) < mostWords {
		w.under = append(w.under, term)
	}
}

// keep closes the message being added.
func (w *wordings) keep() {
	for _, t := range w.under {
		w.data = binary.AppendUvarint(w.data, uint64(t))
	}
	w.ends = append(w.ends, int32(len(w.data)))
	w.under = w.under[:0]
}

// of is what is kept of message d.
func (w *wordings) of(d int32) []byte {
	if d == 0 {
		return w.data[:w.ends[0]]
	}
	return w.data[w.ends[d-1]:w.ends[d]]
}

func (w *wordings) size() int64 { return int64(cap(w.data)) + 4*int64(cap(w.ends)) }

// verbs is the weight of the question's verbs that stand in message d itself, as
// they are asked for. Who talks of a thing names it once and then leaves it out;
// what is done with it is said each time.
func (l *look) verbs(d int32) float32 {
	if len(l.q.verbs) == 0 {
		return 0
	}
	var sum float32
	for b := l.x.wordings.of(d); len(b) > 0; {
		var word int32
		word, b = nextWord(b)
		for _, i := range l.q.verbs {
			if t := &l.q.terms[i]; t.list == word {
				sum += t.idf
			}
		}
	}
	return sum
}

// nextWord reads the place of a term and returns what follows it. Most places
// take two bytes, and searches read thousands.
func nextWord(b []byte) (term int32, rest []byte) {
	if b[0] < 0x80 {
		return int32(b[0]), b[1:]
	}
	if len(b) > 1 && b[1] < 0x80 {
		return int32(b[0]&0x7f) | int32(b[1])<<7, b[2:]
	}
	v, n := binary.Uvarint(b)
	return int32(v), b[n:] //nolint:gosec // it was a place when it was written
}
