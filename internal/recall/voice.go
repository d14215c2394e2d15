package recall

import (
	"strconv"
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
	ask   *run.Question
	q     *question // nil if nothing is asked
	asker string    // the asker's name; "" if unknown
	b     strings.Builder
	// told are the newest facts of the changes already told.
	told map[memory.FactID]bool
}

// closest begins an answer that is not sure.
const closest = "I am not sure. The closest I was told:"

// tell renders a choice, a passage a line; "" if there is nothing to tell.
func (v *voice) tell(c *choice) string {
	if c.nothing != "" {
		return c.nothing
	}
	v.told = map[memory.FactID]bool{}
	if c.kind == run.RecallUnsure && len(c.passages) > 0 {
		v.b.WriteString(closest)
	} else if c.aim == aimCount {
		v.b.WriteString("I was told of it " + times(len(c.passages)) + ":")
	}
	for i := range c.passages {
		if c.passages[i].fact == nil || c.aim.listed() {
			v.line(&c.passages[i])
			continue
		}
		v.fact(&c.passages[i])
	}
	return v.b.String()
}

// listed reports whether the answer tells each statement by itself. Others tell changes
// with both sides in one line.
func (a aim) listed() bool { return a >= aimOrder }

// times is a count in words.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// fact renders a passage with a fact. If the fact was replaced, or if the question asks
// for a change, the whole change is told. A withdrawn fact is not told.
func (v *voice) fact(p *passage) {
	chain, taken := steps(v.ask.View, *p.fact)
	if taken {
		return
	}
	tip := chain[len(chain)-1]
	if v.told[tip.ID] {
		return
	}
	v.told[tip.ID] = true
	if len(chain) > 1 && (!p.fact.Current() || turns(chain) || v.q.cues&(cueChange|cueOrder|cueBack) != 0 || v.q.form&formReason != 0) {
		v.change(chain)
		return
	}
	v.line(p)
}

// line renders one passage: the speaker, the day, and the words.
func (v *voice) line(p *passage) {
	v.newLine()
	switch who := v.other(p); {
	case p.later && who == "":
		v.b.WriteString("Later you told me")
	case p.later:
		v.b.WriteString("Later " + who)
	case who == "":
		v.b.WriteString("You told me")
	default:
		v.b.WriteString(who)
	}
	v.on(p.saidAt)
	v.b.WriteString(": ")
	v.words(p)
	v.b.WriteByte('.')
}

// exactly reports whether the question asks for the very words.
func (v *voice) exactly() bool { return v.q != nil && v.q.cues&cueExact != 0 }

// other returns the speaker of a passage; "" for the asker.
func (v *voice) other(p *passage) string {
	switch {
	case p.role == session.Assistant && p.speaker == "":
		return "I said"
	case p.role == session.Tool:
		return "A tool reported"
	case p.role == session.Assistant, p.speaker != "" && p.speaker != v.asker: // another program's memories have its name
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
	text, whole := clip(p.text, p.firstMet(v.q))
	said, turned := "", false
	if whole && v.other(p) == "" && !strings.ContainsAny(p.text, "0123456789") && !v.exactly() {
		said, turned = secondPerson(language.OneLine(statementOf(p)))
	}
	if turned {
		v.b.WriteString(said)
	} else if whole && v.exactly() {
		v.b.WriteString(`"` + language.OneLine(text) + `"`) // to the last mark
	} else {
		v.quote(text, whole)
	}
	if f := p.fact; f != nil {
		v.occasion(f)
		v.because(p, f)
		v.resolved(p, f)
	}
}

// statementOf is the text of a passage without the leading filler that memory removed.
func statementOf(p *passage) string {
	if p.fact != nil && p.fact.Quote == p.text && strings.Contains(p.text, p.fact.Statement) {
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
	if v.ask.View == nil {
		return
	}
	asked, known := v.ask.View.Asked(*f)
	switch {
	case !known:
		return
	case f.Kind == memory.Decision:
		v.b.WriteString(", to ")
	default:
		v.b.WriteString(", asked ")
	}
	v.quote(asked.Statement, true)
}

// because adds the reason if the text does not give it.
func (v *voice) because(p *passage, f *memory.Fact) {
	if f.Because == "" || strings.Contains(p.text, f.Because) {
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
		p := ofFact(&chain[i])
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
		v.because(&p, &chain[i])
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
