package memory

// An extract is a statement made from a sentence by omitting words. It may say less
// than the sentence, but nothing else: the order of words stays, numbers and names are
// unchanged, and no word may be omitted that negates, supposes, limits, or attributes
// the statement to another person.

// extracts reports whether the tokens of a statement are an extract of the sentence.
func (r *reading) extracts(statement []token) bool {
	for at := r.from; at < r.stop; at++ {
		if r.mayBegin(at) && r.extractsFrom(at, statement) {
			return true
		}
	}
	return r.lead < r.from && r.extractsFrom(r.lead, statement)
}

// mayBegin reports whether a statement may begin at token i: at the start of the
// sentence or of a clause.
func (r *reading) mayBegin(i int) bool {
	if i == r.from || i == r.lead {
		return true
	}
	before := &r.toks[i-1]
	return (before.kind == markToken || before.is(tagAnd)) && r.spareable(r.from, i)
}

// extractsFrom reports whether a statement that begins at token at is an extract of the
// tokens from there on.
func (r *reading) extractsFrom(at int, statement []token) bool {
	next, matched := at, 0
	for i := range statement {
		t := &statement[i]
		if t.kind == markToken {
			continue
		}
		found := -1
		for k := next; k < r.stop; k++ {
			if r.sameWord(k, t, i == 0) {
				found = k
				break
			}
		}
		switch {
		case found < 0 && isArticle(t):
			continue
		case found < 0, matched == 0 && found != at, matched > 0 && !r.gap(next, found):
			return false
		}
		next = found + 1
		matched++
	}
	return matched > 1 && r.tailGap(next)
}

// sameWord reports whether word k of the sentence equals a word of a statement. Numbers
// and names must be spelled alike; other words may be inflected.
func (r *reading) sameWord(k int, t *token, first bool) bool {
	s := &r.toks[k]
	switch {
	case s.kind != t.kind:
		return false
	case s.low == t.low:
		return s.capital == t.capital || first || k == r.lead || k == r.from
	case s.kind == numberToken || s.isName() || t.isName():
		return false
	}
	return content(s) && content(t) && stem(r.l, s.low) == stem(r.l, t.low)
}

func (t *token) isName() bool { return t.capital || t.tech != 0 }

func isArticle(t *token) bool { return t.low == "a" || t.low == "an" || t.low == "the" }

// gap reports whether tokens [from, to) may be omitted between two words: function
// words, a prepositional phrase, or a part between punctuation marks.
func (r *reading) gap(from, to int) bool {
	if !r.spareable(from, to) {
		return false
	}
	small := true
	for i := from; i < to; i++ {
		switch r.toks[i].low {
		case "was", "were", "had", "used", "did":
			return false // the gap has ended
		}
		small = small && !content(&r.toks[i]) && r.toks[i].kind != markToken
	}
	if small || to-from == 1 && r.toks[from].kind == markToken {
		return true
	}
	if r.toks[from].kind == markToken {
		return r.toks[to-1].kind == markToken
	}
	for i := from; i < to; i++ {
		if r.toks[i].kind == markToken || r.toks[i].is(tagAnd) {
			return false
		}
	}
	return placesSomething(r.toks[from].low)
}

// tailGap reports whether all tokens from token from on may be omitted.
func (r *reading) tailGap(from int) bool {
	if from >= r.stop {
		return true
	}
	t := &r.toks[from]
	return r.spareable(from, r.stop) && (t.kind == markToken || t.is(tagAnd, tagWhy, tagThus) || placesSomething(t.low))
}

// placesSomething reports whether a preposition opens a phrase that only adds where,
// when, how or with whom.
func placesSomething(low string) bool {
	switch low {
	case "in", "on", "at", "to", "from", "by", "for", "with", "about", "into", "onto", "over", "under", "via", "per",
		"through", "during", "within", "inside", "across", "between", "after", "before":
		return true
	}
	return false
}

// spareable reports whether none of the tokens [from, to) changes the meaning of the
// others.
func (r *reading) spareable(from, to int) bool {
	for i := from; i < to; i++ {
		t := &r.toks[i]
		if t.is(tagNeg, tagNoLonger, tagIf, tagHedge, tagSpeech, tagHates, tagFuture, tagPromise, tagRelation, tagHe, tagDecline, tagForget) {
			return false
		}
		switch t.low {
		case "until", "till", "except", "only", "almost", "nearly", "but", "however", "although", "though",
			"yet", "instead", "rather", "than", "false", "untrue", "wrong", "doubt", "doubts", "pretend", "dream", "dreamt", "dreamed", "hope", "fear":
			return false
		}
	}
	return true
}

// drawn reports whether a statement is an extract of sentence i of a text.
func (x *distiller) drawn(sentences []reading, i int, statement string) bool {
	return sentences[i].extracts(appendTokens(x.l, nil, statement, 0, len(statement)))
}
