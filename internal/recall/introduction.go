package recall

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
)

// introduces reports whether a fact says who the asker is: the name, the work, the home.
func (who *persons) introduces(f *memory.Fact) bool {
	p := ofFact(f)
	p.read()
	r := who.reader(&p)
	r.read(nil)
	if r.ofProgram {
		return r.introducesElided()
	}
	own := func(m reference) bool { return m.root == rootAsker && m.path == "" }
	if f.Kind == memory.Identity {
		return len(r.mentions) == 0 || own(r.mentions[0])
	}
	return slices.ContainsFunc(r.mentions, own) && r.givesName(own)
}

// givesName reports whether a clause gives a name to an owner, and to no one else.
func (r *ownerReader) givesName(to func(reference) bool) bool {
	clause := r.clauses()
	for i := range r.mentions {
		m := &r.mentions[i]
		if _, sure := r.namedBy(m, clause); sure && to(*m) {
			return true
		}
	}
	return false
}

// introducesElided reports whether another program says who the user is: "Name is Leopold", "Lives in Ghent".
func (r *ownerReader) introducesElided() bool {
	const near = 3
	if len(r.parts) == 0 || slices.ContainsFunc(r.mentions, func(m reference) bool { return m.path != "" || m.root != rootAsker }) {
		return false
	}
	return slices.ContainsFunc(r.parts[:min(near, len(r.parts))], func(p part) bool {
		return p.duty&(dutyNaming|dutyNamed|dutyDoes|dutyTrait) != 0 || jobs()[p.stem]
	})
}
