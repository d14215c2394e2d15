package ranking

// wordings keep which words each message holds, so that messages can be compared
// with one another: the places of their terms, in two bytes each, which is what most
// need and is read without a look at the byte before. A place beyond that follows a
// farWord, in two halves.
type wordings struct {
	words []uint16
	ends  []int32 // where each message's end in words
	under []int32 // the words of the message being added
	like  comparison
	// fetched is never used; writing it keeps the compiler from dropping the reads.
	fetched uint16
}

// mostWords bounds what is kept of a message; a chat turn has fewer words that
// tell something, and of a long text the beginning says what it is about.
const mostWords = 64

// farWord stands before a place that takes more than two bytes.
const farWord = 1<<16 - 1

// nextWord reads the place of a term and returns what follows it.
func nextWord(words []uint16) (term int32, rest []uint16) {
	if words[0] != farWord {
		return int32(words[0]), words[1:]
	}
	return int32(words[1])<<16 | int32(words[2]), words[3:]
}

// meet notes a word of the message being added, at its first occurrence.
func (w *wordings) meet(term int32) {
	if len(w.under) < mostWords {
		w.under = append(w.under, term)
	}
}

// keep closes the message being added.
func (w *wordings) keep() {
	for _, t := range w.under {
		if t < farWord {
			w.words = append(w.words, uint16(t))
		} else {
			w.words = append(w.words, farWord, uint16(t>>16), uint16(t&0xffff))
		}
	}
	w.ends = append(w.ends, int32(len(w.words)))
	w.under = w.under[:0]
}

// of is what is kept of message d.
func (w *wordings) of(d int32) []uint16 {
	if d == 0 {
		return w.words[:w.ends[0]]
	}
	return w.words[w.ends[d-1]:w.ends[d]]
}

// fetch has the words of a message brought near. Those of many lie far apart: a
// processor that is told of all their places first waits for them together, where
// one that reads message by message waits for each.
func (w *wordings) fetch(d int32) {
	const line = 32 // words in a cache line
	words := w.of(d)
	for i := 0; i < len(words); i += line {
		w.fetched += words[i]
	}
}

func (w *wordings) size() int64 { return 2*int64(cap(w.words)) + 4*int64(cap(w.ends)) }

// verbs is the weight of the question's verbs that stand in message d itself, as
// they are asked for. A speaker names a thing once and then leaves it
// out, but names each time what is done with it.
func (l *look) verbs(d int32) float32 {
	if len(l.q.verbs) == 0 {
		return 0
	}
	var sum float32
	for words := l.x.wordings.of(d); len(words) > 0; {
		var word int32
		word, words = nextWord(words)
		for _, i := range l.q.verbs {
			if t := &l.q.terms[i]; t.list == word {
				sum += t.idf
			}
		}
	}
	return sum
}
