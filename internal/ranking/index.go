package ranking

import (
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// Index holds the messages of one scope in a form that answers questions fast. It keeps
// no texts. Messages of one lineage must be added in order; lineages may interleave.
//
// An Index is not safe for concurrent use, not even for searches: they reuse its
// buffers. The caller holds a lock.
type Index struct {
	terms    map[string]int32 // stem → index in lists
	lists    []termList
	holders  []int32 // per list: its number of messages
	docs     []doc
	origins  []origin  // per message
	light    []uint8   // per message: the weight of its words, see lightOf
	spans    []span    // the dates that messages mention
	episodes []episode // runs of messages that belong together
	sessions []session.ID
	lineages map[session.ID]int32
	tips     []tip // per lineage: where the next message is appended
	families map[[familyKey]byte][]int32
	names    names
	wordings wordings
	senses   senses
	mixed    bool  // there are speakers other than users
	bytes    int64 // approximate, beyond the slices counted in Size
	newest   time.Time
	scratch  scratch
}

// doc is the part of a message that searches read. Two docs fill one cache line and
// have no pointers: a search reads a thousand, and the garbage collector none.
type doc struct {
	prev, next int32 // neighbours in the same episode; −1 for none
	episode    int32
	line       int32  // its lineage: index in tips
	speaker    int32  // index in names; −1 for none
	words      uint16 // all words
	content    uint16 // words except stop words
	spans      uint8  // number of dates it mentions
	share      uint8  // share of its words that count for its neighbours, of shareWhole
	traits     traits
	asking     uint8 // share of words in sentences that ask, of shareWhole
	rare       uint8 // words that were rare when it was said, at most mostRare
	opening    bool  // among the first turns of its episode
}

// origin is the position of a message.
type origin struct {
	messageID int64
	seq       int64
	saidAt    int64 // Unix seconds; 0 if unknown
	session   int32 // index in sessions
	firstSpan int32
}

// shareWhole is the value of a whole share in a byte.
const shareWhole = 255

// episode is a run of messages of a lineage without a long pause: one conversation,
// whether a lineage is one endless session or many short ones.
type episode struct {
	from, to int64 // Unix seconds
	first    int32 // its first message
	size     int32
}

// tip is the end of a lineage.
type tip struct {
	root         session.ID
	doc, episode int32
}

// span is a resolved date of a message, in Unix seconds.
type span struct{ from, to int64 }

const (
	// pause ends an episode: conversations resume after a night, not after lunch.
	pause = 6 * 60 * 60
	// longestEpisode bounds an episode in a session that never ends, because all its
	// messages share a score.
	longestEpisode = 200
	// openingTurns is the number of first turns that tell the subject of a
	// conversation.
	openingTurns = 2
)

// New returns an empty index.
func New() *Index {
	return &Index{
		terms:    make(map[string]int32),
		lineages: make(map[session.ID]int32),
		families: make(map[[familyKey]byte][]int32),
		names:    newNames(),
	}
}

// Len is the number of messages in the index.
func (x *Index) Len() int { return len(x.docs) }

// Bounds on the part of a message that is read, in bytes: for its words, and for its
// dates. A message of megabytes is a file or a loop. Reading all of it would take
// longer than its turn, and memory for each word.
const (
	maxText  = 256 << 10
	maxDates = 64 << 10
)

// Add puts a message into the index.
func (x *Index) Add(d Document) {
	n := int32(len(x.docs))
	d.Text = d.Text[:min(len(d.Text), maxText)]
	entry := doc{prev: -1, next: -1, speaker: x.names.add(d.Speaker)}
	from := origin{messageID: d.MessageID, seq: d.Seq, firstSpan: int32(len(x.spans))}
	if !d.SaidAt.IsZero() {
		from.saidAt = d.SaidAt.Unix()
		if d.SaidAt.After(x.newest) {
			x.newest = d.SaidAt
		}
	}
	if d.Role == session.User {
		entry.traits |= byUser
	} else {
		x.mixed = true
	}
	x.addDates(&entry, d)
	x.chain(n, &entry, &from, &d)
	x.addWords(n, &entry, d.Text)
	x.wordings.keep()
	x.senses.keep()
	entry.share = lends(int(entry.words))
	x.docs, x.origins = append(x.docs, entry), append(x.origins, from)
	x.light = append(x.light, lightOf(&entry))
}

// lightest is the value, in lightOf, for a message whose words count in full.
const lightest = 127

// lightOf is the weight of a message's words relative to its length, of lightest, with
// the highest bit set if the message is not the user's. It is kept as a byte outside
// the messages, because hits are graded by the thousand.
func lightOf(d *doc) uint8 {
	l := uint8(lightest / d.longPenalty())
	if d.traits&byUser == 0 {
		l |= lightest + 1
	}
	return l
}

// chain appends the message to its lineage, in the current episode or a new one.
func (x *Index) chain(n int32, d *doc, o *origin, from *Document) {
	line, known := x.lineages[from.Root]
	if !known {
		line = int32(len(x.tips))
		root := session.ID(strings.Clone(string(from.Root)))
		x.lineages[root] = line
		x.tips = append(x.tips, tip{root: root, doc: -1, episode: -1})
	}
	d.line = line
	t := &x.tips[line]
	if t.doc >= 0 && x.sessions[x.origins[t.doc].session] == from.SessionID {
		o.session = x.origins[t.doc].session
	} else {
		o.session = int32(len(x.sessions))
		x.sessions = append(x.sessions, session.ID(strings.Clone(string(from.SessionID))))
	}
	if t.doc < 0 || !x.continues(o, t) {
		t.episode = int32(len(x.episodes))
		x.episodes = append(x.episodes, episode{from: o.saidAt, to: o.saidAt, first: n})
	} else {
		d.prev = t.doc
		x.docs[t.doc].next = n
	}
	t.doc = n
	d.episode = t.episode
	e := &x.episodes[t.episode]
	e.size++
	d.opening = e.size <= openingTurns
	e.from, e.to = min(e.from, o.saidAt), max(e.to, o.saidAt)
}

// continues reports whether a message belongs to the current episode of its lineage.
// Compression does not interrupt an episode.
func (x *Index) continues(o *origin, t *tip) bool {
	last := &x.origins[t.doc]
	if x.episodes[t.episode].size >= longestEpisode {
		return false
	}
	if o.saidAt == 0 || last.saidAt == 0 {
		return last.session == o.session
	}
	gap := o.saidAt - last.saidAt
	if last.session != o.session {
		return gap >= 0 && gap < pause/6
	}
	return gap < pause && gap > -pause
}

// addDates stores the dates that the message mentions.
func (x *Index) addDates(entry *doc, d Document) {
	const most = 16 // per message; in a table of dates no single date matters
	for _, date := range language.Dates(d.Text[:min(len(d.Text), maxDates)], d.SaidAt) {
		entry.traits |= namesTime
		if entry.spans == most {
			break
		}
		x.spans = append(x.spans, span{date.From.Unix(), date.To.Unix()})
		entry.spans++
	}
}

// Size is the approximate size of the index, in bytes.
func (x *Index) Size() int64 {
	const (
		docBytes  = 65
		listBytes = 92
		termBytes = 72 // its entries in the maps
		buffers   = 6  // per message, of the scratch space
	)
	return x.bytes + int64(len(x.docs))*(docBytes+senseBytes+buffers) +
		int64(len(x.lists))*(listBytes+termBytes) +
		int64(len(x.spans))*16 + int64(len(x.episodes))*32 + int64(len(x.sessions)+len(x.tips))*64 + x.names.size() +
		x.wordings.size()
}
