package memory

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// A fact piece is the index over the facts of consecutive messages: two records for each
// fact, by rising number, for each key the facts that have it, and the signatures. The
// facts themselves are rows of the store.
//
// A turn asks for the numbers of hundreds of facts all over a piece, and for the meanings of few
// of them. The records of the numbers are therefore apart from the long ones of the meanings.

// factFormat is the format of fact pieces. It changes when the meaning of their bytes, or
// of a key, does.
const factFormat = 4

// The sections of a fact piece.
const (
	factNumbers = iota
	factMeanings
	factKeys
	factFences
	factLists
	factSignatures
	factSections
)

const (
	// numberWidth is the width of the record with a fact's number and its kind.
	numberWidth = 8 + 1
	// meaningWidth is the width of the record with a fact's vector, and the place and the length of
	// its signature.
	meaningWidth = factPlace + 4 + 1
	factPlace    = wordvec.VectorSize
)

// factReader is a session of reading a fact piece.
type factReader struct {
	*piece.Reader
	numbers  piece.Records
	meanings piece.Records
	keys     keyTable
	lists    piece.Postings
	about    piece.Bytes // the signatures
	// parted is for a signature that lies in two blocks.
	parted [mostSignature]byte
	// undone are ranges of undone messages, each with facts in the piece.
	undone Spans
}

func readFacts(ctx context.Context, p *piece.Piece) *factReader {
	r := p.Read(ctx)
	return &factReader{
		Reader: r, numbers: r.Records(factNumbers, numberWidth), meanings: r.Records(factMeanings, meaningWidth),
		keys: readKeys(r), lists: r.Postings(factLists), about: r.Bytes(factSignatures),
	}
}

// leaveOut leaves the facts of undone messages out.
func (r *factReader) leaveOut(undone Spans) {
	for _, s := range undone {
		if at := r.at(NumberOf(s.First, 0)); at < r.numbers.Len() && s.Holds(r.glimpse(at).number.Message()) {
			r.undone = append(r.undone, s)
		}
	}
}

// count is the number of facts with a key.
func (r *factReader) count(k key) (facts int) {
	list := r.keys.list(k)
	if len(r.undone) == 0 {
		return int(list.Count)
	}
	for c := r.lists.All(list); c.Next(); {
		if r.stands(r.glimpse(c.Number)) {
			facts++
		}
	}
	return facts
}

// stands reports whether the message of a fact is not undone.
func (r *factReader) stands(g glimpse) bool { return !r.undone.Has(g.number.Message()) }

// size is the number of facts.
func (r *factReader) size() int {
	facts := int(r.numbers.Len())
	for _, s := range r.undone {
		facts -= int(r.at(NumberOf(s.Last+1, 0)) - r.at(NumberOf(s.First, 0)))
	}
	return facts
}

// countFrom is the number of facts with a number or a higher one.
func (r *factReader) countFrom(n FactNumber) int {
	facts := int(r.numbers.Len() - r.at(n))
	for _, s := range r.undone {
		if last := NumberOf(s.Last+1, 0); last > n {
			facts -= int(r.at(last) - r.at(max(n, NumberOf(s.First, 0))))
		}
	}
	return facts
}

// newest appends the facts with a key, newest first, at most most.
func (r *factReader) newest(to []glimpse, k key, most int) []glimpse {
	list := r.keys.list(k)
	from := max(0, int(list.Count)-most)
	if len(r.undone) > 0 {
		from = 0
	}
	first := len(to)
	for c := r.lists.From(list, uint32(from)); c.Next(); {
		if g := r.glimpse(c.Number); r.stands(g) {
			to = append(to, g)
		}
	}
	slices.Reverse(to[first:])
	return to[:min(len(to), first+most)]
}

// listing is what newest is asked for. A listing of none asks only how many facts have the key.
type listing struct {
	key  key
	most int
}

// aheadOf notes in turn what newest is going to read: where the lists of the keys lie, where the
// lists go on, the lists, then the records. Each is known once what was noted before has been read.
var aheadOf = [...]func(*factReader, []listing){
	func(r *factReader, all []listing) {
		for _, l := range all {
			r.keys.want(l.key)
		}
	},
	func(r *factReader, all []listing) {
		for _, l := range all {
			r.lists.Want(r.newestOf(l))
		}
	},
	func(r *factReader, all []listing) {
		for _, l := range all {
			r.lists.WantEntries(r.newestOf(l))
		}
	},
	func(r *factReader, all []listing) {
		for _, l := range all {
			for c := r.lists.From(r.newestOf(l)); c.Next(); {
				r.numbers.Want(c.Number)
			}
		}
	},
}

// newestOf is the list of a key, and the rank from which its entries are wanted.
func (r *factReader) newestOf(l listing) (piece.List, uint32) {
	list := r.keys.list(l.key)
	return list, uint32(max(0, int(list.Count)-l.most))
}

// glimpse is what a record tells of its fact.
func (r *factReader) glimpse(record uint32) glimpse {
	b := r.numbers.At(record)
	return glimpse{number: FactNumber(binary.LittleEndian.Uint64(b)), kind: min(kindNumber(b[8]), otherKind)}
}

// meaning is the vector of a fact; the zero vector for a fact that the piece lacks.
func (r *factReader) meaning(n FactNumber) (v wordvec.Vector) {
	if at, found := r.find(n); found {
		return wordvec.Decode(r.meanings.At(at))
	}
	return v
}

// signature is the signature of a fact; nil for a fact that the piece lacks.
func (r *factReader) signature(n FactNumber) *signature {
	at, found := r.find(n)
	if !found {
		return nil
	}
	return signatureFrom(r.signatureBytes(at), wordvec.Decode(r.meanings.At(at)))
}

// signatureBytes are the bytes of a record's signature, valid until the next call.
func (r *factReader) signatureBytes(record uint32) []byte {
	at, size := r.signatureAt(record)
	return r.about.Range(at, size, r.parted[:0])
}

// signatureAt is where the signature of a record lies.
func (r *factReader) signatureAt(record uint32) (offset, size uint32) {
	at := r.meanings.At(record)[factPlace:]
	return binary.LittleEndian.Uint32(at), uint32(at[4])
}

// signatureSize is the size of a record's signature, in bytes.
func (r *factReader) signatureSize(record uint32) int { return int(r.meanings.At(record)[factPlace+4]) }

// find is the record of a fact.
func (r *factReader) find(n FactNumber) (record uint32, found bool) {
	record = r.at(n)
	return record, record < r.numbers.Len() && r.glimpse(record).number == n
}

// at is the first record whose number is not below n.
func (r *factReader) at(n FactNumber) uint32 {
	low, high := uint32(0), r.numbers.Len()
	for low < high {
		if middle := (low + high) / 2; r.glimpse(middle).number < n {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// factWriter writes a fact piece.
type factWriter struct {
	w      *piece.Writer
	record []byte
	placed int    // bytes of signatures that records have told of
	about  []byte // the signatures of facts in memory
}

func newFactWriter(emit func(n int, block []byte) error) *factWriter {
	return &factWriter{w: piece.NewWriter(factFormat, factSections, emit)}
}

// writeFacts writes the piece of the first facts that a state has in its index.
func (s *State) writeFacts(facts int, emit func(n int, block []byte) error) error {
	w, order := newFactWriter(emit), s.order[:facts]
	numbers := w.w.Records(factNumbers, numberWidth)
	for _, n := range order {
		w.record = binary.LittleEndian.AppendUint64(w.record[:0], uint64(n))
		numbers.Add(append(w.record, byte(s.held[n].kind)))
	}
	meanings := w.w.Records(factMeanings, meaningWidth)
	for _, n := range order {
		about, from := s.signature(s.held[n]), len(w.about)
		w.about = about.appendBytes(w.about)
		w.record = about.vector.Append(w.record[:0])
		w.end(meanings, len(w.about)-from)
	}
	var table keyTableWriter
	lists, keys := w.w.Postings(factLists), slices.Sorted(maps.Keys(s.index))
	for _, k := range keys {
		for _, g := range s.index[k] {
			at, found := slices.BinarySearch(order, g.number)
			if !found {
				break
			}
			lists.Add(uint32(at), 1)
		}
		table.add(lists.End())
	}
	if err := table.write(w.w, withoutErrors(keys)); err != nil {
		return err
	}
	w.w.Bytes(factSignatures).Add(w.about)
	return w.w.Close()
}

// end adds the record of a meaning, whose signature has a size and follows the one before. Signatures
// are written last.
func (w *factWriter) end(to *piece.RecordWriter, size int) {
	w.record = binary.LittleEndian.AppendUint32(w.record, uint32(w.placed))
	w.record = append(w.record, byte(size))
	w.placed += size
	to.Add(w.record)
}

// mergeFacts writes the piece of the facts of several pieces, which follow one another,
// without those of undone messages. The error is piece.ErrDamaged if a piece is not as it
// was written.
func mergeFacts(parts []*factReader, emit func(n int, block []byte) error) error {
	w := newFactWriter(emit)
	places, err := w.mergeRecords(parts)
	if err != nil {
		return err
	}
	if err := w.mergeLists(parts, places); err != nil {
		return err
	}
	signatures := w.w.Bytes(factSignatures)
	for p, record := range written(parts, places) {
		signatures.Add(p.signatureBytes(record))
	}
	for _, p := range parts {
		if err := p.Err(); err != nil {
			return err
		}
	}
	return w.w.Close()
}

// withoutErrors are the elements of a list, none of which is an error.
func withoutErrors[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// placing says where the records of a piece are written: one after the other from a place on, without those of undone
// messages.
type placing struct {
	from uint32
	gone []uint32
}

// of is the place of a record; false for one that is not written.
func (p *placing) of(record uint32) (uint32, bool) {
	before, gone := slices.BinarySearch(p.gone, record)
	return p.from + record - uint32(before), !gone
}

// written are the records of pieces that are written again, in their order.
func written(parts []*factReader, places []placing) iter.Seq2[*factReader, uint32] {
	return func(yield func(*factReader, uint32) bool) {
		for i, p := range parts {
			gone := places[i].gone
			for record := range p.numbers.Len() {
				if len(gone) > 0 && gone[0] == record {
					gone = gone[1:]
				} else if !yield(p, record) {
					return
				}
			}
		}
	}
}

// mergeRecords writes the records of the pieces, and returns for each piece where its
// records are written.
func (w *factWriter) mergeRecords(parts []*factReader) ([]placing, error) {
	numbers, total, last := w.w.Records(factNumbers, numberWidth), uint32(0), FactNumber(-1)
	places := make([]placing, len(parts))
	for i, p := range parts {
		if p.lists.Bound() > p.numbers.Len() {
			return nil, cmp.Or(p.Err(), fmt.Errorf("%w: record %d of %d", piece.ErrDamaged, p.lists.Bound()-1, p.numbers.Len()))
		}
		places[i].from = total
		for record := range p.numbers.Len() {
			g := p.glimpse(record)
			if g.number <= last {
				return nil, cmp.Or(p.Err(), fmt.Errorf("%w: fact %d after %d", piece.ErrDamaged, g.number, last))
			}
			if last = g.number; !p.stands(g) {
				places[i].gone = append(places[i].gone, record)
				continue
			}
			numbers.Add(p.numbers.At(record))
			total++
		}
	}
	meanings := w.w.Records(factMeanings, meaningWidth)
	for p, record := range written(parts, places) {
		w.record = append(w.record[:0], p.meanings.At(record)[:factPlace]...)
		w.end(meanings, p.signatureSize(record))
	}
	return places, nil
}

// mergeLists writes the lists of the pieces, in which the records lie at places.
func (w *factWriter) mergeLists(parts []*factReader, places []placing) error {
	var table keyTableWriter
	lists := w.w.Postings(factLists)
	keys, err := mergeKeys(parts)
	for err == nil && keys.next() {
		for i, p := range parts {
			for c := p.lists.All(keys.list(i)); c.Next(); {
				if at, stands := places[i].of(c.Number); stands {
					lists.Add(at, 1)
				}
			}
		}
		table.add(lists.End())
		err = keys.pass()
	}
	if err != nil {
		return err
	}
	return table.write(w.w, keysOf(parts))
}
