package recall

import (
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxNoted bounds the statements that an acknowledgement repeats.
const maxNoted = 8

// acknowledge repeats the statements of the turn: changes with both sides, others as
// they were said. "" if there were none.
func acknowledge(q *run.Question, teller string) string {
	v := voice{ask: q, asker: teller}
	seen := map[memory.FactID]bool{}
	for i := range q.Reversals {
		r := &q.Reversals[i]
		if seen[r.Now.ID] || r.Now.Source.Role != session.User {
			continue
		}
		seen[r.Now.ID] = true
		chain := []memory.Fact{r.Was, r.Now}
		if q.View != nil {
			if all, taken := steps(q.View, r.Now); !taken && len(all) > 1 {
				chain = all
			}
		}
		v.change(chain)
	}
	noted := noteworthy(q.Learned, seen)
	if len(noted) == 0 {
		return v.b.String()
	}
	v.newLine()
	v.b.WriteString("Noted: ")
	for i := range noted {
		if i > 0 {
			v.b.WriteString("; ")
		}
		text, whole := clip(statementOf(&noted[i]), 0)
		v.quote(text, whole)
	}
	v.b.WriteByte('.')
	return v.b.String()
}

// noteworthy are the longest statements learnt, in order, without those acknowledged
// already.
func noteworthy(learned []memory.Fact, seen map[memory.FactID]bool) []passage {
	var out []passage
	for i := range learned {
		f := &learned[i]
		if f.Source.Role != session.User || !tellable(f.Kind) {
			continue
		}
		p := ofFact(f)
		if seen[f.ID] || covered(learned, f) || len(out) == maxNoted || requests(f.Quote) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// covered reports whether another fact from the same words has the statement and more.
func covered(learned []memory.Fact, f *memory.Fact) bool {
	for i := range learned {
		o := &learned[i]
		if o.ID == f.ID || o.Source.Root != f.Source.Root || o.Source.Seq != f.Source.Seq || !tellable(o.Kind) {
			continue
		}
		wider := o.Source.End-o.Source.Start > f.Source.End-f.Source.Start
		if o.Source.Start <= f.Source.Start && f.Source.End <= o.Source.End && wider {
			return true
		}
	}
	return false
}
