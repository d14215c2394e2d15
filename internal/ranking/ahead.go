package ranking

import (
	"iter"

	"github.com/hermes-memory/hermes/internal/piece"
)

// need is what a search is going to read of messages.
type need uint8

const (
	needBrief need = 1 << iota
	needRecord
	needOrigin
	needWords // their place is in the briefs
	needDates // their place is in the origins
	needSense
	needSign
)

// ahead reads in few round trips what the search needs of some messages next, if a piece is of a
// store that is far away. One need may tell where the next one lies.
func (x *Index) ahead(messages iter.Seq[int32], needs ...need) {
	if !x.far {
		return
	}
	for _, what := range needs {
		for d := range messages {
			in, n := x.at(d)
			if s, ok := x.parts[in].(*sealed); ok {
				s.want(n, what)
			}
		}
		x.fetch()
	}
}

// fetch reads what the pieces were told to read.
func (x *Index) fetch() {
	var readers []*piece.Reader
	for _, s := range x.sealed() {
		readers = append(readers, s.r)
	}
	piece.Fetch(readers...)
}

// aheadOfIDs reads in one round trip where the messages of a part come from, because an id is looked for
// all over it. Of a large piece only what is needed is read.
func (x *Index) aheadOfIDs(p part) {
	if s, ok := p.(*sealed); ok && x.far && s.n <= mostSurveyed {
		s.origins.WantRun(0, uint32(s.n))
		piece.Fetch(s.r)
	}
}

// mostSurveyed is the number of messages whose origins take 4 MiB.
const mostSurveyed = 4 << 20 / originWidth

// want notes what will be read of a message.
func (s *sealed) want(d int32, what need) {
	n := uint32(d)
	if what&needBrief != 0 {
		s.briefs.Want(n)
	}
	if what&needRecord != 0 {
		s.records.Want(n)
	}
	if what&needOrigin != 0 {
		s.origins.Want(n)
	}
	if what&needSense != 0 {
		s.senses.Want(n)
	}
	if what&needSign != 0 {
		s.signs.Want(n)
	}
	if what&needWords != 0 {
		s.hashes.Want(s.wordsAt(d))
	}
	if what&needDates != 0 {
		s.dates.WantRun(s.datesAt(d), s.datesEnd(d))
	}
}

// survey reads together what opening a piece reads, and the small sections of which every search reads
// most: where words and lineages are found.
func (s *sealed) survey() {
	for _, section := range []int{inFacts, inSpeakers, inEntering} {
		b := s.r.Bytes(section)
		b.Want(0, b.Len())
	}
	for _, d := range []*piece.Dictionary{s.stems, s.roots, s.sessions} {
		d.Want()
	}
	s.milestones.WantRun(0, s.milestones.Len())
	s.periods.WantRun(0, s.periods.Len())
	piece.Fetch(s.r)
}

// docsOfHits are the messages of the hits.
func (s *scratch) docsOfHits(yield func(int32) bool) {
	for i := range s.hits {
		if !yield(s.hits[i].doc) {
			return
		}
	}
}

// docsOf are the messages of some cells.
func (s *scratch) docsOf(places []int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, p := range places {
			if !yield(s.cells[p].doc) {
				return
			}
		}
	}
}

// docsOfRough are the messages that are scored with all features.
func (s *scratch) docsOfRough(yield func(int32) bool) {
	for i := range s.rough {
		if !yield(s.rough[i].doc) {
			return
		}
	}
}
