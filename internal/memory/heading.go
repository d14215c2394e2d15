package memory

// skipHeading skips the label before a colon at the start of a note: the type of a
// commit ("fix: …", "feat(api): …"), a time ("Q3: …"), or a label with words before it ("Some quick
// background: …").
func (r *reading) skipHeading() {
	if r.stop < 3 {
		return
	}
	if colon := r.labelEnd(); colon > 0 {
		r.label, r.lead = true, colon+1
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

// mostHeading is how many words a heading has before its label.
const mostHeading = 4

// labelEnd is the colon behind a label of several words, if somebody speaks of themself behind it;
// 0 for none. A name before a colon is no label: it may be who says the rest.
func (r *reading) labelEnd() int {
	for i := 1; i <= mostHeading && i+2 < r.stop && r.toks[i].kind == wordToken; i++ {
		if r.toks[i].is(tagLabel) && r.toks[i+1].mark(":") && r.toks[i+2].is(tagI, tagWe) {
			return i + 1
		}
	}
	return 0
}
