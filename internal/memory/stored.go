package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// Archive is the part of the store from which turns read single facts and messages, and
// pieces.
type Archive interface {
	Store
	Reader
	PieceStore
}

// stored is the archive of a scope: its fact pieces, and the rows of the store. It keeps
// its first error, and finds nothing from then on.
type stored struct {
	*source
	parts []factPart // by rising number
	err   error
}

// factPart is a fact piece being read.
type factPart struct {
	Piece
	*factReader

	open *piece.Piece
}

// openStored opens the fact pieces of a scope, from the first one to the first gap. Those that
// another archive has open are not opened again: their blocks are in memory.
func openStored(from *source, cache *piece.Cache, m *Manifest, known *stored) (*stored, error) {
	a := &stored{source: from}
	pieces := m.Run(FactPiece)
	sources, err := from.sources(idsOf(pieces, func(id PieceID) bool { return known.opened(id) == nil }))
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		open := known.opened(p.ID)
		if open == nil {
			if open, err = piece.Open(from.ctx, sources[0], cache, factFormat); err != nil {
				return nil, &brokenPiece{p.ID, err}
			}
			sources = sources[1:]
		}
		a.parts = append(a.parts, factPart{p, readFacts(from.ctx, open), open})
	}
	for i := range a.parts {
		a.parts[i].keys.wantFences()
	}
	a.fetch()
	for i := range a.parts {
		a.parts[i].leaveOut(m.Withdrawn)
	}
	return a, nil
}

// idsOf are the ids of those pieces that are wanted.
func idsOf(pieces []Piece, wanted func(PieceID) bool) (ids []PieceID) {
	for i := range pieces {
		if wanted(pieces[i].ID) {
			ids = append(ids, pieces[i].ID)
		}
	}
	return ids
}

// opened is an open piece; nil for one that the archive does not have, and of no archive.
func (a *stored) opened(id PieceID) *piece.Piece {
	if a != nil {
		for i := range a.parts {
			if a.parts[i].ID == id {
				return a.parts[i].open
			}
		}
	}
	return nil
}

// dropUnless takes the blocks of the pieces that another archive lacks out of memory. They would
// keep those from it that are read.
func (a *stored) dropUnless(other *stored) {
	if a == nil {
		return
	}
	for i := range a.parts {
		if p := &a.parts[i]; other.opened(p.ID) != p.open {
			p.open.Drop()
		}
	}
}

// brokenPiece is the error of a piece that cannot be read.
type brokenPiece struct {
	id  PieceID
	err error
}

// isPiece reports whether an error is that of a piece.
func isPiece(err error) bool { return errors.As(err, new(*brokenPiece)) }

func (e *brokenPiece) Error() string { return fmt.Sprintf("piece %d: %v", e.id, e.err) }
func (e *brokenPiece) Unwrap() error { return e.err }

// blocks reads the blocks of a piece from the store.
type blocks struct {
	store PieceStore
	owner owner.Owner
	id    PieceID
}

// Block implements piece.Source.
func (b *blocks) Block(ctx context.Context, n int) ([]byte, error) {
	return b.store.PieceBlock(ctx, b.owner, b.id, n)
}

// farBlocks are blocks of a store that other processes use, too: each read is a round trip.
type farBlocks struct {
	blocks
	// first are blocks that came before the piece was opened: those that its opening reads. nil
	// afterwards.
	first atomic.Pointer[map[piece.Ref][]byte]
}

// ID implements piece.Batch.
func (b *farBlocks) ID() int64 { return int64(b.id) }

// Blocks implements piece.Batch.
func (b *farBlocks) Blocks(ctx context.Context, wanted []piece.Ref, each func(of piece.Ref, block []byte)) error {
	found, err := b.first.Swap(nil), error(nil)
	if found == nil {
		found = new(map[piece.Ref][]byte)
		*found, err = b.store.PieceBlocks(ctx, b.owner, wanted)
	}
	for of, block := range *found {
		each(of, block)
	}
	return err
}

// sources are the sources of pieces of the scope. If the store is far away, the blocks with which
// their opening begins come in one round trip.
func (s *source) sources(ids []PieceID) ([]piece.Source, error) {
	out, far := make([]piece.Source, len(ids)), make(map[int64]*farBlocks, len(ids))
	var first []piece.Ref
	for i, id := range ids {
		near := blocks{s.store, s.owner, id}
		out[i] = &near
		if s.far {
			b := &farBlocks{blocks: near}
			b.first.Store(&map[piece.Ref][]byte{})
			out[i], far[b.ID()] = b, b
			first = piece.AppendFirst(first, b.ID())
		}
	}
	if len(first) == 0 {
		return out, nil
	}
	found, err := s.store.PieceBlocks(s.ctx, s.owner, first)
	for of, block := range found {
		(*far[of.Piece].first.Load())[of] = block
	}
	return out, err
}

// last is the number up to which the pieces index the facts of the scope.
func (a *stored) last() FactNumber {
	if len(a.parts) == 0 {
		return 0
	}
	return LastNumber(a.parts[len(a.parts)-1].Last)
}

// failed is the first error of reading.
func (a *stored) failed() error {
	for i := range a.parts {
		if err := a.parts[i].Err(); err != nil {
			return &brokenPiece{a.parts[i].ID, err}
		}
	}
	return a.err
}

// ofMessages are the facts of some messages.
func (a *stored) ofMessages(ids []int64) []StoredFact {
	if a.err != nil {
		return nil
	}
	var facts []StoredFact
	facts, a.err = a.store.FactsOfMessages(a.ctx, a.owner, a.scope, ids)
	return facts
}

// withUndone reports whether a piece has facts of undone messages.
func (a *stored) withUndone() bool {
	return slices.ContainsFunc(a.parts, func(p factPart) bool { return len(p.undone) > 0 })
}

func (a *stored) len() (facts int) {
	for i := range a.parts {
		facts += a.parts[i].size()
	}
	return facts
}

func (a *stored) numbered(numbers []FactNumber) []StoredFact {
	if a.err != nil {
		return nil
	}
	var facts []StoredFact
	facts, a.err = a.store.FactsNumbered(a.ctx, a.owner, a.scope, numbers)
	return facts
}

func (a *stored) named(ids []FactID) (facts []StoredFact) {
	if a.err == nil {
		facts, a.err = a.store.FactsNamed(a.ctx, a.owner, a.scope, ids)
	}
	return facts
}

func (a *stored) count(k key) (facts int) {
	for i := range a.parts {
		facts += a.parts[i].count(k)
	}
	return facts
}

func (a *stored) newest(to []glimpse, k key, most int) []glimpse {
	for i := len(a.parts) - 1; i >= 0 && most > 0; i-- {
		before := len(to)
		to = a.parts[i].newest(to, k, most)
		most -= len(to) - before
	}
	return to
}

func (a *stored) distant() bool { return a.far }

// ahead reads each piece as if it had all of the newest facts.
func (a *stored) ahead(all []listing) {
	for _, want := range aheadOf {
		for i := range a.parts {
			want(a.parts[i].factReader, all)
		}
		a.fetch()
	}
}

// aheadOfSignatures reads where the signatures of facts lie, then the signatures.
func (a *stored) aheadOfSignatures(numbers []FactNumber) {
	for _, want := range []func(r *factReader, record uint32){
		func(r *factReader, record uint32) { r.meanings.Want(record) },
		func(r *factReader, record uint32) { r.about.Want(r.signatureAt(record)) },
	} {
		for _, n := range numbers {
			if p := a.part(n); p != nil {
				if record, found := p.find(n); found {
					want(p.factReader, record)
				}
			}
		}
		a.fetch()
	}
}

// fetch reads together what the readers of the pieces want.
func (a *stored) fetch() {
	readers := make([]*piece.Reader, len(a.parts))
	for i := range a.parts {
		readers[i] = a.parts[i].Reader
	}
	piece.Fetch(readers...)
}

func (a *stored) meaning(n FactNumber) wordvec.Vector {
	if p := a.part(n); p != nil {
		return p.meaning(n)
	}
	return wordvec.Vector{}
}

func (a *stored) signature(n FactNumber) *signature {
	if p := a.part(n); p != nil {
		return p.signature(n)
	}
	return nil
}

// part is the piece that may index a fact; nil for none.
func (a *stored) part(n FactNumber) *factPart {
	for i := len(a.parts) - 1; i >= 0; i-- {
		if a.parts[i].Holds(n.Message()) {
			return &a.parts[i]
		}
	}
	return nil
}

func (a *stored) all(each func(*StoredFact) bool) {
	if a.err == nil {
		a.err = a.store.Facts(a.ctx, a.owner, a.scope, each)
	}
}

func (a *stored) ofMessage(id int64) []StoredFact { return a.ofMessages([]int64{id}) }

func (a *stored) near(root session.ID, from, to int64) []StoredFact {
	var places []Place
	for seq := max(0, from); seq <= to; seq++ {
		places = append(places, Place{root, seq})
	}
	messages, err := a.store.Quotes(a.ctx, a.owner, places)
	if a.err = errors.Join(a.err, err); a.err != nil {
		return nil
	}
	ids := make([]int64, len(messages))
	for i := range messages {
		ids[i] = messages[i].MessageID
	}
	slices.Sort(ids)
	return a.ofMessages(ids)
}

// countFrom counts the facts that the pieces index, by their records.
func (a *stored) countFrom(n FactNumber, most int) (facts int) {
	for i := len(a.parts) - 1; i >= 0 && facts < most && n.Message() <= a.parts[i].Last; i-- {
		facts += a.parts[i].countFrom(n)
	}
	return facts
}

func (a *stored) shown(of []section, behind ShelfPlace) (facts []StoredFact) {
	if a.err == nil {
		facts, a.err = a.store.Shelf(a.ctx, a.owner, a.scope, of, behind, shelfPage)
	}
	return facts
}
