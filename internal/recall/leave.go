package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
)

// leaves reports whether a text tells of leaving something, with any verb: "we moved
// from Redis", "support came off Zendesk".
func leaves(text string) bool {
	since := far
	words := wordsOf(text)
	for i := range words {
		switch words[i].low {
		case "from", "away", "off", "out":
			if i-since <= 3 {
				return true
			}
		case "to", "for", "with", "and", "but":
			since = far
		default:
			if isMotion(words[i].stem) {
				since = i
			}
		}
	}
	return false
}

// isMotion reports whether a stem is a verb that leads from one thing to another.
func isMotion(stem string) bool {
	return theLexicon().has(listAway, stem)
}

// gone is the thing that a fact says was left: the replaced or removed one; "" for
// none.
func gone(f *memory.Fact) string {
	switch {
	case f == nil:
		return ""
	case f.Former != "":
		return f.Former
	case isMinus(f):
		return f.Subject
	}
	return ""
}

// arrives reports whether the fact tells of adopting the thing that the question says
// was left: "why did we drop NATS?", "we replaced RabbitMQ with NATS".
func (a *asked) arrives(f *memory.Fact) bool {
	if f == nil || f.Former == "" || f.Value == "" || !a.ends() || !a.has(asksReason|asksTime) || a.has(asksChange) {
		return false
	}
	left, came := a.look(f.Former), a.look(f.Value)
	return a.thing(&came) && !a.thing(&left)
}

// thing reports whether a strong need other than for an end is met.
func (a *asked) thing(seen *look) bool {
	for n := range a.needs {
		if d := &a.needs[n]; seen.met[n] > 0 && d.weight > slotWeight && !isEnding(d.stem) {
			return true
		}
	}
	return false
}

// replaced reports whether the question asks for the replacement of something.
func (a *asked) replaced() bool {
	return theLexicon().tells(partReplacing, " "+strings.ToLower(a.text))
}

// asksSuccessor reports whether the question asks only for the replacement.
func (a *asked) asksSuccessor() bool {
	low := " " + strings.ToLower(a.text)
	return a.opensWith("what", "which", "who") && (within(low, " instead of ") || within(low, " in place of ") || within(low, " replace"))
}

// tellsSuccessor reports whether a passage names the replacement of the thing in the
// question: a fact with both sides, or a change with a clause about the present.
func (a *asked) tellsSuccessor(p *passage) bool {
	if f := p.fact; f != nil && f.Former != "" && f.Value != "" {
		left := a.look(f.Former)
		return a.thing(&left)
	}
	if within(p.text, "nstead of ") || within(p.text, " in place of ") || within(p.text, " replac") {
		return true
	}
	if !turnsFrom(p) {
		return false
	}
	if seen := a.look(p.text); !a.thing(&seen) {
		return true // the sentence before names it: "in Q2 we reverted to REST"
	}
	clauses, l := clausesOf(p.text), theLexicon()
	for i, clause := range clauses {
		seen := a.look(clause)
		if a.thing(&seen) {
			continue
		}
		if i > 0 && l.tells(partNow, " "+strings.ToLower(clause)+" ") {
			return true
		}
	}
	return false
}

// tellsTrial reports whether a sentence is about a trial, whose outcome follows.
func tellsTrial(text string) bool {
	return theLexicon().tells(partTrial, strings.ToLower(text))
}

// turnsFrom reports whether a passage tells of giving something up, by its fact or by
// its words.
func turnsFrom(p *passage) bool {
	if theLexicon().tells(partKept, strings.ToLower(p.text)) {
		return false
	}
	return gone(p.fact) != "" || tellsTurn(p.text)
}

// clausesOf cuts a sentence at its marks and at "and".
func clausesOf(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, " and ", " , "), func(r rune) bool { return r == ',' || r == ';' || r == ':' })
}

// isMinus reports whether a fact says that something was taken out.
func isMinus(f *memory.Fact) bool {
	return strings.HasPrefix(f.Attribute, "status") && tellsTurn(f.Value)
}
