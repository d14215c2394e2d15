package ranking

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// PieceFormat is the format of pieces of an index. It changes with their sections, and
// with every change of what a message is read as.
const PieceFormat = 4

// The sections of a piece. All numbers are little-endian.
const (
	inFacts      = iota // messages, 4 bytes; mixed and tainted, a bit each of 1; newest time, 8
	inRecords           // see putRecord
	inBriefs            // where its words begin, 4; their number, 1; its weight, 1; its speaker, 4
	inOrigins           // message id, 8; number in the lineage, 8; time, 8; where its dates begin, 4
	inSigns             // signatures
	inSenses            // vectors
	inWords             // hashes of words, 4 each
	inSpans             // dates
	inPeriods           // times of each period messages
	inTerms             // stems with their lists
	inLists             // the messages with a term
	inRoots             // roots of lineages
	inLines             // of each: its first and its last message, 4 bytes each
	inSessions          // sessions
	inSpeakers          // names, each behind its length
	inEntering          // lineages whose first message continues an episode, 4 each
	inMilestones        // first letters of each milestone terms, see putMilestone
	numSections
)

// The widths of records.
const (
	factsWidth  = 13
	recordWidth = 32
	briefWidth  = 10
	originWidth = 28
	signWidth   = 16
	spanWidth   = 16
	lineWidth   = 8
	numberWidth = 4
)

// Piece is an open piece of an index: a run of consecutive messages that never changes. It
// is safe for concurrent use.
type Piece struct {
	p           *piece.Piece
	n           int32
	lines       int32
	numSessions int32
	known       facts
	names       []string
	enters      []int32
	held        int64 // bytes of the blocks of a piece that is only in memory
}

// OpenPiece opens the piece that source reads. The errors are those of [piece.Open].
func OpenPiece(ctx context.Context, source piece.Source, cache *piece.Cache) (*Piece, error) {
	opened, err := piece.Open(ctx, source, cache, PieceFormat)
	if err != nil {
		return nil, err
	}
	p, r := &Piece{p: opened}, opened.Read(ctx)
	if opened.Far() {
		newSealed(p, r).survey()
	}
	if err := p.readFacts(r); err != nil {
		return nil, err
	}
	if err := p.check(r); err != nil {
		return nil, err
	}
	return p, r.Err()
}

// Len is the number of messages.
func (p *Piece) Len() int { return int(p.n) }

// Drop removes the blocks of the piece from the cache, for good.
func (p *Piece) Drop() { p.p.Drop() }

// Size is the memory of the open piece without its blocks, in bytes.
func (p *Piece) Size() int64 {
	size := p.p.Size() + p.held + int64(len(p.enters))*4
	for _, name := range p.names {
		size += int64(len(name)) + 16
	}
	return size
}

// readFacts reads what is known of the piece as a whole.
func (p *Piece) readFacts(r *piece.Reader) error {
	b := r.Bytes(inFacts)
	all := b.Range(0, factsWidth, nil)
	if len(all) != factsWidth {
		return damaged(r, "its facts are missing")
	}
	p.n = int32(binary.LittleEndian.Uint32(all))
	p.known = facts{mixed: all[4]&1 != 0, tainted: all[4]&2 != 0, newest: int64(binary.LittleEndian.Uint64(all[5:]))}
	b = r.Bytes(inSpeakers)
	for rest := b.Range(0, b.Len(), nil); len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n == 0 || n > uint64(len(rest)-size) {
			return damaged(r, "a speaker's name")
		}
		p.names = append(p.names, string(rest[size:size+int(n)]))
		rest = rest[size+int(n):]
	}
	b = r.Bytes(inEntering)
	for rest := b.Range(0, b.Len(), nil); len(rest) >= numberWidth; rest = rest[numberWidth:] {
		p.enters = append(p.enters, int32(binary.LittleEndian.Uint32(rest)))
	}
	return r.Err()
}

// check compares the numbers of records with one another, so that later every number in
// range is known to have a record.
func (p *Piece) check(r *piece.Reader) error {
	v := newSealed(p, r)
	n := uint32(p.n)
	p.lines, p.numSessions = int32(v.lineRecords.Len()), int32(v.sessions.Len())
	for _, size := range [...]struct{ got, want uint32 }{
		{v.records.Len(), n},
		{v.briefs.Len(), n},
		{v.origins.Len(), n},
		{v.signs.Len(), n},
		{v.senses.Len(), n},
		{v.periods.Len(), (n + period - 1) / period},
		{v.roots.Len(), v.lineRecords.Len()},
		{v.milestones.Len(), (v.stems.Len() + milestone - 1) / milestone},
	} {
		if size.got != size.want {
			return damaged(r, "%d records instead of %d", size.got, size.want)
		}
	}
	if p.n <= 0 || p.lines == 0 || v.sessions.Len() == 0 {
		return damaged(r, "it has no messages")
	}
	for _, line := range p.enters {
		if uint32(line) >= uint32(p.lines) {
			return damaged(r, "lineage %d of %d", line, p.lines)
		}
	}
	return r.Err()
}

// damaged is the reader's error, or one of the given words.
func damaged(r *piece.Reader, format string, args ...any) error {
	if err := r.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", piece.ErrDamaged, fmt.Sprintf(format, args...))
}

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

func (s *sealed) terms(each func(stem []byte, id int32)) {
	for t := s.stems.All(); t.Next(); {
		each(t.Key, int32(t.Term))
	}
}

// milestone is the number of terms from one milestone to the next. A search for relatives
// reads the milestones, which lie together, instead of stems all over the piece.
const milestone = 8

// putMilestone appends the first letters of a stem, as a number in the order of stems.
func putMilestone(b []byte, stem string) []byte {
	var key [familyKey]byte
	copy(key[:], stem)
	return binary.LittleEndian.AppendUint32(b, binary.BigEndian.Uint32(key[:]))
}

// putRecord appends a record.
func putRecord(b []byte, r *record) []byte {
	for _, n := range [...]int32{r.prev, r.next, r.first, r.line, r.session, r.speaker} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint16(b, r.total)
	b = binary.LittleEndian.AppendUint16(b, r.content)
	return append(b, byte(r.traits), r.asking, r.rare, r.position)
}

// getRecord reads a record.
func getRecord(r *record, b []byte) {
	_ = b[recordWidth-1] // spares checks
	r.prev, r.next = int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
	r.first, r.line = int32(binary.LittleEndian.Uint32(b[8:])), int32(binary.LittleEndian.Uint32(b[12:]))
	r.session, r.speaker = int32(binary.LittleEndian.Uint32(b[16:])), int32(binary.LittleEndian.Uint32(b[20:]))
	r.total, r.content = binary.LittleEndian.Uint16(b[24:]), binary.LittleEndian.Uint16(b[26:])
	r.traits, r.asking, r.rare, r.position = traits(b[28]), b[29], b[30], b[31]
}

func getSpan(b []byte) span {
	return span{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))}
}

func putSpan(b []byte, s span) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(s.from)), uint64(s.to))
}

func getSign(b []byte) wordvec.Signature {
	_ = b[signWidth-1] // spares checks
	return wordvec.Signature{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}
