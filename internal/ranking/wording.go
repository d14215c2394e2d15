package ranking

// wordings are the words of each message, as indexes of terms, for comparing messages
// with one another.
type wordings struct {
	words []int32
	ends  []int32 // end of each message's words
	first int     // where the words of the message being added begin
	like  comparison
	// fetched is never used. Writing it keeps the compiler from removing the reads.
	fetched int32
}

// mostWords bounds the words stored per message. A chat turn has fewer content words,
// and the beginning of a long text tells its subject.
const mostWords = 64

// meet adds a word of the message being added, at its first occurrence.
func (w *wordings) meet(term int32) {
	if len(w.words)-w.first < mostWords {
		w.words = append(w.words, term)
	}
}

// keep finishes the message being added.
func (w *wordings) keep() {
	w.first = len(w.words)
	w.ends = append(w.ends, int32(w.first))
}

// of are the stored words of message d.
func (w *wordings) of(d int32) []int32 {
	if d == 0 {
		return w.words[:w.ends[0]]
	}
	return w.words[w.ends[d-1]:w.ends[d]]
}

// fetch loads the words of a message into the cache. Called for many messages in
// advance, it lets the processor wait for all of them concurrently, instead of for one
// after the other.
func (w *wordings) fetch(d int32) {
	const line = 16 // words in a cache line
	words := w.of(d)
	for i := 0; i < len(words); i += line {
		w.fetched += words[i]
	}
}

func (w *wordings) size() int64 { return 4*int64(cap(w.words)) + 4*int64(cap(w.ends)) }

// verbs is the weight of the question's verbs in message d itself, in the form of the
// question. Speakers name a thing once and then omit it, but they repeat the verbs.
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
