package run

import (
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// shares of a context. The state may take a quarter, quotes of older messages
// an eighth; what they leave is the tail's.
const (
	stateShare  = 4
	quotesShare = 8
	// maxState and maxQuotes bound them in wide contexts: beyond this, more
	// memory in sight does not make answers better.
	maxState  = 2000
	maxQuotes = 1000
	// maxHits is how many older messages are looked at for a question, at most.
	maxHits = 32
	// maxMatches is how many facts are put first because they fit the question.
	maxMatches = 12
)

// assembly is a prompt and the account of it.
type assembly struct {
	messages []session.Message
	context  Context
	facts    []memory.FactID
	recalled []memory.Place
	tailFrom int64
	// tailAt and tailSize are the place of the tail among messages.
	tailAt, tailSize int
	// outside says that a quote is what a program printed.
	outside bool
}

// pinned counts what a turn cannot do without.
func (t *turn) pinned() (system, input int) {
	for i := range t.req.System {
		system += t.count(t.req.System[i].Content) + compression.MessageOverhead
	}
	if p := t.lineage.tip.SystemPrompt; p != "" {
		system += t.count(p) + compression.MessageOverhead
	}
	if tools := t.toolText(); tools != "" {
		system += t.count(tools)
	}
	system += t.adviceTokens()
	for i := range t.input.asked {
		input += t.input.asked[i].Tokens + compression.MessageOverhead
	}
	return system, input
}

// checkBudget refuses a turn whose pinned part alone is over the budget:
// nobody's words are cut in silence.
func (t *turn) checkBudget(system, input int) error {
	if system+input > t.budget {
		return fault.New(fault.Invalid, "context_length_exceeded", fmt.Sprintf(
			"This request alone is about %d tokens (system prompt and tools %d, new input %d), more than the context budget of %d. "+
				"Send less, or raise the budget with the header X-Hermes-Context-Budget or the setting context.budget_tokens.",
			system+input, system, input, t.budget)).At("messages")
	}
	return nil
}

// layout is how the room of a prompt is shared out, with what fills it already.
type layout struct {
	system, input int // tokens of what the turn cannot do without
	question      string
	stateRoom     int
	tail          []session.Message
	tailTokens    int
	// recall looks for what can be quoted; it must be called, once. Nil when there is
	// nothing to look for.
	recall func() recollection
}

// lay shares out the room.
func (t *turn) lay(system, input int) layout {
	l := layout{system: system, input: input, question: t.question()}
	room := t.budget - system - input
	stateRoom := min(t.budget/stateShare, maxState, room)
	quotesRoom := min(t.budget/quotesShare, maxQuotes, room-stateRoom)
	l.tail, l.tailTokens = t.fitTail(room - stateRoom - quotesRoom)
	l.stateRoom = min(stateRoom, room-l.tailTokens)
	l.recall = t.recall(l.question, quotesRoom)
	return l
}

// assemble builds what the model is shown:
// system prompt and state, the tail, quotes of older messages, the new input.
func (t *turn) assemble(l *layout, r *recollection, b *beliefs) assembly {
	a := assembly{facts: b.given, recalled: r.places, outside: r.outside, tailFrom: t.sightFrom}
	a.messages = make([]session.Message, 0, len(l.tail)+len(t.input.asked)+2)
	if text := t.systemText(b.block.Text); text != "" {
		a.messages = append(a.messages, session.Message{Role: session.System, Content: text})
	}
	a.tailAt, a.tailSize = len(a.messages), len(l.tail)
	a.messages = append(a.messages, l.tail...)
	if r.text != "" {
		a.messages = append(a.messages, session.Message{Role: session.User, Content: r.text})
	}
	a.messages = paired(append(a.messages, t.input.asked...))
	a.context = t.account(l, b.block.Tokens+r.tokens)
	return a
}

// account says what the parts of a prompt cost, and what the whole lineage would.
func (t *turn) account(l *layout, recalled int) Context {
	c := Context{Budget: t.budget, System: l.system, Input: l.input, Memory: recalled, Tail: l.tailTokens}
	c.Sent = c.System + c.Input + c.Memory + c.Tail
	c.Naive = int(t.lineage.tip.LineageTokens) + l.system
	if t.box != nil {
		c.Naive -= t.box.size // nobody without us would send it
	}
	if t.kept == nil { // else the input is part of the lineage already
		c.Naive += l.input
	}
	return c
}

// question is the text memory is asked with: the newest thing the user says.
func (t *turn) question() string {
	for i := len(t.input.asked) - 1; i >= 0; i-- {
		if m := &t.input.asked[i]; m.Role == session.User {
			return language.Ends(m.Content, maxQuestion)
		}
	}
	return ""
}

// maxQuestion is how much of a message memory is asked with, in bytes.
const maxQuestion = 32 << 10

// systemText joins the stored prompt, the request's own instructions, which
// come later and so win, and what memory holds.
func (t *turn) systemText(state string) string {
	parts := make([]string, 0, len(t.req.System)+3)
	if p := t.lineage.tip.SystemPrompt; p != "" {
		parts = append(parts, p)
	}
	if t.box != nil && t.box.advice != "" {
		parts = append(parts, t.box.advice)
	}
	for i := range t.req.System {
		parts = append(parts, t.req.System[i].Content)
	}
	if state != "" {
		parts = append(parts, state)
	}
	return strings.Join(parts, "\n\n")
}

// sight returns what reports whether a message will be sent verbatim anyway. It does
// not look at the lineage, which is the turn's to change.
func (t *turn) sight() func(root session.ID, seq int64) bool {
	own, from := t.lineage.tip.RootID, t.sightFrom
	return func(root session.ID, seq int64) bool { return root == own && seq >= from }
}
