package memory

// mostSpokenTo is how many words a name has at most that stands behind a greeting.
const mostSpokenTo = 2

// salutes reports whether a sentence greets or parts, and says nothing else: "Good evening", "Guten Abend, Hermes".
func (r *reading) salutes() bool {
	greets, names := false, 0
	for i := r.lead; i < r.stop; i++ {
		t := &r.toks[i]
		switch {
		case t.kind == markToken, greets && r.l.has(listSpokenTo, t.low):
		case names == 0 && r.l.has(listSalutation, t.low):
			greets = true
		case greets && t.capital && t.entry == nil:
			names++
		default:
			return false
		}
	}
	return greets && names <= mostSpokenTo
}
