package ranking

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hermes-memory/hermes/internal/piece"
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
