package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// FactsAt returns, for each place, the first asserted fact that quotes its message; ""
// for none.
func (v *View) FactsAt(places []Place) []FactID {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]FactID, len(places))
	for f := range v.state.Facts() {
		i := slices.Index(places, Place{Root: f.Source.Root, Seq: f.Source.Seq})
		if i >= 0 && out[i] == "" && f.Kind.Asserted() {
			out[i] = f.ID
		}
	}
	return out
}

// Timeline returns the asserted facts about a topic in the order they were said, and
// the facts that they replaced or that replaced them, even if those do not name the
// topic. An empty topic gives all decisions, events, causes and changes.
func (v *View) Timeline(topic string) []Fact {
	v.mu.Lock()
	defer v.mu.Unlock()
	wanted := stems(topic)
	keep := make(map[FactID]bool)
	var order []Fact
	for f := range v.state.Facts() {
		order = append(order, f)
		if f.Kind.Asserted() && speaksOf(&f, wanted) {
			keep[f.ID] = true
			keep[f.SupersededBy] = true
			for _, l := range f.Links {
				keep[l.To] = true
			}
		}
	}
	order = slices.DeleteFunc(order, func(f Fact) bool { return !keep[f.ID] })
	slices.SortStableFunc(order, func(a, b Fact) int { return a.SaidAt.Compare(b.SaidAt) })
	return order
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
