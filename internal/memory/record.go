package memory

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/language"
)

// record is a fact with what the state derives from it.
type record struct {
	Fact
	Mark
	kind kindNumber
	// repeats says that another current fact says the same.
	repeats bool
	// shownIn is the round of the last block that considered the fact.
	shownIn uint32
	line    line
	// about is known when it was first needed, and so is beside if the archive told it.
	about  *signature
	beside *neighbours
	// same is the key of its content words, if compared.
	same     key
	compared bool
}

// record is the record of a fact that the state takes in.
func newRecord(f *Fact) *record {
	return &record{Fact: *f, Mark: Mark{Section: nowhere}, kind: numberOf(f.Kind)}
}

// signature is what a fact is about.
func (s *State) signature(k *record) *signature {
	if k.about != nil {
		return k.about
	}
	if k.Number <= s.rested {
		k.about = s.archive.signature(k.Number)
	}
	if k.about == nil {
		about := s.signatureOf(&k.Fact)
		k.about = &about
	}
	s.derive(k, int64(unsafe.Sizeof(*k.about)))
	return k.about
}

// derived is what the archive told about facts in memory, beyond the facts themselves. The archive
// tells it again, from blocks that are in memory.
type derived struct {
	of          []*record
	bytes, most int64
}

// mostDerived bounds what is derived, in bytes.
const mostDerived = 4 << 20

// derive counts bytes that were derived of a fact. Those of facts in the archive are dropped before
// they are too many; a caller that uses one of them keeps it.
func (s *State) derive(k *record, bytes int64) {
	s.size += bytes
	if k.Number > s.rested {
		return
	}
	d := &s.derived
	if d.bytes+bytes > d.most {
		for _, of := range d.of {
			of.about, of.beside = nil, nil
		}
		s.size -= d.bytes
		d.drop()
	}
	d.of, d.bytes = append(d.of, k), d.bytes+bytes
}

// drop lets go of what is derived.
func (d *derived) drop() { d.of, d.bytes = nil, 0 }

// neighbours are the terms of the facts before and after a fact that quote the same message;
// none without such a fact.
type neighbours [2][]term

// beside are the neighbours of a fact. Those that are not in memory are not read for it.
func (s *State) beside(k *record) (out neighbours) {
	if k.beside != nil {
		return *k.beside
	}
	told := false
	for i, n := range [...]FactNumber{k.Number - 1, k.Number + 1} {
		switch o := s.held[n]; {
		case o != nil && o.Source.Root == k.Source.Root && o.Source.Seq == k.Source.Seq:
			out[i] = s.signature(o).termList()
		case o == nil && k.Number <= s.rested && n.Message() == k.Number.Message():
			told = true
			if about := s.archive.signature(n); about != nil {
				out[i] = slices.Clone(about.termList()) // the rest of the signature takes much memory
			}
		}
	}
	if told {
		k.beside = &out
		s.derive(k, int64(unsafe.Sizeof(out))+int64(len(out[0])+len(out[1]))*int64(unsafe.Sizeof(term{})))
	}
	return out
}

// same is the key of the content words of a statement, 0 if it has none. "Not" counts.
func (s *State) same(k *record) key {
	if !k.compared {
		k.compared = true
		if h, found := hashOfStems("same ", k.Statement, false); found {
			if s.signature(k).cues.any(negationCues) {
				h++
			}
			k.same = keyOf(sameKey, h)
		}
	}
	return k.same
}

// slot is the key of a fact's slot, 0 if it fills none.
func (k *record) slot() key {
	if k.Attribute == "" {
		return 0
	}
	return slotOf(k.Subject, k.Attribute)
}

// reason is the key of the words of a fact's reason, in any order, 0 if it gives none.
func (k *record) reason() key {
	if k.Because == "" || !k.Kind.Asserted() {
		return 0
	}
	h, found := hashOfStems("", k.Because, true)
	if !found {
		return 0
	}
	return keyOf(reasonKey, h)
}

// hashOfStems is the hash of a prefix and the stems of a text in order, with spaces between
// them; once tells whether a stem counts once. found is false for a text without stems.
func hashOfStems(prefix, text string, once bool) (hash uint32, found bool) {
	var spaceOfBytes [512]byte
	var spaceOfStems [64][]byte
	all, stems := spaceOfBytes[:0], spaceOfStems[:0]
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if !w.Stop {
			from := len(all)
			all = append(all, w.Stem...)
			stems = append(stems, all[from:])
		}
	}
	slices.SortFunc(stems, bytes.Compare)
	if once {
		stems = slices.CompactFunc(stems, bytes.Equal)
	}
	hash = hashOn(firstHash, prefix)
	for i, stem := range stems {
		if i > 0 {
			hash = hashOn(hash, " ")
		}
		hash = hashOn(hash, stem)
	}
	return hash, len(stems) > 0
}

// enterKeys adds a fact to an index.
func (s *State) enterKeys(x index, k *record) {
	g := glimpse{k.Number, k.kind, k}
	x.add(keyOf(kindKey, uint32(k.kind)), g)
	x.addWords(k.Statement, g)
	if asked, found := s.Asked(k.Fact); found {
		x.addWords(asked.Statement, g)
	}
	x.addWords(k.Attribute, g)
	toks := s.tokensOf(k.Statement)
	for i := range toks {
		if tech := toks[i].tech; tech != 0 {
			x.add(keyOf(techKey, uint32(tech)), g)
		}
	}
	if k.Kind.Asserted() {
		s.enterAsserted(x, k)
	}
}

// enterAsserted adds a fact that asserts something under what it is about.
func (s *State) enterAsserted(x index, k *record) {
	g, about := glimpse{k.Number, k.kind, k}, s.signature(k)
	x.add(keyOf(assertedKey, 0), g)
	for i := range about.terms[:about.numTerms] {
		t := &about.terms[i]
		x.add(keyOf(termKey, t.stem), g)
		if t.kind != 0 {
			x.add(keyOf(classKey, uint32(t.kind)), g)
		}
	}
	reason := k.reason()
	if reason != 0 && s.count(reason) > 0 {
		x.add(keyOf(recurringKey, 0), g)
	}
	for _, one := range [...]key{k.slot(), s.same(k), reason} {
		if one != 0 {
			x.add(one, g)
		}
	}
}

// factsOf are the facts of records.
func factsOf(records []*record) []Fact {
	out := make([]Fact, len(records))
	for i, k := range records {
		out[i] = k.Fact
	}
	return out
}

// bytes is the approximate size of a fact in memory, without its signature.
func (k *record) bytes() int64 {
	const entries = 24 * int64(unsafe.Sizeof(glimpse{})) // in the index and the maps
	return int64(unsafe.Sizeof(*k)) + entries + int64(len(k.ID)+len(k.Quote)+len(k.Statement)+len(k.Subject)+len(k.Attribute)+
		len(k.Value)+len(k.Because))
}

// overlaps reports whether a fact's time overlaps the date, with the precision of the
// store: a millisecond.
func (k *record) overlaps(d language.Date) bool {
	return !k.When.IsZero() && k.When.From.UnixMilli() < d.To.UnixMilli() && d.From.UnixMilli() < k.When.To.UnixMilli()
}
