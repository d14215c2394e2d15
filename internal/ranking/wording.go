package ranking

// wordings keep which words each message holds, so that messages can be compared
// with one another: the places of their terms. Searches read thousands of them,
// and four bytes are read faster than the two that a varint would take.
type wordings struct {
	words []int32
	ends  []int32 // where each message's end in words
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
	w.words = append(w.words, w.under...)
	w.ends = append(w.ends, int32(len(w.words)))
	w.under = w.under[:0]
}

// of is what is kept of message d.
func (w *wordings) of(d int32) []int32 {
	if d == 0 {
		return w.words[:w.ends[0]]
	}
	return w.words[w.ends[d-1]:w.ends[d]]
}

func (w *wordings) size() int64 { return 4 * int64(cap(w.words)+cap(w.ends)) }

// verbs is the weight of the question's verbs that stand in message d itself, as
// they are asked for. Who talks of a thing names it once and then leaves it out;
// what is done with it is said each time.
func (l *look) verbs(d int32) float32 {
	if len(l.q.verbs) == 0 {
		return 0
	}
	var sum float32
	for _, word := range l.x.wordings.of(d) {
		for _, i := range l.q.verbs {
			if t := &l.q.terms[i]; t.list == word {
				sum += t.idf
			}
		}
	}
	return sum
}
