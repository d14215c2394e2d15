package ranking

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// head is the part that grows: the newest messages, in memory.
type head struct {
	termOf    map[string]int32
	lists     []termList
	families  map[[familyKey]byte][]int32
	records   []record
	origins   []origin
	briefs    []brief
	hashes    []byte  // of the words of all messages
	hashEnds  []int32 // where each message's end
	dates     []span  // of all messages
	dateEnds  []int32
	senses    []byte // of all messages, VectorSize each
	signs     []wordvec.Signature
	periods   []span // the earliest and latest time of each period messages
	lineages  map[session.ID]int32
	roots     []session.ID
	lines     []line
	sessions  []session.ID
	enters    []int32 // see part.entering
	speaks    []string
	speakerOf map[string]int32
	known     facts
	bytes     int64 // approximate, beyond the slices counted in Size
}

func newHead() *head {
	return &head{
		termOf:    make(map[string]int32),
		families:  make(map[[familyKey]byte][]int32),
		lineages:  make(map[session.ID]int32),
		speakerOf: make(map[string]int32),
	}
}

// add appends a message. Its words have been entered before.
func (h *head) add(r record, o origin, e *entry) {
	n := len(h.records)
	l := &h.lines[r.line]
	if r.prev >= 0 {
		h.records[r.prev].next = int32(n)
	}
	if r.position > 0 && l.first < 0 {
		h.enters = append(h.enters, r.line)
	}
	if l.first < 0 {
		l.first = int32(n)
	}
	l.last = int32(n)
	h.note(&r, &o)
	h.records, h.origins, h.briefs = append(h.records, r), append(h.origins, o), append(h.briefs, brief{r.speaker, lightOf(&r)})
	h.hashEnds = append(h.hashEnds, int32(len(h.hashes)))
	h.dates = append(h.dates, e.spans...)
	h.dateEnds = append(h.dateEnds, int32(len(h.dates)))
	h.senses, h.signs = e.sense.Append(h.senses), append(h.signs, e.sense.Signature())
}

// note counts a message among what is known of the whole.
func (h *head) note(r *record, o *origin) {
	h.known.see(r)
	h.known.newest = max(h.known.newest, o.saidAt)
	h.periods = addTime(h.periods, len(h.records), o.saidAt)
}

// addTime adds the time of message n to those of its period.
func addTime(periods []span, n int, at int64) []span {
	if n%period == 0 {
		periods = append(periods, span{})
	}
	if p := &periods[len(periods)-1]; at != 0 {
		if *p == (span{}) {
			p.from, p.to = at, at
		}
		p.from, p.to = min(p.from, at), max(p.to, at)
	}
	return periods
}

// enter adds one occurrence of a term in the message being added, and returns the number
// of messages with the term.
func (h *head) enter(stem []byte) int32 {
	n := int32(len(h.records))
	id, ok := h.termOf[string(stem)]
	if !ok {
		id = int32(len(h.lists))
		name := string(stem)
		h.termOf[name] = id
		h.lists = append(h.lists, termList{stem: name, last: -1})
		if key, ok := keyOf(name); ok {
			h.families[key] = append(h.families[key], id)
		}
		h.bytes += int64(len(stem))
	}
	l := &h.lists[id]
	if l.last != n {
		h.meet(stem)
	}
	l.enter(n, &h.bytes)
	return l.messages
}

// meet stores a word of the message being added, at its first occurrence.
func (h *head) meet(stem []byte) {
	from := int32(0)
	if n := len(h.hashEnds); n > 0 {
		from = h.hashEnds[n-1]
	}
	if len(h.hashes)-int(from) < mostWords*hashSize {
		h.hashes = binary.LittleEndian.AppendUint32(h.hashes, hashOf(stem))
	}
}

// hashSize is the size of a word's hash, in bytes.
const hashSize = 4

// speakerNamed is the number of a speaker, who is added if new; none for no name.
func (h *head) speakerNamed(name string) int32 {
	if name == "" {
		return none
	}
	n, ok := h.speakerOf[name]
	if !ok {
		name = strings.Clone(name)
		n = int32(len(h.speaks))
		h.speakerOf[name] = n
		h.speaks = append(h.speaks, name)
		h.bytes += 128
	}
	return n
}

// lineOf is the number of a lineage, which is added if new.
func (h *head) lineOf(root session.ID) int32 {
	n, known := h.lineages[root]
	if !known {
		root = session.ID(strings.Clone(string(root)))
		n = int32(len(h.lines))
		h.lineages[root] = n
		h.roots, h.lines = append(h.roots, root), append(h.lines, line{first: none, last: none})
	}
	return n
}

// sessionOf is the number of a session: that of the newest message of its lineage, or a
// new one.
func (h *head) sessionOf(id session.ID, line int32) int32 {
	if last := h.lines[line].last; last >= 0 && h.sessions[h.records[last].session] == id {
		return h.records[last].session
	}
	h.sessions = append(h.sessions, session.ID(strings.Clone(string(id))))
	return int32(len(h.sessions) - 1)
}

func (h *head) size() int32 { return int32(len(h.records)) }

func (h *head) term(stem string, _ uint64) (id, messages int32) {
	id, ok := h.termOf[stem]
	if !ok {
		return none, 0
	}
	return id, h.lists[id].messages
}

func (h *head) relatives(to *family) {
	for _, id := range h.families[to.key] {
		addTo(to, h.lists[id].stem)
	}
}

func (h *head) postings(to []posting, id, skip, base int32) []posting {
	return h.lists[id].read(to, skip, base)
}

func (h *head) record(d int32) *record { return &h.records[d] }

func (h *head) brief(d int32) brief { return h.briefs[d] }

func (h *head) origin(d int32) origin { return h.origins[d] }

func (h *head) words(d int32) []byte {
	if d == 0 {
		return h.hashes[:h.hashEnds[0]]
	}
	return h.hashes[h.hashEnds[d-1]:h.hashEnds[d]]
}

func (h *head) spans(to []span, d int32) []span {
	if d == 0 {
		return append(to, h.dates[:h.dateEnds[0]]...)
	}
	return append(to, h.dates[h.dateEnds[d-1]:h.dateEnds[d]]...)
}

func (h *head) sense(d int32) []byte {
	return h.senses[int(d)*wordvec.VectorSize : int(d+1)*wordvec.VectorSize]
}

func (h *head) sign(d int32) wordvec.Signature { return h.signs[d] }

func (h *head) apart(to []uint8, from int32, sign wordvec.Signature) []uint8 {
	for _, s := range h.signs[from:] {
		to = append(to, uint8(s.Distance(sign)))
	}
	return to
}

func (h *head) times(n int32) (from, to int64) { return h.periods[n].from, h.periods[n].to }

func (h *head) lineage(root session.ID) (int32, bool) {
	n, ok := h.lineages[root]
	return n, ok
}

func (h *head) line(n int32) line { return h.lines[n] }

func (h *head) root(line int32) session.ID { return h.roots[line] }

func (h *head) session(n int32) session.ID { return h.sessions[n] }

func (h *head) entering() []int32 { return h.enters }

func (h *head) speakers() []string { return h.speaks }

func (h *head) facts() facts { return h.known }

func (h *head) terms() iter.Seq2[[]byte, int32] {
	ids := make([]int32, len(h.lists))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Compare(h.lists[a].stem, h.lists[b].stem) })
	return func(yield func([]byte, int32) bool) {
		for _, id := range ids {
			if !yield([]byte(h.lists[id].stem), id) {
				return
			}
		}
	}
}

// bytesHeld is the approximate size of the head, in bytes.
func (h *head) bytesHeld() int64 {
	const (
		docBytes  = 72 + 117 // its record and its meaning
		listBytes = 84
		termBytes = 72 // its entries in the maps
	)
	return h.bytes + int64(len(h.records))*docBytes + int64(len(h.lists))*(listBytes+termBytes) +
		int64(cap(h.hashes)) + int64(len(h.dates))*16 + int64(len(h.sessions)+len(h.lines))*64
}
