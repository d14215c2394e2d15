package memory

import (
	"github.com/hermes-memory/hermes/internal/language"
)

// reading is a parsed sentence: its tokens, the start of the statement, and the
// division into effect and reason.
type reading struct {
	l    *lexicon
	text string // of the whole message
	language.Sentence
	toks []token
	// lead is the first token after the filler. stop is the end of the tokens without
	// closing punctuation.
	lead, stop int
	// label says that the filler is a label, as in "Commit: …".
	label bool
	// commit says that the label is that of a commit, as in "fix: …".
	commit bool
	// told says that the filler asks to remember the statement.
	told bool
	// tags are those of all tokens.
	tags tagSet
	// letters are the initials of all tokens.
	letters initials
	// from and to bound the main clause: the effect, if there is a reason.
	from, to int
	// because bounds the words of the reason, in bytes; empty for none.
	because span
	// backward says that the reason is the previous statement ("that's why …").
	backward bool
	// dates are the expressions of time in the sentence.
	dates []language.Date
	// signs are its properties, set once the rest is.
	signs signs
	// fresh says that it follows a retraction of what was said before.
	fresh bool
	// apart says that the words before it were erased, and partial that some words of its message were.
	apart, partial bool
	// corrects is the retraction of which it says what is so instead; "" for none.
	corrects FactID
	// foreign says that it is in words of another person: quoted.
	foreign bool
	// worth is the logarithm of the odds that it is worth keeping. wished says that it is
	// how answers are wanted from now on. Both are judged of the user's sentences.
	worth  float32
	wished bool
}

// span is a range of bytes of a message.
type span struct{ start, end int }

func (s span) empty() bool { return s.start >= s.end }

// read parses a sentence. It returns false for an empty one.
func (r *reading) read() bool {
	r.stop = len(r.toks)
	for r.stop > 0 && r.toks[r.stop-1].kind == markToken && closesSentence(r.toks[r.stop-1].low) {
		r.stop--
	}
	r.lead = 0
	for i := range r.toks {
		r.tags = r.tags.join(r.toks[i].tags)
		r.letters.add(r.toks[i].low)
	}
	r.skipFiller()
	r.from, r.to = r.lead, r.stop
	if r.lead < r.stop {
		r.skipAdverbial()
	}
	return r.lead < r.stop
}

// skipAdverbial moves the start of the main clause past "Last week", "In the end" and
// "For a while", to the following "I" or "we".
func (r *reading) skipAdverbial() {
	if !r.toks[r.lead].is(tagAdverbial) && r.toks[r.lead].low != "as" {
		return
	}
	stop := tagsOf(tagHe, tagRelation, tagSpeech, tagIf, tagWh, tagAux, tagBe, tagOpinion, tagTrouble)
	for i := r.lead; i < min(r.lead+8, r.stop-1); i++ {
		t := &r.toks[i]
		if t.entryHas(tagI) || t.entryHas(tagWe) {
			r.from = i
			return
		}
		if i > r.lead && t.tags.any(stop) {
			return
		}
	}
}

// closesSentence reports whether a final punctuation mark has no meaning.
func closesSentence(mark string) bool {
	switch mark {
	case ".", "!", "?", "…", ",", ";", ":", "。", "！", "？", "-":
		return true
	}
	return false
}

// skipFiller moves lead past filler such as "Oh, by the way,".
func (r *reading) skipFiller() {
	r.skipHeading()
	for r.lead < r.stop {
		n := phraseLength(r.toks, r.lead, tagFiller)
		if n == 0 {
			return
		}
		after := r.lead + n
		if after >= r.stop {
			return
		}
		colon := r.toks[after].mark(":")
		if !r.fillerEnds(n, after) {
			return
		}
		if r.toks[r.lead].is(tagLabel) && colon {
			r.label = true
		}
		if r.remembers(n) {
			r.told = true
		}
		for after < r.stop && r.toks[after].kind == markToken && (closesSentence(r.toks[after].low)) {
			after++
		}
		r.lead = after
	}
}

// fillerEnds decides whether n words are filler. A single word needs a punctuation mark
// after it, because "well" and "note" are also ordinary words.
func (r *reading) fillerEnds(n, after int) bool {
	if n > 1 {
		last := r.toks[after-1].low
		return last == "that" || r.toks[after].kind == markToken || r.toks[r.lead].low != "i" && n > 2 || r.startsClause(after)
	}
	if r.toks[after].kind == markToken {
		switch r.toks[after].low {
		case ",", ":", ".", "!", "-", "…", ";":
			return true
		}
		return false
	}
	low := r.toks[r.lead].low
	return r.l.has(listManner, low) || r.l.has(listLead, low) && r.startsClause(after)
}

// startsClause reports whether a subject, or further filler, begins at i.
func (r *reading) startsClause(i int) bool {
	t := &r.toks[i]
	return t.is(tagI, tagWe, tagMy, tagOur, tagThe, tagFiller, tagHe, tagIt, tagYou) || t.capital
}

// remembers reports whether the filler asks to remember the statement.
func (r *reading) remembers(n int) bool {
	for i := r.lead; i < r.lead+n; i++ {
		if r.l.has(listNoting, r.toks[i].low) {
			return true
		}
	}
	return false
}

// first returns the first token of [from, to) that has one of the tags; -1 for
// none.
func (r *reading) first(from, to int, tags ...tag) int {
	want := tagsOf(tags...)
	for i := from; i < to; i++ {
		if r.toks[i].tags.any(want) {
			return i
		}
	}
	return -1
}

// word returns the first token of [from, to) that is the word; -1 for none.
func (r *reading) word(from, to int, low string) int {
	for i := from; i < to; i++ {
		if r.toks[i].low == low {
			return i
		}
	}
	return -1
}

// slice is the verbatim text of the tokens [from, to).
func (r *reading) slice(from, to int) string {
	if from >= to {
		return ""
	}
	return r.text[r.toks[from].start:r.toks[to-1].end]
}

// dated reports whether an expression of time touches tokens [from, to).
func (r *reading) dated(from, to int) (language.Date, bool) {
	if from >= to {
		return language.Date{}, false
	}
	start, end := r.toks[from].start, r.toks[to-1].end
	for _, d := range r.dates {
		if d.Start < end && d.End > start {
			return d, true
		}
	}
	return language.Date{}, false
}

// content reports whether a token has meaning by itself.
func content(t *token) bool {
	return t.kind == numberToken || t.kind == wordToken && !t.entryHas(tagStop)
}

// entryHas reports whether the word alone has a tag, not the phrases that begin with
// it.
func (t *token) entryHas(x tag) bool { return t.entry != nil && t.entry.tags.has(x) }
