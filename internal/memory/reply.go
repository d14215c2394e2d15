package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// reply reads "yes, let's do that" after a proposal of the assistant, and a bare answer
// after its question. The fact has the user's words alone; a link leads to the words of the
// assistant.
func (x *distiller) reply(r *reading) bool {
	if len(x.before) == 0 || x.before[0].Role != session.Assistant || r.stop > 24 || r.signs.has(signAsks) {
		return false
	}
	if r.apart { // what replied was erased
		return false
	}
	agrees := accepts(r)
	if !agrees && (x.said() > 1 || !isBareAnswer(r)) {
		return false
	}
	asked, found := x.askedIn(&x.before[0], agrees)
	if !found {
		return false
	}
	kind := Plain
	if agrees {
		kind = Decision
	}
	f := x.fact(r.words(), kind)
	f.Statement = x.d.Text[r.toks[0].start:r.lastByte()]
	f.Links = []Link{{Kind: Answers, To: asked.ID}}
	if len(r.dates) > 0 {
		f.When = Interval{From: r.dates[0].From, To: r.dates[0].To}
	}
	x.add(f)
	return x.said() == 1
}

// askedIn is the last proposal of the assistant's message, or its last question that asks
// for more than a yes.
func (x *distiller) askedIn(m *message, proposal bool) (Fact, bool) {
	facts, _ := distill(*m, nil, nil)
	for i := len(facts) - 1; i >= 0; i-- {
		f := &facts[i]
		if proposal && f.Kind == Proposal {
			return *f, true
		}
		if !proposal && f.Kind == Question && asksFor(f.Quote, x.l) && !giveAway(f.Quote, x.d.Text) {
			return *f, true
		}
	}
	return Fact{}, false
}

// accepts reports whether a short message only agrees.
func accepts(r *reading) bool {
	words, longest := 0, 0
	for i := 0; i < r.stop; {
		t := &r.toks[i]
		n := phraseLength(r.toks, i, tagAccept)
		switch {
		case t.kind == markToken:
			i++
			continue
		case t.is(tagDecline) && !t.is(tagAccept) || t.low == "but":
			return false
		case n == 0 && longest > 1 && r.toks[i-1].kind == markToken:
			return true // "let's do that, pip is too slow"
		case n == 0 && (words == 0 || i > 12 || content(t) && !t.is(tagAnd) && t.low != "use" && t.low != "go"):
			return words > 0 && i < 3 && t.is(tagWe)
		}
		words++
		longest = max(longest, n)
		i += max(n, 1)
	}
	return words > 0
}

// asksFor reports whether a question asks for information, and not for a yes.
func asksFor(question string, l *lexicon) bool {
	for _, t := range appendTokens(l, nil, question, 0, min(len(question), 200)) {
		if t.entryHas(tagWh) {
			return true
		}
	}
	return false
}

// isBareAnswer reports whether a message has a few words, and no verb of a statement.
func isBareAnswer(r *reading) bool {
	words := 0
	for i := r.lead; i < r.stop; i++ {
		if content(&r.toks[i]) {
			words++
		}
		if r.toks[i].is(tagI, tagWe, tagBe, tagMy, tagOur, tagHedge, tagUse, tagUsage, tagNeg, tagOrder, tagCommand, tagTask,
			tagAux, tagPlus, tagMinus, tagSettle, tagWhy, tagStanding, tagGreet) {
			return false // a complete sentence
		}
	}
	return words > 0 && words <= 5 && !r.label && !r.told
}

// giveAway reports whether a question and its answer hold a secret that neither does alone.
func giveAway(question, answer string) bool {
	return secret.In(question + " is " + strings.TrimSpace(answer))
}
