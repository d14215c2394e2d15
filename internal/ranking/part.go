package ranking

import (
	"iter"

	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// part is a run of consecutive messages of a scope, numbered from 0. Its terms,
// lineages, sessions and speakers have numbers of its own.
//
// A part that is read from a store keeps its first error and returns zero values from
// then on. Numbers that it returns are valid arguments for its other methods.
type part interface {
	// size is the number of messages.
	size() int32
	// term finds a word by its stem and the hash of that, see [piece.Hash]. It returns also
	// the number of messages with the word; −1 and 0 if there are none.
	term(stem string, hash uint64) (id, messages int32)
	// relatives adds the words that begin with a family's key.
	relatives(to *family)
	// postings appends the messages with a term but the oldest skip, oldest first, with
	// the number base added.
	postings(to []posting, id, skip, base int32) []posting
	// record is a message, in numbers of the part. It is only valid until the next call.
	record(d int32) *record
	brief(d int32) brief
	origin(d int32) origin
	// words are the hashes of the message's first different words, 4 bytes each, not to be
	// changed.
	words(d int32) []byte
	// spans appends the dates that a message mentions.
	spans(to []span, d int32) []span
	// sense is the meaning of a message, in the form of [wordvec.Vector.Append]; not to be
	// changed.
	sense(d int32) []byte
	sign(d int32) wordvec.Signature
	// apart appends the distances of the messages from a message on.
	apart(to []uint8, from int32, sign wordvec.Signature) []uint8
	// times are the earliest and the latest time in the messages from period·n on; 0 and 0
	// if none has a time.
	times(n int32) (from, to int64)
	// lineage finds a lineage by its root.
	lineage(root session.ID) (line int32, found bool)
	line(n int32) line
	root(line int32) session.ID
	session(n int32) session.ID
	// entering are the lineages whose first message here continues an episode.
	entering() []int32
	speakers() []string
	facts() facts
	// terms iterates over all terms in the order of their stems. A stem is valid until the next one.
	terms() iter.Seq2[[]byte, int32]
}

// posting is a message with a term, and how often.
type posting struct {
	doc   int32
	count uint8
}

// line is the first and the last message of a lineage in a part.
type line struct{ first, last int32 }

// period is the number of messages for which a part knows the earliest and latest time.
const period = 64

// facts are what is known of a part as a whole.
type facts struct {
	mixed   bool  // there are speakers other than users
	tainted bool  // there are tainted messages, see Document.Tainted
	newest  int64 // the latest time, in Unix seconds; 0 if none is known
}

// see counts a message, without its time.
func (f *facts) see(r *record) {
	f.mixed = f.mixed || r.traits&byUser == 0
	f.tainted = f.tainted || r.traits&tainted != 0
}

// add counts the messages of another part.
func (f *facts) add(o facts) {
	f.mixed, f.tainted, f.newest = f.mixed || o.mixed, f.tainted || o.tainted, max(f.newest, o.newest)
}

// Neighbours of a message that are not in its part.
const (
	none    = -1
	earlier = -2 // in an earlier part: the last message of the lineage there
)

// record is a message in the numbers of its part.
type record struct {
	prev     int32 // neighbours in the same episode; none or earlier
	next     int32
	first    int32 // the first message of its episode; earlier
	line     int32
	session  int32
	speaker  int32  // none
	total    uint16 // all words
	content  uint16 // words except stop words
	traits   traits
	asking   uint8 // share of words in sentences that ask, of shareWhole
	rare     uint8 // words that were rare when it was said, at most mostRare
	position uint8 // in its episode, from 0
}

// brief is what grades a hit. It lies apart from the records, because hits are graded by
// the thousand.
type brief struct {
	speaker int32 // none
	light   uint8 // see lightOf
}

// origin is where a message comes from.
type origin struct {
	messageID int64
	seq       int64
	saidAt    int64 // Unix seconds; 0 if unknown
}

const (
	// pause ends an episode: conversations resume after a night, not after lunch.
	pause = 6 * 60 * 60
	// longestEpisode bounds an episode in a session that never ends, because all its
	// messages share a score.
	longestEpisode = 200
	// openingTurns is the number of first turns that tell the subject of a
	// conversation.
	openingTurns = 2
	// rareShare bounds a rare word: it is in fewer than one of rareShare messages.
	rareShare = 200
	// mostRare is how many rare words are counted in a message.
	mostRare = 4
	// mostWords bounds the words stored per message. A chat turn has fewer content words,
	// and the beginning of a long text tells its subject.
	mostWords = 64
)

// hashOf is the hash of a stem by which words of messages are compared. It is part of
// the format of pieces.
func hashOf[T string | []byte](stem T) uint32 {
	h := uint32(2166136261)
	for i := range len(stem) {
		h = (h ^ uint32(stem[i])) * 16777619
	}
	h = (h ^ h>>16) * 0x85ebca6b
	return h ^ h>>13
}

// lightest is the value, in lightOf, for a message whose words count in full.
const lightest = 127

// lightOf is the weight of a message's words relative to its length, of lightest, with
// the highest bit set if the message is not the user's.
func lightOf(r *record) uint8 {
	l := uint8(lightest / longPenalty(r.total))
	if r.traits&byUser == 0 {
		l |= lightest + 1
	}
	return l
}
