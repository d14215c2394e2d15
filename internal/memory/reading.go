package memory

import (
	"github.com/hermes-memory/hermes/internal/language"
)

// reading is one sentence as distillation understands it: its tokens, where the
// statement proper begins, and how effect and reason share the words.
type reading struct {
	l    *lexicon
	text string // of the whole message
	language.Sentence
	toks []token
	// lead is the first token after the filler; stop is behind the last token
	// that is not closing punctuation.
	lead, stop int
	// label is set when the filler was a label as in "Commit: …".
	label bool
	// commit is set when the label is that of a commit, as in "fix: …".
	commit bool
	// told is set when the filler asks to remember what follows.
	told bool
	// from and to bound the main clause: the effect, when a reason is given.
	from, to int
	// because bounds the words of the reason, in bytes; empty for none.
	because span
	// backward is set when the reason is what was said before ("that's why …").
	backward bool
	// thus is set when the words run from the reason to the effect; cut is then
	// the end of the reason's tokens.
	thus bool
	cut  int
	// dates are the expressions of time in it.
	dates []language.Date
}

// span is a range of bytes of a message.
type span struct{ start, end int }

func (s span) empty() bool { return s.start >= s.end }

// read prepares a sentence. It returns false when there is nothing in it.
func (r *reading) read() bool {
	r.stop = len(r.toks)
	for r.stop > 0 && r.toks[r.stop-1].kind == markToken && closesSentence(r.toks[r.stop-1].low) {
		r.stop--
	}
	r.lead = 0
	r.skipFiller()
	r.from, r.to = r.lead, r.stop
	if r.lead < r.stop {
		r.skipAdverbial()
	}
	return r.lead < r.stop
}

// skipAdverbial moves the main clause past "Last week", "In the end" and "For a
// while", to the "I" or "we" behind it.
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

// closesSentence reports whether a mark at the end says nothing.
func closesSentence(mark string) bool {
	switch mark {
	case ".", "!", "?", "…", ",", ";", ":", "。", "！", "？", "-":
		return true
	}
	return false
}

// skipFiller moves lead past "Oh, by the way," and its like.
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

// fillerEnds decides whether n words of filler are really that. One word needs
// a mark behind it, because "well" and "note" are ordinary words, too.
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

// startsClause reports whether a subject stands at i, or another filler.
func (r *reading) startsClause(i int) bool {
	t := &r.toks[i]
	return t.is(tagI, tagWe, tagMy, tagOur, tagThe, tagFiller, tagHe, tagIt, tagYou) || t.capital
}

// remembers reports whether the filler asks to keep what follows.
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

// at is the token that starts at or after a byte.
func (r *reading) at(start int) int {
	for i := range r.toks {
		if r.toks[i].start >= start {
			return i
		}
	}
	return len(r.toks)
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

// content reports whether a token says something by itself.
func content(t *token) bool {
	return t.kind == numberToken || t.kind == wordToken && !t.entryHas(tagStop)
}

// entryHas asks for a tag of the word alone, not of phrases it opens.
func (t *token) entryHas(x tag) bool { return t.entry != nil && t.entry.tags.has(x) }
