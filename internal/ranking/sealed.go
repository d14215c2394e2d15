package ranking

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"sort"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// sealed reads a piece as a part of an index. It is made once, and used for all sessions
// of reading.
type sealed struct {
	*Piece
	r                                                                    *piece.Reader
	records, briefs, origins, signs, senses, dates, periods, lineRecords piece.Records
	hashes                                                               piece.Bytes
	milestones                                                           piece.Records
	stems, roots, sessions                                               *piece.Dictionary
	lists                                                                piece.Postings
	rootNames                                                            map[int32]session.ID
	found                                                                record // the last one that was asked for
	err                                                                  error
}

// newSealed returns a part that reads a piece with r.
func newSealed(p *Piece, r *piece.Reader) *sealed {
	return &sealed{
		Piece: p, r: r,
		records: r.Records(inRecords, recordWidth), briefs: r.Records(inBriefs, briefWidth),
		origins: r.Records(inOrigins, originWidth), signs: r.Records(inSigns, signWidth),
		senses: r.Records(inSenses, wordvec.VectorSize), dates: r.Records(inSpans, spanWidth),
		periods: r.Records(inPeriods, spanWidth), lineRecords: r.Records(inLines, lineWidth),
		milestones: r.Records(inMilestones, numberWidth),
		hashes:     r.Bytes(inWords), lists: r.Postings(inLists),
		stems: r.Dictionary(inTerms), roots: r.Dictionary(inRoots), sessions: r.Dictionary(inSessions),
	}
}

// begin begins another session of reading.
func (s *sealed) begin(ctx context.Context) {
	s.r.Begin(ctx)
	s.err = nil
}

// end ends the session.
func (s *sealed) end() {
	s.r.End()
	s.rootNames = nil
}

// fail records an error.
func (s *sealed) fail(format string, args ...any) {
	if s.err == nil {
		s.err = damaged(s.r, format, args...)
	}
}

// failure is the first error of the session.
func (s *sealed) failure() error {
	if err := s.r.Err(); err != nil {
		return err
	}
	return s.err
}

func (s *sealed) size() int32 { return s.n }

func (s *sealed) term(stem string, hash uint64) (id, messages int32) {
	term, ok := s.stems.Find(stem, hash)
	if !ok {
		return none, 0
	}
	return s.termAt(term)
}

// termAt is a term with the number of its messages.
func (s *sealed) termAt(term uint32) (id, messages int32) {
	count := s.stems.List(term).Count
	if count == 0 || count > uint32(s.n) {
		s.fail("term %d is in %d messages of %d", term, count, s.n)
		return none, 0
	}
	return int32(term), int32(count)
}

func (s *sealed) relatives(to *family) {
	for i := s.before(to.key); i < s.stems.Len(); i++ {
		word := s.stems.Key(i)
		switch order := bytes.Compare(word[:min(len(word), familyKey)], to.key[:]); {
		case order > 0:
			return
		case order == 0 && !addTo(to, word):
			return
		}
	}
}

// before is a term that is not after those whose stems begin with key, and fewer than
// milestone terms before the first of them.
func (s *sealed) before(key [familyKey]byte) uint32 {
	want := binary.BigEndian.Uint32(key[:])
	n := sort.Search(int(s.milestones.Len()), func(i int) bool {
		return binary.LittleEndian.Uint32(s.milestones.At(uint32(i))) >= want
	})
	return uint32(max(0, n-1)) * milestone
}

func (s *sealed) postings(to []posting, id, skip, base int32) []posting {
	c := s.lists.From(s.stems.List(uint32(id)), uint32(skip))
	for c.Next() {
		if c.Number >= uint32(s.n) {
			s.fail("message %d of %d", c.Number, s.n)
			break
		}
		to = append(to, posting{base + int32(c.Number), c.Count})
	}
	return to
}

func (s *sealed) record(d int32) *record {
	r := &s.found
	getRecord(r, s.records.At(uint32(d)))
	if s.holds(r) {
		return r
	}
	s.fail("record %d", d)
	*r = record{prev: none, next: none, first: d, speaker: none}
	return r
}

// holds reports whether all numbers of a record are in range. It has no branch on each,
// because records are read by the thousand.
func (s *sealed) holds(r *record) bool {
	bad := outside(r.prev, earlier, s.n) | outside(r.next, none, s.n) | outside(r.first, earlier, s.n)
	bad |= outside(r.line, 0, s.lines) | outside(r.session, 0, s.numSessions)
	bad |= outside(r.speaker, none, int32(len(s.names)))
	return bad >= 0
}

// outside is negative for a number below least, or not below end.
func outside(n, least, end int32) int32 { return (n - least) | (end - 1 - n) }

func (s *sealed) brief(d int32) brief {
	b := s.briefs.At(uint32(d))
	found := brief{int32(binary.LittleEndian.Uint32(b[6:])), b[5]}
	if found.speaker < none || int(found.speaker) >= len(s.names) {
		s.fail("speaker %d of %d", found.speaker, len(s.names))
		found.speaker = none
	}
	return found
}

func (s *sealed) origin(d int32) origin {
	b := s.origins.At(uint32(d))
	return origin{
		messageID: int64(binary.LittleEndian.Uint64(b)), seq: int64(binary.LittleEndian.Uint64(b[8:])),
		saidAt: int64(binary.LittleEndian.Uint64(b[16:])),
	}
}

func (s *sealed) words(d int32) []byte {
	at, size := s.wordsAt(d)
	return s.hashes.Range(at, size, nil)
}

// wordsAt is where the words of a message lie.
func (s *sealed) wordsAt(d int32) (offset, size uint32) {
	b := s.briefs.At(uint32(d))
	return binary.LittleEndian.Uint32(b), uint32(b[4]) * hashSize
}

func (s *sealed) spans(to []span, d int32) []span {
	for i, end := s.datesAt(d), s.datesEnd(d); i < end; i++ {
		to = append(to, getSpan(s.dates.At(i)))
	}
	return to
}

// datesEnd is where the dates of a message end.
func (s *sealed) datesEnd(d int32) uint32 {
	if d+1 < s.n {
		return min(s.datesAt(d+1), s.dates.Len())
	}
	return s.dates.Len()
}

// datesAt is where the dates of a message begin.
func (s *sealed) datesAt(d int32) uint32 {
	return binary.LittleEndian.Uint32(s.origins.At(uint32(d))[24:])
}

func (s *sealed) sense(d int32) []byte { return s.senses.At(uint32(d)) }

func (s *sealed) sign(d int32) wordvec.Signature { return getSign(s.signs.At(uint32(d))) }

func (s *sealed) apart(to []uint8, from int32, sign wordvec.Signature) []uint8 {
	s.signs.WantRun(uint32(from), uint32(s.n))
	piece.Fetch(s.r)
	at := len(to)
	to = slices.Grow(to, int(s.n-from))[:at+int(s.n-from)]
	for at < len(to) {
		run := s.signs.Run(uint32(int(s.n) - len(to) + at))
		for i := range run[:len(run)/signWidth] {
			to[at+i] = uint8(getSign(run[i*signWidth:]).Distance(sign))
		}
		at += len(run) / signWidth
	}
	return to
}

func (s *sealed) times(n int32) (from, to int64) {
	t := getSpan(s.periods.At(uint32(n)))
	return t.from, t.to
}

func (s *sealed) lineage(root session.ID) (int32, bool) {
	n, ok := s.roots.Lookup([]byte(root))
	return int32(n), ok
}

func (s *sealed) line(n int32) line {
	b := s.lineRecords.At(uint32(n))
	l := line{int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))}
	if l.first < 0 || l.first > l.last || l.last >= s.n {
		s.fail("lineage %d", n)
		return line{}
	}
	return l
}

// mostRoots bounds the roots that are kept in memory during a session.
const mostRoots = 1 << 10

func (s *sealed) root(line int32) session.ID {
	if id, ok := s.rootNames[line]; ok {
		return id
	}
	if s.rootNames == nil || len(s.rootNames) == mostRoots {
		s.rootNames = make(map[int32]session.ID)
	}
	id := session.ID(s.roots.Key(uint32(line)))
	s.rootNames[line] = id
	return id
}

func (s *sealed) session(n int32) session.ID { return session.ID(s.sessions.Key(uint32(n))) }

func (s *sealed) entering() []int32 { return s.enters }

func (s *sealed) speakers() []string { return s.names }

func (s *sealed) facts() facts { return s.known }

func (s *sealed) terms() iter.Seq2[[]byte, int32] {
	return func(yield func([]byte, int32) bool) {
		for t := s.stems.All(); t.Next(); {
			if !yield(t.Key, int32(t.Term)) {
				return
			}
		}
	}
}

// milestone is the number of terms from one milestone to the next. A search for relatives
// reads the milestones, which lie together, instead of stems all over the piece.
const milestone = 8
