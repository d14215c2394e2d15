package recall

import "strings"

// isItselfTheReason reports whether the thing to be explained is itself given as a
// reason: "we left because the rent doubled" does not say why the rent doubled.
func (a *asked) isItselfTheReason(p *passage) bool {
	f := p.fact
	if f == nil || a.denies || f.Because == "" || !within(f.Quote, f.Because) {
		return false
	}
	reason, further := f.Because, ""
	if before, after, found := strings.Cut(reason, ": "); found {
		told, why := a.look(before), a.look(after)
		if a.strong(&told) && !a.strong(&why) {
			return false // "we outgrew SQLite: one writer was not enough, hence MariaDB"
		}
	}
	for _, on := range [...]string{", so ", ", which", ", and so", " caus", " led to", " result", " made ", " because ", " due to ", " and "} {
		if before, after, found := strings.Cut(reason, on); found {
			reason, further = before, further+" "+after
		}
	}
	effect, cause := a.look(strings.Replace(f.Quote, f.Because, " ", 1)+" "+further), a.look(reason)
	return !a.strong(&effect) && a.strong(&cause)
}

// placedThere reports whether a place is named in a clause about the thing asked for,
// or in a clause that continues it. In "he fell on the ice, so we called off the trip",
// ice is not where the trip went.
func (a *asked) placedThere(p *passage) bool {
	clauses := strings.FieldsFunc(p.statement(), func(r rune) bool { return r == ',' || r == ';' })
	if len(clauses) < 2 {
		return true
	}
	for _, clause := range clauses {
		seen := a.look(clause)
		if seen.placed && (a.strongWord(&seen) || goesOn(clause) || strings.HasPrefix(clause, " who ") || strings.HasPrefix(clause, " which ")) {
			return true
		}
	}
	return false
}
