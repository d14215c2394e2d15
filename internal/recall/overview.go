package recall

import (
	"cmp"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// overview answers questions that name nothing to search for: "what do you know about
// me?", "what changed?", "what happened last week?".
func (f *finder) overview() []passage {
	if f.q.View == nil || !f.a.has(asksOverview|asksChange|asksOrder) && len(f.a.spans) == 0 {
		return nil
	}
	var out []passage
	for _, fact := range f.q.View.Facts() {
		p := ofFact(fact)
		switch {
		case f.own(fact.Source.Root, fact.Source.Seq), !tellable(fact.Kind), !fact.Current(), ours(p.role, p.text), requests(p.text):
		case f.a.identity && (fact.Kind != memory.Identity || p.role != session.User):
		case f.a.has(asksChange) && !supersedes(&fact):
		case len(f.a.spans) > 0 && !f.a.then(&p):
		case f.a.has(asksOrder) && fact.When.IsZero() && len(f.a.spans) == 0:
		default:
			p.score = standing(fact.Kind)
			out = append(out, p)
		}
	}
	out = slices.DeleteFunc(out, func(p passage) bool {
		return slices.ContainsFunc(out, func(o passage) bool { return o.same(&p) && o.end-o.start > p.end-p.start && o.score >= p.score })
	})
	slices.SortStableFunc(out, func(p, q passage) int {
		if c := cmp.Compare(q.score, p.score); c != 0 && !f.a.has(asksChange|asksOrder) {
			return c
		}
		return q.before(&p)
	})
	var kept []passage
	said := map[string]bool{}
	for i := range out {
		key := normal(out[i].text)
		if len(kept) == maxListed || said[key] || slices.ContainsFunc(kept, func(k passage) bool { return k.same(&out[i]) }) {
			continue
		}
		said[key] = true
		kept = append(kept, out[i])
	}
	slices.SortStableFunc(kept, func(p, q passage) int { return p.before(&q) })
	return kept
}

// supersedes reports whether a fact replaced another.
func supersedes(f *memory.Fact) bool {
	for _, link := range f.Links {
		if link.Kind == memory.Supersedes {
			return true
		}
	}
	return false
}

// standing orders the kinds by how much they say about the asker.
func standing(k memory.Kind) float64 {
	switch k {
	case memory.Identity:
		return 5
	case memory.Instruction, memory.Preference:
		return 4
	case memory.Decision:
		return 3
	case memory.Plain, memory.Cause, memory.Number:
		return 2
	}
	return 1
}
