package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// retract reads "scratch that", "forget what I said about the port". What is left of the
// sentence is then sentence i, and is read as a statement.
func (x *distiller) retract(i int) bool {
	r := &x.sentences[i]
	t := r.takeBack()
	if t.sort == takesNothing {
		return false
	}
	after, cut := r.behind(&t)
	switch {
	case after >= r.stop || r.excuses(after):
		after = r.stop
	case !cut:
		return false // "ignore that file" is about something else
	}
	if t.sort == takesIdly {
		return x.passOver(i, after)
	}
	x.keepUnits()
	by := x.retraction(r, &t, after)
	if after >= r.stop {
		x.correctNext(i, by)
		return true
	}
	return x.correct(i, after, by)
}

// behind is the token behind the words that take something back, without what softens them.
// cut says that another clause begins there.
func (r *reading) behind(t *takeBack) (after int, cut bool) {
	for after = t.end; after < r.stop; after++ {
		token := &r.toks[after]
		if token.kind == markToken || token.is(tagAnd) {
			cut = true
		} else if !r.l.has(listSoftening, token.low) {
			break
		}
	}
	return after, cut
}

// excuses reports whether the words from token i on say only that the speaker was wrong.
func (r *reading) excuses(i int) bool {
	return r.toks[i].is(tagI) && i+2 < r.stop && (r.toks[i+1].is(tagBe) || r.toks[i+1].low == "was") && r.stop-i <= 4
}

// retraction adds the fact that something was taken back.
func (x *distiller) retraction(r *reading, t *takeBack, after int) FactID {
	at := r.words()
	if after < r.stop {
		at.end = r.toks[t.end-1].end
	}
	f := x.fact(at, Retraction)
	f.Value = r.slice(t.thing, t.end)
	x.add(f)
	return f.ID
}

// passOver reads what follows a turn of phrase that takes nothing back.
func (x *distiller) passOver(i, after int) bool {
	if after >= x.sentences[i].stop {
		return true
	}
	rest, ok := x.remainder(i, after)
	if !ok {
		return true
	}
	x.judge(&rest)
	x.sentences[i] = rest
	return false
}

// remainder is what follows a token of sentence i, read by itself. ok is false if it says
// nothing.
func (x *distiller) remainder(i, after int) (rest reading, ok bool) {
	r := &x.sentences[i]
	rest = reading{
		l: x.l, text: x.d.Text, Sentence: language.Sentence{Start: r.toks[after].start, End: r.End},
		toks: r.toks[after:], dates: r.dates,
	}
	if !rest.read() || rest.lead+phraseLength(rest.toks, rest.lead, tagFiller) >= rest.stop {
		return rest, false
	}
	rest.findReason()
	rest.signs = rest.theSigns()
	return rest, true
}

// correct reads what follows a retraction in sentence i. A statement that says what is so
// instead replaces what was taken back.
func (x *distiller) correct(i, after int, by FactID) bool {
	named := x.facts[len(x.facts)-1].Value != ""
	rest, ok := x.remainder(i, after)
	if !ok || rest.takeBack().sort != takesNothing {
		return true
	}
	if rest.correction() {
		rest.corrects = by
	}
	if rest.fresh = rest.corrects != "" || !named; !rest.fresh {
		x.judge(&rest)
	}
	x.sentences[i] = rest
	return false
}

// correctNext makes the sentence after a retraction replace what was taken back, if it speaks
// of that by a pronoun: "That's wrong. He is a cook."
func (x *distiller) correctNext(i int, by FactID) {
	if i+1 == len(x.sentences) {
		return
	}
	next := &x.sentences[i+1]
	if !next.foreign && next.speaksOn() && next.correction() {
		next.fresh, next.corrects = true, by
	}
}

// correction reports whether a sentence behind a retraction gives what is so instead: it
// goes on about the same thing, or it is a value alone. Anything else may be about something
// else.
func (r *reading) correction() bool {
	kind := r.kind()
	states := kind.Asserted() || kind == ThirdParty || kind == Negated
	return states && r.takeBack().sort == takesNothing && (r.speaksOn() || r.isValue())
}

// speaksOn reports whether a sentence goes on about what was said before: "it is 15D", "her
// name is Ida", "I meant 15D", "make it five".
func (r *reading) speaksOn() bool {
	t := &r.toks[r.lead]
	pronoun := t.is(tagHe) || strings.HasPrefix(t.low, "it")
	return pronoun && t.entryHas(tagStop) || r.meant()
}

// meant reports whether a sentence opens with words of a correction that a value follows.
func (r *reading) meant() bool {
	n := phraseLength(r.toks, r.lead, tagMeant)
	return n > 0 && r.lead+n < r.stop
}

// isValue reports whether a sentence is a value and no clause: a figure or a name, in a few
// words.
func (r *reading) isValue() bool {
	const most = 4
	if r.stop-r.lead > most || r.first(r.lead, r.stop, tagBe, tagI, tagWe, tagYou, tagAux) >= 0 {
		return false
	}
	for i := r.lead; i < r.stop; i++ {
		if t := &r.toks[i]; t.isFigure() || t.capital && i > r.lead {
			return true
		}
	}
	only := &r.toks[r.lead]
	return r.lead+1 == r.stop && only.capital && only.low != "hermes"
}
