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
	slots    []slot  // hash table of the messages that have a cell
	cells    []cell  // the first stands for all messages that have none
	hits     int32   // the cells after the first that are messages with a term
	found    []found // of all terms, one after the other
	ends     []termEnd
	grades   []uint8   // grades of the hits
	apart    []uint8   // the distances of messages from the question, by meaning
	touched  []int32   // cells with a window
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

// slot connects a message with its cell; 0 for an empty slot.
type slot struct{ doc, place int32 }

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
	norm    float32 // BM25's length norm of the message, once it has been read
	promise float32 // of a candidate, relative to the best one
	episode float32 // of the first message of an episode: BM25 of the episode
	inside  float32 // of such a message: occurrences of one term in the episode
	first   int32   // the cell of the first message of the episode; 0 is not known yet
	prev    int32   // the cells of the neighbours; 0 is not known yet
	next    int32
	anchor  bool // its words count for its neighbours
	read    bool // message is set
	message doc
}

// place is the index of message d's cell, which is created if absent.
func (s *scratch) place(d int32) int32 {
	if 2*len(s.cells) >= len(s.slots) {
		s.grow()
	}
	at := s.slotOf(d)
	if at.place == 0 {
		*at = slot{doc: d, place: int32(len(s.cells))}
		s.cells = append(s.cells, cell{doc: d})
	}
	return at.place
}

// slotOf is the slot of message d, or the empty one for it.
func (s *scratch) slotOf(d int32) *slot {
	mask := uint32(len(s.slots) - 1)
	for i := uint32(d) * 0x9E3779B1 >> 7; ; i++ {
		if at := &s.slots[i&mask]; at.place == 0 || at.doc == d {
			return at
		}
	}
}

// grow makes the hash table larger.
func (s *scratch) grow() {
	if len(s.cells) == 0 {
		s.cells = append(s.cells, cell{doc: none})
	}
	s.slots = make([]slot, max(1<<10, 2*len(s.slots)))
	for i := range s.cells[1:] {
		d := s.cells[i+1].doc
		*s.slotOf(d) = slot{doc: d, place: int32(i + 1)}
	}
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
	clear(s.slots)
	s.cells, s.hits, s.touched, s.episodes = s.cells[:min(1, len(s.cells))], 0, s.touched[:0], s.episodes[:0]
	s.found, s.ends = s.found[:0], s.ends[:0]
	s.words.clear()
}
