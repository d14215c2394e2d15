package memory

import "github.com/hermes-memory/hermes/internal/language"

// retract reads "scratch that", "forget what I said about the port". What is left of the
// sentence is then sentence i, and is read as a statement.
func (x *distiller) retract(i int) bool {
	r := &x.sentences[i]
	at, about, n := r.takeBack()
	if about == 0 && n == 0 {
		return false
	}
	x.keepUnits()
	if about > 0 {
		f := x.fact(r.words(), Retraction)
		f.Value = r.slice(at+about, r.clauseEnd(at+about))
		x.add(f)
		return f.Value != ""
	}
	after := at + n
	for after < r.stop && (r.toks[after].kind == markToken || r.toks[after].is(tagAnd)) {
		after++
	}
	if after >= r.stop || r.excuses(after) {
		x.add(x.fact(r.words(), Retraction))
		return true
	}
	if r.toks[after-1].kind != markToken && !r.toks[after-1].is(tagAnd) {
		return false // "ignore that file" is about something else
	}
	x.add(x.fact(span{r.Start, r.toks[at+n-1].end}, Retraction))
	rest := reading{l: x.l, text: x.d.Text, Sentence: language.Sentence{Start: r.toks[after].start, End: r.End}, toks: r.toks[after:], dates: r.dates}
	if !rest.read() {
		return true
	}
	rest.findReason()
	rest.signs, rest.fresh = rest.theSigns(), true
	x.sentences[i] = rest
	return false
}

// clauseEnd is the first mark from token i on, or the end of the sentence.
func (r *reading) clauseEnd(i int) int {
	for i < r.stop && r.toks[i].kind != markToken {
		i++
	}
	return i
}

// excuses reports whether the words from token i on say only that the speaker was wrong.
func (r *reading) excuses(i int) bool {
	return r.toks[i].is(tagI) && i+2 < r.stop && (r.toks[i+1].is(tagBe) || r.toks[i+1].low == "was") && r.stop-i <= 4
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
