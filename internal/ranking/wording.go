package ranking

// wordings are the words of each message, for comparing messages with one another. A
// word is the index of its term in two bytes, which is enough for most, so that no
// branch is needed to read them. A larger index follows a farWord in two halves.
type wordings struct {
	words []uint16
	ends  []int32 // end of each message's words
	under []int32 // the words of the message being added
	like  comparison
	// fetched is never used. Writing it keeps the compiler from removing the reads.
	fetched uint16
}

// mostWords bounds the words stored per message. A chat turn has fewer content words,
// and the beginning of a long text tells its subject.
const mostWords = 64

// farWord precedes an index that needs more than two bytes.
const farWord = 1<<16 - 1

// nextWord reads the index of a term and returns the rest.
func nextWord(words []uint16) (term int32, rest []uint16) {
	if words[0] != farWord {
		return int32(words[0]), words[1:]
	}
	return int32(words[1])<<16 | int32(words[2]), words[3:]
}

// meet adds a word of the message being added, at its first occurrence.
func (w *wordings) meet(term int32) {
	if len(w.under) < mostWords {
		w.under = append(w.under, term)
	}
}

// keep finishes the message being added.
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

// of are the stored words of message d.
func (w *wordings) of(d int32) []uint16 {
	if d == 0 {
		return w.words[:w.ends[0]]
	}
	return w.words[w.ends[d-1]:w.ends[d]]
}

// fetch loads the words of a message into the cache. Called for many messages in
// advance, it lets the processor wait for all of them concurrently, instead of for one
// after the other.
func (w *wordings) fetch(d int32) {
	const line = 32 // words in a cache line
	words := w.of(d)
	for i := 0; i < len(words); i += line {
		w.fetched += words[i]
	}
}

func (w *wordings) size() int64 { return 2*int64(cap(w.words)) + 4*int64(cap(w.ends)) }

// verbs is the weight of the question's verbs in message d itself, in the form of the
// question. Speakers name a thing once and then omit it, but they repeat the verbs.
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
