package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// statement is the sentence without its filler, with a leading "it" replaced by the
// thing it stands for, if the previous words name the thing.
func (x *distiller) statement(r *reading) string {
	text := x.d.Text[r.toks[r.lead].start:r.toks[r.stop-1].end]
	text = strings.TrimSpace(text)
	first := &r.toks[r.lead]
	if !first.is(tagIt) || first.kind != wordToken || r.lead+1 >= r.stop || r.backward {
		return text
	}
	rest := x.d.Text[first.end:r.toks[r.stop-1].end]
	switch first.low {
	case "it", "that", "this":
		if !x.correcting && !r.saysOfThing() {
			return text
		}
	case "its":
		rest = "'s" + rest
	case "it's", "that's":
		if !x.correcting && !r.saysOfThing() {
			return text
		}
		rest = " is" + rest
	default:
		return text
	}
	if name := x.antecedent(r); name != "" {
		return name + rest
	}
	return text
}

// saysOfThing distinguishes an "it" that stands for a thing from that in "it was a calm
// evening", and from the "that" of "that part". A verb must follow by which the thing
// is used, made, counted or named.
func (r *reading) saysOfThing() bool {
	if r.impersonal() >= 0 {
		return false
	}
	next := &r.toks[r.lead+1]
	verb := next.is(tagBe, tagAux, tagUse, tagUsage, tagPast, tagSwitch, tagPlus, tagMinus, tagAssign, tagThus) ||
		next.kind == wordToken && strings.HasSuffix(next.low, "s") && r.toks[r.lead].low == "it" || strings.Contains(r.toks[r.lead].low, "'")
	if !verb {
		return false
	}
	for i := r.lead + 1; i < r.stop; i++ {
		t := &r.toks[i]
		if t.tech != 0 || t.kind == numberToken || t.is(tagUse, tagPlus, tagMinus, tagSwitch, tagAssign, tagNow) || t.capital && t.entry == nil {
			return true
		}
	}
	return false
}

// resolved is the sentence with its "it" replaced, so that it fills the same slot as a
// sentence that names the thing.
func (x *distiller) resolved(r *reading) (*reading, bool) {
	if !r.toks[r.lead].is(tagIt) {
		return nil, false
	}
	full := x.statement(r)
	tail := x.d.Text[r.toks[r.lead].end:r.toks[r.stop-1].end]
	if !strings.HasSuffix(full, tail) || len(full) == len(tail)+r.toks[r.lead].end-r.toks[r.lead].start {
		return nil, false
	}
	shift := len(full) - r.toks[r.stop-1].end
	out := &reading{l: x.l, text: full, Sentence: language.Sentence{End: len(full)}}
	out.toks = appendTokens(x.l, nil, full, 0, len(full))
	for _, d := range r.dates {
		d.Start, d.End = d.Start+shift, d.End+shift
		out.dates = append(out.dates, d)
	}
	if !out.read() {
		return nil, false
	}
	for out.to > out.from+1 && !r.because.empty() && out.toks[out.to-1].start-shift >= r.toks[r.to-1].end {
		out.to--
	}
	return out, true
}

// antecedent is what "it" stands for: the subject of the previous sentence, in this
// message or in the last one.
func (x *distiller) antecedent(r *reading) string {
	if !x.said.empty() {
		return x.topicOf(x.d.Text, x.said)
	}
	if r.Start > 0 && len(x.facts) > 0 {
		return ""
	}
	for _, b := range x.before {
		if b.Role != x.d.Role || b.Speaker != x.d.Speaker {
			continue
		}
		pieces := language.Sentences(b.Text)
		for i := len(pieces) - 1; i >= 0; i-- {
			p := pieces[i]
			if p.Code || p.Quoted || p.End-p.Start > maxSentence || b.secretIn(span{p.Start, p.End}) {
				continue
			}
			if name := x.topicOf(b.Text, span{p.Start, p.End}); name != "" {
				return name
			}
		}
		return ""
	}
	return ""
}

// topicOf is the noun phrase that a sentence is about: a name in it, else its subject,
// else its first object.
func (x *distiller) topicOf(text string, at span) string {
	toks := appendTokens(x.l, nil, text, at.start, at.end)
	r := &reading{l: x.l, text: text, Sentence: language.Sentence{Start: at.start, End: at.end}, toks: toks}
	if !r.read() {
		return ""
	}
	r.dates = language.Dates(text[at.start:at.end], x.d.SaidAt)
	for i := range r.dates {
		r.dates[i].Start, r.dates[i].End = r.dates[i].Start+at.start, r.dates[i].End+at.start
	}
	for i := r.lead; i+1 < r.stop; i++ {
		if low := r.toks[i].low; (low == "called" || low == "named") && r.toks[i+1].kind == wordToken {
			return r.slice(i+1, r.phraseEnd(i+1, 3))
		}
	}
	for i := r.lead; i < r.stop; i++ {
		t := &r.toks[i]
		if t.is(tagDet, tagMy, tagOur) && !t.is(tagIt, tagHe) && i+1 < r.stop && t.kind == wordToken {
			if end := r.nounEnd(i + 1); end > i+1 && !r.toks[end-1].is(tagTimeNoun) {
				return r.slice(i, end)
			}
		}
		if _, dated := r.dated(i, i+1); dated {
			continue
		}
		if t.kind == wordToken && t.capital && !t.entryHas(tagStop) && (i > r.lead || t.tech != 0 ||
			i+1 < r.stop && r.toks[i+1].is(tagBe, tagAux, tagUse, tagUsage)) {
			return r.slice(i, max(i+1, r.nounEnd(i)))
		}
	}
	return ""
}

// nounEnd is the end of a noun phrase before its verb: it stops at any word with a
// function in the sentence.
func (r *reading) nounEnd(i int) int {
	start := i
	for i < r.stop && i-start < 4 {
		t := &r.toks[i]
		if t.kind == markToken || t.entryHas(tagStop) || t.entryHas(tagPrep) || t.is(tagBe, tagAux) {
			break
		}
		if i > start && t.is(tagUse, tagUsage, tagPast, tagPlus, tagMinus, tagSwitch, tagAssign, tagOpinion) {
			break
		}
		if _, dated := r.dated(i, i+1); dated {
			break
		}
		i++
	}
	return i
}

// reach adds a reason from the previous sentence ("… That's why we dropped it"), and
// extends the quote to it if it is in this message.
func (x *distiller) reach(r *reading, f *Fact) {
	if x.said.empty() {
		for _, b := range x.before {
			if b.Role != x.d.Role || b.Speaker != x.d.Speaker {
				continue
			}
			if pieces := language.Sentences(b.Text); len(pieces) > 0 {
				p := pieces[len(pieces)-1]
				if reason := b.Text[p.Start:p.End]; !p.Code && len(reason) < 300 && !b.secretIn(span{p.Start, p.End}) && !strings.HasSuffix(reason, "?") {
					f.Because = strings.TrimRight(reason, ".!")
				}
			}
			return
		}
		return
	}
	reason := x.d.Text[x.said.start:x.said.end]
	if len(reason) > 300 || strings.HasSuffix(reason, "?") {
		return
	}
	f.Because = strings.TrimRight(reason, ".!")
	stretched := x.fact(span{x.said.start, r.End}, f.Kind)
	f.ID, f.Quote, f.Source = stretched.ID, stretched.Quote, stretched.Source
	f.Statement = strings.TrimRight(f.Quote, ".!")
	if x.main >= 0 {
		f.Links = append(f.Links, Link{Kind: Because, To: x.facts[x.main].ID})
	}
}

// reply reads "yes, let's do that" after a proposal of the assistant, and a bare answer
// after the assistant's question.
func (x *distiller) reply(r *reading) bool {
	if len(x.before) == 0 || x.before[0].Role != session.Assistant || r.stop > 24 || r.isQuestion() && (!accepts(r) || strings.ContainsRune(r.text[r.Start:r.End], '?')) {
		return false
	}
	asked := &x.before[0]
	if accepts(r) {
		if p, found := x.proposalIn(asked); found {
			f := x.fact(span{r.Start, r.End}, Decision)
			f.Statement = strings.TrimRight(f.Quote, ".!") + ": " + p
			x.add(f)
			return true
		}
		return false
	}
	return x.answer(r, asked)
}

// accepts reports whether a short message only agrees.
func accepts(r *reading) bool {
	words, longest := 0, 0
	for i := 0; i < r.stop; {
		t := &r.toks[i]
		if t.kind == markToken {
			i++
			continue
		}
		if t.is(tagDecline) && !t.is(tagAccept) || t.low == "but" {
			return false
		}
		n := phraseLength(r.toks, i, tagAccept)
		if n == 0 && i < 4 && r.word(i, min(i+4, r.stop), "it") > i {
			if it := r.word(i, min(i+4, r.stop), "it"); it+1 < r.stop && r.toks[it+1].low == "is" { // "Thursday it is"
				words, i = words+1, it+2
				continue
			}
		}
		if n == 0 {
			if longest > 1 && r.toks[i-1].kind == markToken {
				return true // "let's do that, pip is too slow"
			}
			if words == 0 || i > 12 || content(t) && !t.is(tagAnd) && t.low != "use" && t.low != "go" && t.low != "great" {
				return words > 0 && i >= 1 && !t.is(tagNeg) && i < 3 && t.is(tagWe)
			}
			n = 1
		}
		words++
		longest = max(longest, n)
		i += n
	}
	return words > 0
}

// proposalIn is the last sentence of an assistant's message that is a proposal.
func (x *distiller) proposalIn(m *message) (string, bool) {
	text, found := m.Text, ""
	for _, s := range language.Sentences(text) {
		if s.Code || s.End-s.Start > 300 || m.secretIn(span{s.Start, s.End}) {
			continue
		}
		toks := appendTokens(x.l, x.toks[:0:0], text, s.Start, s.End)
		r := &reading{l: x.l, text: text, Sentence: s, toks: toks}
		if r.read() && r.first(r.lead, r.stop, tagSuggest) >= 0 {
			found = text[s.Start:s.End]
		}
	}
	return strings.TrimRight(found, "?!."), found != ""
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

// answer keeps a short answer with the question it answers.
func (x *distiller) answer(r *reading, asked *message) bool {
	words := 0
	for i := r.lead; i < r.stop; i++ {
		if content(&r.toks[i]) {
			words++
		}
		if r.toks[i].is(tagI, tagWe, tagBe, tagMy, tagOur, tagHedge, tagUse, tagUsage, tagNeg, tagOrder, tagCommand, tagTask,
			tagAux, tagPlus, tagMinus, tagSettle, tagWhy, tagStanding) {
			return false // a complete sentence
		}
	}
	if words == 0 || words > 5 || r.label || r.told || r.End < len(strings.TrimSpace(x.d.Text)) {
		return false
	}
	pieces := language.Sentences(asked.Text)
	if len(pieces) == 0 {
		return false
	}
	last := pieces[len(pieces)-1]
	question := asked.Text[last.Start:last.End]
	if !asksFor(question, x.l) {
		return false
	}
	if last.Code || len(question) > 200 || !strings.HasSuffix(question, "?") {
		return false
	}
	if asked.secretIn(span{last.Start, last.End}) || secret.In(question+" is "+r.text[r.Start:r.End]) {
		return false
	}
	x.readDates(r)
	f := x.fact(span{r.Start, r.End}, Plain)
	f.Statement = question + " " + strings.TrimRight(f.Quote, ".!")
	if len(r.dates) > 0 {
		f.When = Interval{From: r.dates[0].From, To: r.dates[0].To}
	}
	x.add(f)
	return true
}
