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
// rendering only reads the facts it shows.
type shelf struct {
	bySection [sections]ranked
	lines     []line
	// probe is the count of a known text. It tells whether the cached counts of lines
	// are still valid.
	probe  int
	counts map[Kind]int
	// heads are the costs of the headings for months.
	heads map[int]int
	taken marks // by the block being rendered
}

// line is the rendered form of a fact.
type line struct {
	text    string // "" until it is first needed
	tokens  int32  // 0 until counted
	month   int32  // the month of its heading; 0 for none
	weight  int32
	section section
}

func newShelf() shelf { return shelf{counts: map[Kind]int{}, heads: map[int]int{}} }

// put adds a new fact.
func (h *shelf) put(s *State, n int32) {
	f, t := &s.facts[n], &s.traits[n]
	l := line{section: nowhere}
	if f.Kind.Asserted() && f.Current() && !t.repeats {
		l.section = s.sectionOf(n)
		l.weight = s.weightOf(n)
		l.month = monthOf(l.section, f)
		h.counts[f.Kind]++
	}
	if int(n) < len(h.lines) {
		h.lines[n] = l
	} else {
		h.lines = append(h.lines, l)
	}
	if l.section == nowhere {
		return
	}
	h.bySection[l.section].put(n, l.weight)
}

// reread makes the line of a fact be rendered again.
func (h *shelf) reread(n int32) {
	if int(n) < len(h.lines) {
		h.lines[n].text, h.lines[n].tokens = "", 0
	}
}

// in iterates over a section.
func (h *shelf) in(sec section) cursor { return cursor{list: &h.bySection[sec]} }

// monthOf is the number of the month under which a line is shown. Changes and events
// show their own dates.
func monthOf(sec section, f *Fact) int32 {
	switch sec {
	case standing, personal, known, decisions, changes, causes:
		if !f.SaidAt.IsZero() {
			return int32(f.SaidAt.Year()*12+int(f.SaidAt.Month())-1) + 1
		}
	}
	return 0
}

// before orders facts by falling weight, newer facts first among equals.
func (h *shelf) before(a, b int32) int {
	if wa, wb := h.lines[a].weight, h.lines[b].weight; wa != wb {
		return int(wb) - int(wa)
	}
	return int(b) - int(a)
}

// remove removes a fact that no longer holds.
func (h *shelf) remove(s *State, n int32) {
	if int(n) >= len(h.lines) || h.lines[n].section == nowhere {
		return
	}
	l := &h.lines[n]
	h.bySection[l.section].remove(n, l.weight)
	h.counts[s.facts[n].Kind]--
	l.section = nowhere
}

// sectionOf is the section of a current fact.
func (s *State) sectionOf(n int32) section {
	f, t := &s.facts[n], &s.traits[n]
	if t.was >= 0 {
		return changes
	}
	switch f.Kind {
	case Instruction:
		if f.Source.Role != session.User {
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
		if f.When.From.After(f.SaidAt) || f.When.IsZero() {
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
func (s *State) weightOf(n int32) int32 {
	f, t := &s.facts[n], &s.traits[n]
	head, next := s.headOf(f)
	named := head.capital && head.entry == nil && next.is(tagBe, tagUse, tagUsage, tagPast, tagSettle, tagPlus, tagMinus)
	w := kindWeights[f.Kind]
	if t.was >= 0 {
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
