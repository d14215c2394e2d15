package ranking

// scratch holds the buffers of searches. All are zero between searches.
//
// A search reads a few hundred messages of perhaps a hundred thousand. Its results for
// them lie together in cells in the order they are found, so that only the first access
// to a message misses the cache.
type scratch struct {
	places  []int32      // per message: its cell, 0 for none
	cells   []cell       // the first stands for all messages that have none
	hits    int32        // the cells after the first that are messages with a term
	found   []occurrence // of all terms, one after the other
	ends    []termEnd    // where each term's end in found
	grades  []uint8      // grades of the hits
	apart   []uint8      // the distances of messages from the question, by meaning
	touched []int32      // cells with a window
	around  []int32      // touched by one term

	episode   []float32 // BM25 of episodes
	inEpisode []float32 // occurrences of one term in an episode
	episodes  []int32   // touched
	perTerm   []int32   // touched by one term

	rough      []rough
	candidates []candidate
	ranked     []candidate // the same in order
}

// cell is the result of a search for one message.
type cell struct {
	doc     int32
	terms   uint32  // the terms found in the message by the first pass, as bits
	common  uint32  // the common terms among its words, as bits
	glance  float32 // their weight, without the message's length
	matched uint32  // the terms in an anchor, as bits
	own     float32 // BM25 of an anchor alone
	window  float32 // BM25 with the neighbours' occurrences
	near    float32 // occurrences of one term in and around the message
	promise float32 // of a candidate, relative to the best one
	anchor  bool    // its words count for its neighbours
}

// fit makes the buffers large enough for the index.
func (s *scratch) fit(docs, episodes int) {
	if len(s.places) < docs {
		n := docs + docs/4 + 64
		s.places = make([]int32, n)
	}
	if len(s.episode) < episodes {
		n := episodes + episodes/4 + 16
		s.episode, s.inEpisode = make([]float32, n), make([]float32, n)
	}
	if len(s.cells) == 0 {
		s.cells = append(s.cells, cell{doc: -1})
	}
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

// of is the cell of message d; an empty cell if it has none.
func (s *scratch) of(d int32) *cell { return &s.cells[s.places[d]] }

// clear clears what the search has used.
func (s *scratch) clear() {
	for i := range s.cells[1:] {
		s.places[s.cells[i+1].doc] = 0
	}
	for _, e := range s.episodes {
		s.episode[e] = 0
	}
	s.cells, s.hits, s.touched, s.episodes = s.cells[:1], 0, s.touched[:0], s.episodes[:0]
	s.found, s.ends = s.found[:0], s.ends[:0]
}
