package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// FactsAt returns, for each place, the first asserted fact that quotes its message; ""
// for none.
func (v *View) FactsAt(places []Place) []FactID {
	out := make([]FactID, len(places))
	v.with(func(s *State) {
		for i, p := range places {
			at := s.atPlace(p)
			if first := slices.IndexFunc(at, func(k *record) bool { return k.Kind.Asserted() }); first >= 0 {
				out[i] = at[first].ID
			}
		}
	})
	return out
}

// atPlace are the facts of the message at a place.
func (s *State) atPlace(p Place) []*record {
	var out []*record
	for _, f := range s.archive.near(p.Root, p.Seq, p.Seq) {
		out = append(out, s.admit(&f))
	}
	if len(out) > 0 {
		return out
	}
	for _, n := range s.order {
		if at := &s.held[n].Source; at.Root == p.Root && at.Seq == p.Seq {
			out = append(out, s.held[n])
		}
	}
	return out
}

// Timeline returns the asserted facts about a topic in the order they were said, and
// the facts that they replaced or that replaced them, even if those do not name the
// topic. An empty topic gives all decisions, events, causes and changes.
func (v *View) Timeline(topic string) []Fact {
	var out []Fact
	v.with(func(s *State) { out = s.timeline(stems(topic)) })
	return out
}

// timeline is [View.Timeline] of a topic as stems.
func (s *State) timeline(wanted []string) []Fact {
	keep := make(chosen)
	var order []Fact
	for f := range s.Facts() {
		order = append(order, f)
		keep.add(&f, wanted)
	}
	order = slices.DeleteFunc(order, func(f Fact) bool { return !keep[f.ID] })
	slices.SortStableFunc(order, func(a, b Fact) int { return a.SaidAt.Compare(b.SaidAt) })
	return order
}

// chosen are the facts of a timeline.
type chosen map[FactID]bool

// add keeps a fact that speaks of a topic, and those that it is linked with.
func (c chosen) add(f *Fact, wanted []string) {
	if !f.Kind.Asserted() || !speaksOf(f, wanted) {
		return
	}
	c[f.ID] = true
	c[f.SupersededBy] = true
	for _, l := range f.Links {
		c[l.To] = true
	}
}

// speaksOf reports whether a fact belongs to the timeline of a topic.
func speaksOf(f *Fact, wanted []string) bool {
	if len(wanted) == 0 {
		return f.Kind == Decision || f.Kind == Event || f.Kind == Cause || !f.Current() || len(f.Links) > 0
	}
	said := stems(f.Quote + " " + f.Statement + " " + f.Because)
	for _, w := range wanted {
		if !slices.ContainsFunc(said, func(s string) bool { return s == w || len(w) > 3 && strings.HasPrefix(s, w) }) {
			return false
		}
	}
	return true
}

// stems are the content words of a text in the form for comparisons.
func stems(text string) []string {
	var out []string
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if !w.Stop {
			out = append(out, string(w.Stem))
		}
	}
	return out
}
