package ranking

import (
	"encoding/binary"

	"github.com/hermes-memory/hermes/internal/piece"
)

// words are the words that a search has looked up, each in all parts.
type words struct {
	lists    []termRef // of each word in each part
	messages []int32   // with each word, in all parts
}

// termRef is a term of a part; none, and the number of messages with it.
type termRef struct{ id, messages int32 }

// lookUp finds a word in all parts, and returns its number in this search; none if no
// message has it.
func (x *Index) lookUp(stem string) int32 {
	w, all := &x.scratch.words, int32(0)
	from, hash := len(w.lists), piece.Hash(stem)
	for _, p := range x.parts {
		id, messages := p.term(stem, hash)
		w.lists = append(w.lists, termRef{id, messages})
		all += messages
	}
	if all == 0 {
		w.lists = w.lists[:from]
		return none
	}
	w.messages = append(w.messages, all)
	return int32(len(w.messages) - 1)
}

// messages is the number of messages with a word of this search.
func (x *Index) messages(word int32) int32 {
	if word < 0 {
		return 0
	}
	return x.scratch.words.messages[word]
}

// newestWith appends the newest most messages with a word, oldest first.
func (x *Index) newestWith(to []posting, word, most int32) []posting {
	parts := len(x.parts)
	skip := max(0, x.messages(word)-most)
	for i, ref := range x.scratch.words.lists[int(word)*parts : (int(word)+1)*parts] {
		if skip >= ref.messages {
			skip -= ref.messages
			continue
		}
		to = x.parts[i].postings(to, ref.id, skip, x.bases[i])
		skip = 0
	}
	return to
}

// clear forgets the words.
func (w *words) clear() { w.lists, w.messages = w.lists[:0], w.messages[:0] }

// wordsOf are the hashes of the first different words of message d, 4 bytes each.
func (x *Index) wordsOf(d int32) []byte {
	in, n := x.at(d)
	return x.parts[in].words(n)
}

// verbs is the weight of the question's verbs in message d itself, in the form of the
// question. Speakers name a thing once and then omit it, but they repeat the verbs.
func (l *look) verbs(d int32) float32 {
	if len(l.q.verbs) == 0 {
		return 0
	}
	var sum float32
	for words := l.x.wordsOf(d); len(words) >= hashSize; words = words[hashSize:] {
		hash := binary.LittleEndian.Uint32(words)
		for _, i := range l.q.verbs {
			if t := &l.q.terms[i]; t.hash == hash {
				sum += t.idf
			}
		}
	}
	return sum
}
