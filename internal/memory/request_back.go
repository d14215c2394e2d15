package memory

// takeBack is how a sentence takes something back. The words that do so, and the thing if it
// is named, end before token end. The thing begins at token thing.
type takeBack struct {
	sort       takeBackSort
	thing, end int
}

// takeBackSort is what a sentence takes back.
type takeBackSort uint8

const (
	takesNothing takeBackSort = iota
	takesIdly                 // a turn of phrase that sounds as if: "never mind"
	takesLast                 // what was said last: "scratch that"
	takesThing                // what was said about a thing: "forget about the port"
)

// takeBack reads how a sentence takes something back. Either its speaker says so ("that was
// wrong"), or the person addressed is asked to: by an imperative, or by words such as "can
// you". "Don't forget that", "I will not forget my seat" and "people forget the port" ask
// nobody to forget.
func (r *reading) takeBack() takeBack {
	i := r.firstWord()
	for i < r.stop {
		if t := r.takesBackAt(i); t.sort != takesNothing {
			return r.unasked(t)
		}
		n := r.leadIn(i)
		if n == 0 {
			break
		}
		i += n
	}
	n := phraseLength(r.toks, i, tagAskTo)
	if n == 0 {
		return takeBack{}
	}
	for i += n; i < r.stop && r.l.has(listSoftening, r.toks[i].low); i++ {
	}
	if i >= r.stop || !r.toks[i].entryHas(tagUnsay) {
		return takeBack{}
	}
	return r.takesBackAt(i)
}

// firstWord is the first token of the sentence, with filler: in "sorry, that was wrong"
// the filler belongs to the retraction.
func (r *reading) firstWord() int {
	if r.lead > 4 {
		return r.lead
	}
	return 0
}

// unasked keeps what a sentence takes back unless that is the question: "That's wrong?" and
// "Forget my seat?" take nothing back.
func (r *reading) unasked(t takeBack) takeBack {
	if t.end >= r.stop && r.toks[len(r.toks)-1].mark("?") {
		return takeBack{}
	}
	return t
}

// leadIn is how many tokens from i on may stand before a request or an admission without
// changing it; 0 for none. A negation, a condition and another subject may not.
func (r *reading) leadIn(i int) int {
	t := &r.toks[i]
	switch {
	case t.kind == markToken, r.l.has(listSoftening, t.low), t.is(tagCorrection, tagAnd):
		return 1
	case t.capital && !t.is(tagNeg) && i+1 < r.stop && r.toks[i+1].mark(","):
		return 2 // the name of the person addressed
	}
	return phraseLength(r.toks, i, tagFiller)
}

// takesBackAt reads what the words from token i on take back.
func (r *reading) takesBackAt(i int) takeBack {
	about, last, idle := phraseLength(r.toks, i, tagForgetAbout), phraseLength(r.toks, i, tagForget), phraseLength(r.toks, i, tagIdle)
	switch {
	case idle > 0 && idle >= max(about, last):
		return takeBack{sort: takesIdly, thing: i + idle, end: i + idle}
	case about > last && i+about < r.stop:
		return r.takesThingAt(i + about)
	case last > 0:
		return takeBack{sort: takesLast, thing: i + last, end: i + last}
	}
	return takeBack{}
}

// takesThingAt reads the thing that is taken back. A condition makes it no request yet:
// "forget the seat if I'm late".
func (r *reading) takesThingAt(from int) takeBack {
	end := from
	for end < r.stop && r.toks[end].kind != markToken {
		end++
	}
	if r.toks[from].is(tagNeg) || r.first(from, end, tagIf) >= 0 || r.word(from, end, "until") >= 0 {
		return takeBack{}
	}
	for end > from && r.l.has(listSoftening, r.toks[end-1].low) {
		end--
	}
	switch {
	case len(stems(r.slice(from, end))) > 0:
		return takeBack{sort: takesThing, thing: from, end: end}
	case r.first(from, end, tagThe) == from:
		return takeBack{sort: takesLast, thing: end, end: end} // "forget about that"
	}
	return takeBack{sort: takesIdly, thing: end, end: end}
}
