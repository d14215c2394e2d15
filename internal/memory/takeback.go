package memory

import "github.com/hermes-memory/hermes/internal/language"

// retract reads "scratch that", "forget what I said about the port". The rest of the
// sentence is read as a separate statement.
func (x *distiller) retract(r *reading) bool {
	at, about, n := r.takeBack()
	if about == 0 && n == 0 {
		return false
	}
	if about > 0 {
		f := x.fact(span{r.Start, r.End}, Retraction)
		f.Value = r.slice(at+about, r.stop)
		x.add(f)
		return f.Value != ""
	}
	after := at + n
	for after < r.stop && (r.toks[after].kind == markToken || r.toks[after].is(tagAnd)) {
		after++
	}
	if after >= r.stop {
		x.add(x.fact(span{r.Start, r.End}, Retraction))
		return true
	}
	if r.toks[after-1].kind != markToken && !r.toks[after-1].is(tagAnd) {
		return false // "ignore that file" is about something else
	}
	if r.toks[after].is(tagI) && after+2 < r.stop && (r.toks[after+1].is(tagBe) || r.toks[after+1].low == "was") && r.stop-after <= 4 {
		x.add(x.fact(span{r.Start, r.End}, Retraction)) // "forget that, I was wrong"
		return true
	}
	x.add(x.fact(span{r.Start, r.toks[at+n-1].end}, Retraction))
	x.correcting = true
	x.sentence(1, language.Sentence{Start: r.toks[after].start, End: r.End})
	x.correcting = false
	return true
}

// takeBack finds the words of a retraction, after at most a few function words: their
// position, and the number of words in the form that names the withdrawn thing (about)
// or does not (n).
func (r *reading) takeBack() (at, about, n int) {
	for i := r.firstWord(); i < min(r.lead+4, r.stop); i++ {
		about, n = phraseLength(r.toks, i, tagForgetAbout), phraseLength(r.toks, i, tagForget)
		if about > n && i+about < r.stop {
			return i, about, 0
		}
		if n > 0 {
			return i, 0, n
		}
		t := &r.toks[i]
		if t.kind != markToken && !t.is(tagCorrection, tagFiller, tagStop, tagAnd) {
			break
		}
	}
	return 0, 0, 0
}

// firstWord is the first token of the sentence, with filler: in "sorry, that was wrong"
// the filler belongs to the retraction.
func (r *reading) firstWord() int {
	if r.lead > 4 {
		return r.lead
	}
	return 0
}
