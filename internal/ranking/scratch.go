package ranking

// scratch is what a search computes, kept between searches. All is zero outside
// a search.
//
// A search looks at a few hundred messages of perhaps a hundred thousand. What it
// computes for them lies together in cells, in the order in which they are met,
// so that only the way there leads through memory that no cache holds.
type scratch struct {
	places  []int32      // per message: its cell, 0 for none
	cells   []cell       // the first stands for all messages that have none
	hits    int32        // the cells after the first that are messages with a term
	found   []occurrence // of all terms, one after the other
	ends    []termEnd    // where each term's end in found
	grades  []uint8      // of the hits
	touched []int32      // cells with a window
	around  []int32      // touched by one term

	episode   []float32 // BM25 of whole episodes
	inEpisode []float32 // occurrences of one term in an episode
	episodes  []int32   // touched
	perTerm   []int32   // touched by one term

	rough      []rough
	candidates []candidate
	ranked     []candidate // the same in order
}

// cell is what a search computes for one message.
type cell struct {
	doc     int32
	terms   uint32  // the terms met in the message at first sight, as bits
	common  uint32  // the common terms among its words, as bits
	glance  float32 // what they are worth, the message's length aside
	matched uint32  // the terms in an anchor, as bits
	own     float32 // BM25 of an anchor alone
	window  float32 // BM25 with the neighbours' occurrences
	near    float32 // occurrences of one term in and around the message
	promise float32 // of a candidate, relative to the best one
	anchor  bool    // lends to its neighbours
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

// place is the cell of message d, a new one if it has none.
func (s *scratch) place(d int32) int32 {
	p := s.places[d]
	if p == 0 {
		p = int32(len(s.cells))
		s.places[d] = p
		s.cells = append(s.cells, cell{doc: d})
	}
	return p
}

// of is what is known of message d: nothing, if it has no cell.
func (s *scratch) of(d int32) *cell { return &s.cells[s.places[d]] }

// clear zeroes what the search touched.
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
