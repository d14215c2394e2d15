package memory

import (
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// section is a part of the block for a model.
type section uint8

// The sections, in the order they are shown.
const (
	standing section = iota
	personal
	known
	decisions
	changes
	causes
	timeline
	loops
	sections         // how many there are
	nowhere  section = 255
)

// sectionTitles are the headings of the sections.
var sectionTitles = [sections]string{
	"Standing wishes:\n", "Who is speaking, likes and dislikes:\n", "Known facts:\n", "Decisions:\n", "Changes (old → new):\n",
	"Causes:\n", "Timeline:\n", "Open:\n",
}

// sectionShares are the percentages of the budget that each section may take before the
// rest goes to the weightiest facts of any section.
var sectionShares = [sections]int{15, 17, 18, 14, 18, 6, 8, 4}

// shelf holds the facts that may be shown, by section and falling weight, so that
// rendering only reads the facts it shows. It has the first facts of each section, and
// reads more of them from the archive when they are needed.
type shelf struct {
	bySection [sections]ranked
	// read is the place down to which a section was read from the archive, whole says
	// that it was read to its end.
	read  [sections]ShelfPlace
	whole [sections]bool
	// probe is the count of a known text. It tells whether the cached counts of lines
	// are still valid.
	probe int
	// round counts the blocks that were rendered.
	round uint32
	// heads are the costs of the headings for months.
	heads map[int]int
}

// line is the rendered form of a fact.
type line struct {
	text   string // "" until it is first needed
	tokens int32  // 0 until counted
	month  int32  // that of the fact, once the line is counted
}

func newShelf() shelf {
	h := shelf{heads: map[int]int{}}
	for sec := range h.read {
		h.read[sec] = ShelfTop()
	}
	return h
}

// begin begins another block.
func (h *shelf) begin() uint32 {
	h.round++
	return h.round
}

// put adds a fact that the state has learnt, or that holds again.
func (h *shelf) put(s *State, k *record) {
	h.remove(k)
	if !k.Kind.Asserted() || !k.Current() || k.repeats {
		return
	}
	replaces := s.replacedBy(k) != nil
	sec := sectionOf(k, replaces)
	k.Section, k.Weight = sec, s.weightOf(k, replaces)
	h.bySection[sec].put(k)
}

// reread makes the line of a fact be rendered again.
func (k *record) reread() { k.line.text, k.line.tokens = "", 0 }

// remove removes a fact that no longer holds.
func (h *shelf) remove(k *record) {
	if k.Section != nowhere {
		h.bySection[k.Section].remove(k)
	}
	k.line, k.Section, k.Weight = line{}, nowhere, 0
}

// firstAfter is the first fact of a section after a place; nil at the end.
func (s *State) firstAfter(sec section, place ShelfPlace) *record {
	h := &s.shelf
	for {
		next, found := h.bySection[sec].after(place)
		if found && (h.whole[sec] || !h.read[sec].before(next.Place())) {
			return next
		}
		if h.whole[sec] {
			return nil
		}
		s.readMore(sec)
	}
}

// readMore reads the next facts of a section from the archive. The first facts of all
// sections are read together, because a block looks at all of them.
func (s *State) readMore(sec section) {
	if s.indexed == 0 {
		s.shelveAll()
		return
	}
	h, of := &s.shelf, []section{sec}
	if h.read[sec] == ShelfTop() {
		of = h.unread()
	}
	var read [sections]int
	facts := s.archive.shown(of, h.read[sec])
	fresh := make([]*record, 0, len(facts))
	for i := range facts {
		from := facts[i].Section
		read[from]++
		h.read[from] = facts[i].Place()
		k := s.admit(&facts[i])
		fresh = append(fresh, k)
		if k.Section == from { // otherwise it has changed since it was stored
			h.bySection[from].put(k)
		}
	}
	s.readLinked(fresh)
	s.ahead(func() []listing { return reasons(fresh, 1) }) // a line tells whether it is the newest with its reason
	for _, one := range of {
		h.whole[one] = read[one] < shelfPage
	}
}

// shelveAll puts all facts on the shelf: no archive has any.
func (s *State) shelveAll() {
	for _, n := range s.order {
		if k := s.held[n]; k.Section != nowhere {
			s.shelf.bySection[k.Section].put(k)
		}
	}
	for sec := range sections {
		s.shelf.whole[sec] = true
	}
}

// unread are the sections of which nothing was read.
func (h *shelf) unread() (out []section) {
	for sec := range sections {
		if h.read[sec] == ShelfTop() && !h.whole[sec] {
			out = append(out, sec)
		}
	}
	return out
}

// shelfPage is how many facts of a section are read together. Most blocks show fewer.
const shelfPage = 16

// month is the number of the month under which a fact is shown; 0 for none. Changes and
// events show their own dates.
func (k *record) month() int32 {
	switch k.Section {
	case standing, personal, known, decisions, changes, causes:
		if !k.SaidAt.IsZero() {
			return int32(k.SaidAt.Year()*12+int(k.SaidAt.Month())-1) + 1
		}
	}
	return 0
}

// sectionOf is the section of a current fact. replaces says that it replaced another.
func sectionOf(k *record, replaces bool) section {
	if replaces {
		return changes
	}
	switch k.Kind {
	case Instruction:
		if k.Source.Role != session.User {
			return known // only people have wishes
		}
		return standing
	case Preference, Identity:
		return personal
	case Decision:
		return decisions
	case Cause:
		return causes
	case Event:
		if k.When.From.After(k.SaidAt) || k.When.IsZero() {
			return loops
		}
		return timeline
	}
	return known
}

// kindWeights are the initial weights of facts by kind.
var kindWeights = map[Kind]int32{
	Instruction: 90, Identity: 40, Preference: 52, Decision: 40, Cause: 25, Number: 25, Event: 20, Plain: 10,
}

// weightOf is the weight of a fact. Statements of speakers about themselves and their
// work, with a reason or a number, weigh more than remarks.
func (s *State) weightOf(k *record, replaces bool) int32 {
	f := &k.Fact
	head, next := s.headOf(f)
	named := head.capital && head.entry == nil && next.is(tagBe, tagUse, tagUsage, tagPast, tagSettle, tagPlus, tagMinus)
	w := kindWeights[f.Kind]
	if replaces {
		w = 60
	}
	if f.Because != "" {
		w += 8
	}
	if f.Value != "" {
		w += 6
	}
	if !f.When.IsZero() {
		w += 4
	}
	switch {
	case head.is(tagI, tagWe, tagMy, tagOur, tagPlus, tagMinus, tagSwitch, tagSwap, tagSettle):
		w += 12
		if next.low == "was" || next.low == "were" {
			w -= 12 // a momentary activity
		}
	case named:
		w += 10
	case f.Source.Start > longMessage:
		w -= 10 // prose of others, pasted in
	}
	if len(f.Quote) > len(f.Statement)+6 {
		w += 8 // "just so you know": meant to be remembered
	}
	if f.Kind.Asserted() && !f.When.IsZero() && f.SaidAt.Sub(f.When.From) > bygone {
		w -= 25
	}
	switch f.Source.Role {
	case session.Assistant:
		w -= 25
	case session.Tool:
		w -= 8
	}
	return w + brevity(len(f.Statement))
}

// brevity prefers shorter statements, because more of them fit. Its steps are wide, so
// that statements of one time mostly stay together.
func brevity(bytes int) int32 {
	if bytes > 220 {
		return -14
	}
	return int32(5 * max(-2, min(2, (90-bytes)/25)))
}

// Statements far from the start of a message, and about times long past, are rarely
// about the speakers.
const (
	longMessage = 300
	bygone      = 15 * 365 * 24 * time.Hour
)

// headOf are the first two words of a statement.
func (s *State) headOf(f *Fact) (first, second token) {
	var space [12]token
	head := f.Statement[:min(len(f.Statement), 40)]
	toks := appendTokens(s.l, space[:0], head, 0, len(head))
	if len(toks) > 0 {
		first = toks[0]
	}
	if len(toks) > 1 {
		second = toks[1]
	}
	return first, second
}
