package memory

// isReminder reads a task of the speaker: "remind me to call Bob tomorrow", "don't let
// me forget the dentist". "Remind me what we said" is a question.
func (r *reading) isReminder() bool {
	for i := r.lead; i < min(r.lead+4, r.stop); i++ {
		if n := phraseLength(r.toks, i, tagReminder); n > 0 {
			return i+n < r.stop && !r.toks[i+n].is(tagWh, tagIf) && r.toks[i+n].low != "whether"
		}
		if t := &r.toks[i]; t.low != "please" && !t.is(tagAux, tagYou) && t.kind != markToken {
			return false
		}
	}
	return false
}
