package ranking

import "sync"

// scratches and entries are the buffers of searches and of readings of messages. All
// indexes share them, because an index is at rest for most of its life, and thousands of
// indexes are at rest at once.
var (
	scratches = sync.Pool{New: func() any { return new(scratch) }}
	entries   = sync.Pool{New: func() any { return new(entry) }}
)

// scratch holds the buffers of a search. All are empty between searches.
//
// A search reads a few thousand messages of perhaps a million. Its results for them lie
// together in cells in the order they are found, so that only the first access to a
// message misses the cache.
type scratch struct {
	places   []int32 // per message: its cell, 0 for none
	cells    []cell  // the first stands for all messages that have none
	hits     []hit   // the messages with a term: of the cells after the first
	found    []found // of all terms, one after the other
	ends     []termEnd
	grades   []uint8   // grades of the hits
	apart    []uint8   // the distances of messages from the question, by meaning
	touched  []int32   // cells with a window
	chosen   []int32   // the cells of anchors, if not all hits are anchors
	around   []int32   // touched by one term
	episodes []int32   // the cells of the first messages of episodes with a score
	perTerm  []int32   // touched by one term
	spans    []span    // of one message
	postings []posting // of one list
	texts    [][]byte  // the words of the hits

	words      words
	like       comparison
	rough      []rough
	candidates []candidate
	ranked     []candidate // the same in order
	// fetched is never used. Writing it keeps the compiler from removing the reads.
	fetched byte
}

// cell is the result of a search for one message.
type cell struct {
	doc     int32
	matched uint32  // the terms in an anchor, as bits
	own     float32 // BM25 of an anchor alone
	window  float32 // BM25 with the neighbours' occurrences
	near    float32 // occurrences of one term in and around the message
	norm    float32 // BM25's length norm of the message, once it has been read
	promise float32 // of a candidate, relative to the best one
	episode float32 // of the first message of an episode: BM25 of the episode
	inside  float32 // of such a message: occurrences of one term in the episode
	first   int32   // the cell of the first message of the episode; 0 is not known yet
	prev    int32   // the cells of the neighbours; 0 is not known yet
	next    int32
	// The numbers of its words in the comparison; 0 for an end that is not known yet.
	wordsFrom, wordsEnd int32
	anchor              bool // its words count for its neighbours
	read                bool // message is set
	message             doc
}

// fit makes room for so many messages.
func (s *scratch) fit(messages int32) {
	if len(s.places) < int(messages) {
		s.places = make([]int32, messages+messages/4+64)
	}
	if len(s.cells) == 0 {
		s.cells = append(s.cells, cell{doc: none})
	}
}

// hit is a message with a term, as the first pass finds it.
type hit struct {
	doc    int32
	terms  uint32  // the terms found in the message, as bits
	common uint32  // the common terms among its words, as bits
	glance float32 // the weight of the terms, without the message's length
}

// place is the index of message d's cell, which is created if absent.
func (s *scratch) place(d int32) int32 {
	p := s.places[d]
	if p == 0 {
		p = int32(len(s.cells))
		s.places[d] = p
		s.cells = append(s.cells, cell{doc: d})
	}
	return p
}

// see is the index of message d's cell, with the message in it.
func (x *Index) see(d int32) int32 {
	p := x.scratch.place(d)
	if c := &x.scratch.cells[p]; !c.read {
		x.read(&c.message, d)
		c.read = true
		c.norm = longPenalty(c.message.total)
	}
	return p
}

// before is the cell of the message before that of a cell which has been seen; none.
func (x *Index) before(p int32) int32 {
	c := &x.scratch.cells[p]
	if c.prev == 0 {
		prev := int32(none)
		if c.message.prev >= 0 {
			prev = x.see(c.message.prev)
		}
		c = &x.scratch.cells[p] // it may have moved
		c.prev = prev
	}
	return c.prev
}

// after is the cell of the message after that of a cell which has been seen; none.
func (x *Index) after(p int32) int32 {
	c := &x.scratch.cells[p]
	if c.next == 0 {
		next := int32(none)
		if c.message.next >= 0 {
			next = x.see(c.message.next)
		}
		c = &x.scratch.cells[p]
		c.next = next
	}
	return c.next
}

// episode is the cell of the first message of the episode of a cell which has been seen.
func (x *Index) episode(p int32) int32 {
	c := &x.scratch.cells[p]
	if c.first == 0 {
		first := x.scratch.place(c.message.first)
		c = &x.scratch.cells[p]
		c.first = first
	}
	return c.first
}

// clear clears what the search has used.
func (s *scratch) clear() {
	for i := range s.cells {
		if d := s.cells[i].doc; d >= 0 {
			s.places[d] = 0
		}
	}
	s.cells, s.hits, s.touched, s.episodes = s.cells[:min(1, len(s.cells))], s.hits[:0], s.touched[:0], s.episodes[:0]
	s.found, s.ends = s.found[:0], s.ends[:0]
	s.words.clear()
}
