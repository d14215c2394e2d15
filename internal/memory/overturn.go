package memory

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
)

// What says that a decision was reversed, and what may follow it; never written.
var (
	overturnWords   = []string{"reversed", "overturned", "revised", "undid", "reverted", "scrapped", "scratch"}
	overturnedWords = []string{"decision", "plan", "again", "today", "one"}
)

// overturns reports whether a sentence begins by reversing the previous decision and
// continues with the new one: "Reversed that: all teams share a cluster".
func (r *reading) overturns() bool {
	turned := false
	for i := range min(len(r.toks), 9) {
		switch t := &r.toks[i]; {
		case contains(overturnWords, t.low):
			turned = true
		case t.kind == markToken && strings.Contains(":-;,", t.low):
			return turned && i+2 < len(r.toks)
		case turned && !t.is(tagIt, tagDet, tagThe) && !contains(overturnedWords, t.low):
			return false
		}
	}
	return false
}

// overturned is the newest earlier decision, or else the newest assertion, in this
// message or the speaker's last one; "" for none.
func (x *distiller) overturned(main int) FactID {
	if id := newestDecision(x.facts[:main]); id != "" {
		return id
	}
	for _, b := range x.before {
		if b.Role == session.User && b.Speaker == x.d.Speaker {
			facts, _ := distill(b, nil, nil)
			return newestDecision(facts)
		}
	}
	return ""
}

// newestDecision is the last decision in a list, or else the last asserted fact.
func newestDecision(facts []Fact) FactID {
	id := FactID("")
	for i := len(facts) - 1; i >= 0; i-- {
		switch f := &facts[i]; {
		case f.Kind == Decision:
			return f.ID
		case f.Kind.Asserted() && id == "":
			id = f.ID
		}
	}
	return id
}
