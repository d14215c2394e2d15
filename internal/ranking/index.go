package ranking

import (
	"sort"
	"time"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
)

// Index holds the messages of one scope in a form that answers questions fast. It keeps
// no texts. Messages of one lineage must be added in order; lineages may interleave.
//
// The messages are in parts, in the order of their ids: pieces, which never change, and
// the head, which grows. How the messages are divided into parts has no influence on any
// result: all that a result depends on is a sum of integers over the parts, or belongs to
// one message, and is taken in the order of the messages.
//
// An Index is not safe for concurrent use, not even for searches. The caller holds a
// lock.
type Index struct {
	parts    []part
	bases    []int32   // the number of each part's first message
	speakers [][]int32 // per part: its speakers as indexes in names
	links    []map[int32]link
	nexts    map[int32]int32 // messages whose next neighbour is in a later part
	head     *head           // the last part
	names    names
	known    facts
	scratch  *scratch // of the search at work; otherwise nil
	far      bool     // a piece is of a store that is far away
}

// link connects the first message of a lineage in a part with earlier parts.
type link struct{ prev, first int32 }

// doc is a message in the numbers of the index.
type doc struct {
	prev, next int32 // neighbours in the same episode; none
	first      int32 // the first message of its episode
	speaker    int32 // index in names; none
	total      uint16
	content    uint16
	traits     traits
	share      uint8 // share of its words that count for its neighbours, of shareWhole
	asking     uint8
	rare       uint8
	opening    bool // among the first turns of its episode
}

// New returns an empty index.
func New() *Index {
	x := blank()
	x.append(x.head)
	return x
}

// blank returns an index without parts.
func blank() *Index {
	return &Index{names: newNames(), nexts: make(map[int32]int32), head: newHead()}
}

// append adds a part after the others.
func (x *Index) append(p part) {
	base := x.size()
	x.parts, x.bases = append(x.parts, p), append(x.bases, base)
	var ids []int32
	for _, name := range p.speakers() {
		ids = append(ids, x.names.add(name))
	}
	x.speakers = append(x.speakers, ids)
	links := make(map[int32]link)
	x.links = append(x.links, links)
	x.known.add(p.facts())
	for _, line := range p.entering() {
		if prev := x.newestOf(p.root(line), len(x.parts)-1); prev >= 0 {
			links[line] = link{prev: prev, first: x.firstOf(prev)}
			x.nexts[prev] = base + p.line(line).first
		}
	}
}

// newestOf is the newest message of a lineage in the first parts; none.
func (x *Index) newestOf(root session.ID, parts int) int32 {
	for i := parts - 1; i >= 0; i-- {
		if line, ok := x.parts[i].lineage(root); ok {
			return x.bases[i] + x.parts[i].line(line).last
		}
	}
	return none
}

// size is the number of messages.
func (x *Index) size() int32 {
	if n := len(x.parts); n > 0 {
		return x.bases[n-1] + x.parts[n-1].size()
	}
	return 0
}

// Len is the number of messages in the index.
func (x *Index) Len() int { return int(x.size()) }

// at is the part of a message, and its number there.
func (x *Index) at(d int32) (in int, local int32) {
	for _, base := range x.bases[1:] { // without a branch that depends on d
		in += int(uint32(base-d-1) >> 31)
	}
	return in, d - x.bases[in]
}

// read sets m to message d.
func (x *Index) read(m *doc, d int32) {
	in, n := x.at(d)
	base, r := x.bases[in], x.parts[in].record(n)
	m.prev, m.next, m.first, m.speaker = none, none, base+r.first, none
	m.total, m.content, m.traits, m.share = r.total, r.content, r.traits, lends(r.total)
	m.asking, m.rare, m.opening = r.asking, r.rare, r.position < openingTurns
	if r.speaker >= 0 {
		m.speaker = x.speakers[in][r.speaker]
	}
	if r.next >= 0 {
		m.next = base + r.next
	} else if next, ok := x.nexts[d]; ok {
		m.next = next
	}
	if r.prev >= 0 {
		m.prev = base + r.prev
	}
	if r.first < 0 {
		x.follow(m, d, in, r)
	}
}

// follow sets what a message of an episode that began in an earlier part has there.
func (x *Index) follow(m *doc, d int32, in int, r *record) {
	m.first = d
	if l, ok := x.links[in][r.line]; ok {
		m.first = l.first
		if r.prev == earlier {
			m.prev = l.prev
		}
	}
}

// firstOf is the first message of the episode of message d.
func (x *Index) firstOf(d int32) int32 {
	var m doc
	x.read(&m, d)
	return m.first
}

// brief is the brief of message d of a part, with the speaker's number in the index.
func (x *Index) brief(in int, d int32) brief {
	b := x.parts[in].brief(d)
	if b.speaker >= 0 {
		b.speaker = x.speakers[in][b.speaker]
	}
	return b
}

// origin returns where a message comes from.
func (x *Index) origin(d int32) origin {
	in, n := x.at(d)
	return x.parts[in].origin(n)
}

// root is the root of a message's lineage.
func (x *Index) root(d int32) session.ID {
	in, n := x.at(d)
	return x.parts[in].root(x.parts[in].record(n).line)
}

// session is the session of a message.
func (x *Index) session(d int32) session.ID {
	in, n := x.at(d)
	return x.parts[in].session(x.parts[in].record(n).session)
}

// Add puts a message into the index.
func (x *Index) Add(d Document) {
	e := entries.Get().(*entry)
	h, in := x.head, len(x.parts)-1
	e.read(&d)
	o := origin{messageID: d.MessageID, seq: d.Seq}
	if !d.SaidAt.IsZero() {
		o.saidAt = d.SaidAt.Unix()
	}
	r := record{
		prev: none, next: none, first: h.size(), speaker: h.speakerNamed(d.Speaker), line: h.lineOf(d.Root),
		total: e.total, content: e.content, traits: e.traits, asking: e.asking,
	}
	if r.speaker >= 0 && int(r.speaker) == len(x.speakers[in]) {
		x.speakers[in] = append(x.speakers[in], x.names.add(d.Speaker))
	}
	x.chain(&r, &o, &d)
	r.session = h.sessionOf(d.SessionID, r.line)
	x.addWords(&r, e)
	h.add(r, o, e)
	entries.Put(e)
	x.known.add(h.known)
}

// chain finds the message's place in its lineage's episode.
func (x *Index) chain(r *record, o *origin, d *Document) {
	h, in := x.head, len(x.parts)-1
	if last := h.lines[r.line].last; last >= 0 {
		if before := h.records[last]; x.continues(in, last, o, d) {
			r.prev, r.first, r.position = last, before.first, before.position+1
		}
		return
	}
	tip := x.newestOf(d.Root, in)
	if tip < 0 {
		return
	}
	tipIn, n := x.at(tip)
	if x.continues(tipIn, n, o, d) {
		r.prev, r.first, r.position = earlier, earlier, x.parts[tipIn].record(n).position+1
		x.links[in][r.line] = link{prev: tip, first: x.firstOf(tip)}
		x.nexts[tip] = x.bases[in] + h.size()
	}
}

// continues reports whether a message belongs to the same episode as message n of a
// part, the last of its lineage. Compression does not interrupt an episode.
func (x *Index) continues(in int, n int32, o *origin, d *Document) bool {
	p := x.parts[in]
	from := p.origin(n)
	last := *p.record(n)
	if last.position+1 >= longestEpisode {
		return false
	}
	same := p.session(last.session) == d.SessionID
	if o.saidAt == 0 || from.saidAt == 0 {
		return same
	}
	gap := o.saidAt - from.saidAt
	if !same {
		return gap >= 0 && gap < pause/6
	}
	return gap < pause && gap > -pause
}

// addWords enters the words of the message being added, and what depends on the messages
// before: which of its words are rare, and which capitals are names of others than the
// speakers. A measure on LoCoMo decided that words are rare by the messages before: with
// all messages, evidence of multi-hop questions among the first ten falls by a point.
func (x *Index) addWords(r *record, e *entry) {
	limit := 1 + x.size()/rareShare
	for i := range e.words {
		w, stem := &e.words[i], e.stem(i)
		if w.name && !x.names.isWord(stem) {
			r.traits |= hasName
		}
		n := x.head.enter(stem)
		if !w.joined && r.rare < mostRare && x.isRare(stem, n, limit) {
			r.rare++
		}
	}
}

// isRare reports whether a word is in no more messages than limit: in that many of the
// head, and in those of the other parts.
func (x *Index) isRare(stem []byte, inHead, limit int32) bool {
	if len(x.parts) == 1 || inHead > limit {
		return inHead <= limit
	}
	word := string(stem)
	hash := piece.Hash(word)
	for _, p := range x.parts[:len(x.parts)-1] {
		if inHead > limit {
			return false
		}
		_, n := p.term(word, hash)
		inHead += n
	}
	return inHead <= limit
}

// newest is the latest time of a message.
func (x *Index) newest() time.Time {
	if x.known.newest == 0 {
		return time.Time{}
	}
	return time.Unix(x.known.newest, 0).UTC()
}

// Tainted reports whether a message was added as a tainted one. Parts without one are not read.
func (x *Index) Tainted(messageID int64) bool {
	for _, p := range x.parts {
		if !p.facts().tainted {
			continue
		}
		x.aheadOfIDs(p)
		d := int32(sort.Search(int(p.size()), func(d int) bool { return p.origin(int32(d)).messageID >= messageID }))
		if d < p.size() && p.origin(d).messageID == messageID {
			return p.record(d).traits&tainted != 0
		}
	}
	return false
}

// upTo is the number of messages whose ids are not above id. Ids rise in the order of the
// messages. The first known messages are not read: their ids are not above it.
func (x *Index) upTo(known int, id int64) int {
	return known + sort.Search(x.Len()-known, func(d int) bool { return x.origin(int32(known+d)).messageID > id })
}

// Last is the highest id of a message; 0 if there are none.
func (x *Index) Last() int64 {
	if x.Len() == 0 {
		return 0
	}
	return x.origin(x.size() - 1).messageID
}

// IDs are the ids of the messages from number from to before number to.
func (x *Index) IDs(from, to int) []int64 {
	ids := make([]int64, 0, to-from)
	for d := from; d < to; d++ {
		ids = append(ids, x.origin(int32(d)).messageID)
	}
	return ids
}
