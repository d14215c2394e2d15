// Package errand recognises the auxiliary prompts that front ends and agents send for
// themselves: titles, tags, follow-up questions, summaries, search queries and the like,
// made of a conversation that the prompt includes. They are no messages of a user. The
// package looks at the shape of a request and knows no product. It stores nothing, and
// decides nothing about what becomes of an errand.
package errand

// Kind is what an errand asks for; "" for a request that is none.
type Kind string

// The kinds of errands.
const (
	Title      Kind = "title"
	Tags       Kind = "tags"
	FollowUps  Kind = "follow-ups"
	Summary    Kind = "summary"
	Queries    Kind = "queries"
	Image      Kind = "image"
	Completion Kind = "completion"
	Emoji      Kind = "emoji"
	Emotion    Kind = "emotion"
	Tools      Kind = "tools"
)

// Message is one message of a request.
type Message struct {
	Role, Text string
}

// Call is what a request shows of its purpose.
type Call struct {
	// System are instructions that stand outside the messages.
	System []string
	// Messages are all messages in the client's order, system messages included.
	Messages []Message
	// MaxTokens bounds the answer; 0 if the request does not.
	MaxTokens int
	// Agent says that the model may call several tools. A front end offers at most one with
	// an errand, for the form of its answer.
	Agent bool
	// JSON says that the answer must be JSON.
	JSON bool
}

// Errors in one direction cost more: an errand that is not recognised is one odd message
// in a transcript, a user's message that is taken for an errand is lost. All that a user
// might type is therefore no errand, however much it looks like one.
const (
	maxInstruction = 8000 // bytes: prompts of agents are longer
	systemLead     = 420  // bytes of a system prompt that say what it is for
	messageLead    = 600  // bytes of a message
	smallAnswer    = 120  // tokens
	maxOneShot     = 3    // messages with an errand's conversation: a request, and what begins its answer
)

// Recognise returns the kind of errand that a request is.
func Recognise(c *Call) Kind {
	system, turns := c.split()
	if len(turns) == 0 {
		return ""
	}
	last := turns[len(turns)-1]
	for _, form := range []func() Kind{
		func() Kind { return c.closing(turns, last) },
		func() Kind { return c.bySystem(system, turns, last) },
		func() Kind { return c.oneMessage(turns) },
	} {
		if kind := form(); kind != "" {
			return kind
		}
	}
	return ""
}

// split returns the instructions before the conversation, and the conversation.
func (c *Call) split() (system []string, turns []Message) {
	system = c.System
	for i, m := range c.Messages {
		if !isSystem(m.Role) {
			return system, c.Messages[i:]
		}
		system = append(system[:len(system):len(system)], m.Text)
	}
	return system, nil
}

func isSystem(role string) bool { return role == "system" || role == "developer" }

// bySystem is the form in which a system prompt says what to make of the conversation
// that the messages contain.
func (c *Call) bySystem(system []string, turns []Message, last Message) Kind {
	if c.Agent {
		return "" // a turn of an agent
	}
	for _, text := range system {
		if len(text) > maxInstruction {
			continue
		}
		p := parse(text)
		kind := wanted(purpose(p.instruction), systemLead)
		switch {
		case kind == "":
		case len(turns) > maxOneShot && !(kind == Summary && asksForSummary(last.Text)):
		case c.signs(p)+transcriptSigns(max(p.transcript, parse(turns[0].Text).transcript)) >= 2:
			return kind
		}
	}
	return ""
}

// oneMessage is the form in which one message contains both the instruction and the
// conversation.
func (c *Call) oneMessage(turns []Message) Kind {
	text := turns[0].Text
	if c.Agent || !isOne(turns) || !mayAsk(text) {
		return ""
	}
	p := parse(text)
	if len(p.instruction) > maxInstruction || p.transcript == none {
		return ""
	}
	kind := wanted(p.instruction, 2*messageLead)
	if c.signs(p) < min(needed[p.transcript], enough[kind]) {
		return ""
	}
	return kind
}

// isOne reports whether a conversation is one message of a user, perhaps with the words
// with which the answer is to begin.
func isOne(turns []Message) bool {
	return turns[0].Role == "user" && (len(turns) == 1 || len(turns) == 2 && turns[1].Role == "assistant")
}

// mayAsk reports whether the beginning or the end of a message asks for a product. Most
// messages do not, and a long one need not be read whole.
func mayAsk(text string) bool {
	return wanted(text, 2*messageLead) != "" ||
		len(text) > messageLead && wanted(text[len(text)-messageLead:], messageLead) != ""
}

// needed is how many signs of a program an instruction must have, by the form of the
// conversation that it includes.
var needed = map[transcript]int{tagged: 1, fenced: 2, roles: 2, loose: 3}

// enough is how many signs are enough for a kind of errand, however the conversation is
// included. Users hardly ask for the last two.
var enough = map[Kind]int{
	Title: 3, Tags: 3, FollowUps: 3, Summary: 3, Image: 3, Completion: 2, Emotion: 3, Tools: 2, Emoji: 1, Queries: 1,
}

// transcriptSigns is how much an included conversation says for an errand.
func transcriptSigns(t transcript) int {
	if t == tagged || t == roles {
		return 1
	}
	return 0
}

// minHandoff is the size, in bytes, of an instruction that asks for a summary at the end
// of a conversation. Users ask for one in fewer words.
const minHandoff = 300

// closing is the form in which an instruction follows the conversation. As a user's
// message it is only taken for an errand if it asks at length for a summary with which
// another model goes on, or lists what a program cannot show.
func (c *Call) closing(turns []Message, last Message) Kind {
	if len(turns) < 2 || len(last.Text) > maxInstruction {
		return ""
	}
	kind := wanted(last.Text, 2*messageLead)
	if kind == "" {
		return ""
	}
	p := parse(last.Text)
	signs := c.signs(p)
	asks := false
	switch {
	case isSystem(last.Role):
		asks = signs >= 1
	case last.Role == "user":
		asks = kind == Summary && p.handsOff() || signs >= 3 && p.forbids()
	}
	if !asks {
		return ""
	}
	return kind
}

// handsOff reports whether an instruction asks at length for a summary with which another
// model goes on.
func (p *prompt) handsOff() bool {
	return len(p.instruction) >= minHandoff && p.items >= 3 && has(p.instruction, handoff)
}
