package memory

// skipHeading skips the label before a colon at the start of a note: the type of a
// commit ("fix: …", "feat(api): …") or a time ("Q3: …").
func (r *reading) skipHeading() {
	if r.stop < 3 {
		return
	}
	colon := 1
	if r.toks[1].mark("(") && r.stop > 5 && r.toks[3].mark(")") {
		colon = 4
	}
	if !r.toks[colon].mark(":") {
		return
	}
	switch low := r.toks[0].low; {
	case r.l.has(listCommit, low):
		r.commit = true
	case low == "q1" || low == "q2" || low == "q3" || low == "q4":
	default:
		return
	}
	r.label, r.lead = true, colon+1
}
