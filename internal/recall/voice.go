package recall

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// voice renders the passages that answer a question.
type voice struct {
	q     *run.Question
	a     *asked
	asker string // the asker's name; "" if unknown
	b     strings.Builder
	// told are the newest facts of the changes already told.
	told map[memory.FactID]bool
}

// tell renders passages, one per line; "" if none is left.
func (v *voice) tell(chosen []passage) string {
	v.told = map[memory.FactID]bool{}
	for i := range chosen {
		if chosen[i].fact == nil {
			v.line(&chosen[i])
			continue
		}
		v.fact(&chosen[i], chosen)
	}
	return v.b.String()
}

// fact renders a passage with a fact. Its replacement, or the fact it replaced, is told
// with it. A withdrawn fact is not told.
func (v *voice) fact(p *passage, chosen []passage) {
	chain, taken := steps(v.q.View, *p.fact)
	if taken {
		return
	}
	tip := chain[len(chain)-1]
	if v.told[tip.ID] {
		return
	}
	both := len(chain) > 1 && (turns(chain) || v.a.has(asksChange|asksOrder|asksReason))
	if !p.fact.Current() && !both {
		for i := range chosen {
			if f := chosen[i].fact; f != nil && f.ID == tip.ID {
				return // the newer value is told instead
			}
		}
		both = true
	}
	v.told[tip.ID] = true
	if both && len(chain) > 1 {
		v.change(chain)
		return
	}
	v.line(p)
}

// line renders one passage: the speaker, the day, and the words.
func (v *voice) line(p *passage) {
	v.newLine()
	if who := v.other(p); who != "" {
		v.b.WriteString(who)
	} else {
		v.b.WriteString("You told me")
	}
	v.on(p.saidAt)
	v.b.WriteString(": ")
	v.words(p)
	v.b.WriteByte('.')
}

// other returns the speaker of a passage; "" for the asker.
func (v *voice) other(p *passage) string {
	switch {
	case p.role == session.Assistant:
		return "I said"
	case p.role == session.Tool:
		return "A tool reported"
	case p.speaker != "" && p.speaker != v.asker:
		return p.speaker + " said"
	}
	return ""
}

// newLine begins a new line if there is text already.
func (v *voice) newLine() {
	if v.b.Len() > 0 {
		v.b.WriteByte('\n')
	}
}

// on writes the day something was said, if it is known.
func (v *voice) on(t time.Time) {
	if t.IsZero() {
		return
	}
	v.b.WriteString(" on ")
	v.b.WriteString(dayOf(t))
}

// words writes the words of a passage: to their speaker in the second person where that
// is certain, otherwise in quotation marks.
func (v *voice) words(p *passage) {
	text, whole := clip(p.text, p.at)
	said, turned := "", false
	if whole && v.other(p) == "" && !strings.ContainsAny(p.text, "0123456789") && !v.a.exactly() {
		said, turned = secondPerson(language.OneLine(statementOf(p)))
	}
	if turned {
		v.b.WriteString(said)
	} else if whole && v.a.exactly() {
		v.b.WriteString(`"` + language.OneLine(text) + `"`) // to the last mark
	} else {
		v.quote(text, whole)
	}
	if f := p.fact; f != nil {
		v.occasion(f)
		v.because(f)
		v.resolved(p, f)
	}
}

// statementOf is the text of a passage without the leading filler that memory removed.
func statementOf(p *passage) string {
	if p.fact != nil && !p.explained && p.fact.Statement != "" && within(p.text, p.fact.Statement) {
		return p.fact.Statement
	}
	return p.text
}

// quote writes text in quotation marks, on one line and without the final full stop.
func (v *voice) quote(text string, whole bool) {
	if !whole {
		v.b.WriteString("… ")
	}
	v.b.WriteByte('"')
	v.b.WriteString(strings.TrimRight(language.OneLine(text), ". "))
	v.b.WriteByte('"')
	if !whole {
		v.b.WriteString(" …")
	}
}

// occasion adds the question that a bare answer answers, or the proposal that a yes
// accepts.
func (v *voice) occasion(f *memory.Fact) {
	stripped := strings.TrimRight(f.Quote, ".!")
	if proposal, accepts := strings.CutPrefix(f.Statement, stripped+": "); accepts && f.Kind == memory.Decision {
		v.b.WriteString(", to ")
		v.quote(proposal, true)
	} else if question, answers := strings.CutSuffix(f.Statement, " "+stripped); answers && marked(question) {
		v.b.WriteString(", asked ")
		v.quote(question, true)
	}
}

// because adds the reason if the text does not give it.
func (v *voice) because(f *memory.Fact) {
	if f.Because == "" || within(f.Quote, f.Because) {
		return
	}
	v.b.WriteString(", because ")
	v.quote(f.Because, true)
}

// resolved adds the date that words such as "last Friday" mean.
func (v *voice) resolved(p *passage, f *memory.Fact) {
	if f.When.IsZero() {
		return
	}
	dates := language.Dates(p.text, p.saidAt)
	if len(dates) > 0 && !dates[len(dates)-1].Relative {
		return
	}
	v.b.WriteString(" (that is ")
	v.b.WriteString(spanOf(f.When))
	v.b.WriteByte(')')
}

// change renders the steps of a change with both sides and the reasons.
func (v *voice) change(chain []memory.Fact) {
	v.newLine()
	if turns(chain) {
		v.b.WriteString("Reversal: ")
	} else {
		v.b.WriteString("Change: ")
	}
	for i := range chain {
		p := ofFact(chain[i])
		who := v.other(&p)
		switch {
		case i > 0 && who == "":
			v.b.WriteString("; later")
		case i > 0:
			v.b.WriteString("; later " + who)
		case who == "":
			v.b.WriteString("you said")
		default:
			v.b.WriteString(who)
		}
		v.b.WriteByte(' ')
		text, whole := clip(statementOf(&p), 0)
		v.quote(text, whole)
		v.on(p.saidAt)
		v.because(&chain[i])
		v.resolved(&p, &chain[i])
	}
	v.b.WriteByte('.')
}

// clipped is a text, or the beginning of a long one.
func clipped(text string) string {
	part, _ := clip(text, 0)
	return part
}

// maxQuoted is the longest quote, in bytes.
const maxQuoted = 400

// clip cuts a long text to the words around at. The result is a part of the text; whole
// says that nothing was cut.
func clip(text string, at int) (part string, whole bool) {
	if len(text) <= maxQuoted {
		return text, true
	}
	from := max(0, min(at-maxQuoted/4, len(text)-maxQuoted))
	to := min(from+maxQuoted, len(text))
	for from > 0 && from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	part = text[from:to]
	if from > 0 {
		if _, rest, found := strings.Cut(part, " "); found {
			part = rest
		}
	}
	if to < len(text) {
		if cut := strings.LastIndexByte(part, ' '); cut > len(part)/2 {
			part = part[:cut]
		}
	}
	return part, false
}
