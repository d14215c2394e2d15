package storage

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
)

// A message of a chat that is not answered yet is not dropped when it names a forgotten thing: the person waits for an
// answer. The event stays without its words, and the gateway ends it with a line. Only what the gateway needs for
// that stays: the type of the chat, and what an answer must carry.

// EventWhole selects the events of chats whose words were not erased. The body of an event has quotation marks in its
// texts escaped.
const EventWhole = `body NOT LIKE '%"Erased":true%'`

// eventBody is the event of a chat, by its members.
type eventBody map[string]json.RawMessage

// namesEvent reports whether the body of an event names the thing. When the message was sent is no mention.
func namesEvent(about *mention.Thing, text []byte) bool {
	var body eventBody
	if json.Unmarshal(text, &body) != nil {
		return about.InRecord(text)
	}
	return body.names(about)
}

func (b eventBody) names(about *mention.Thing) bool {
	said := maps.Clone(b)
	delete(said, "At")
	text, err := json.Marshal(said)
	return err != nil || about.InRecord(text)
}

// without is the body of an event without the thing, and whether what was said is erased with it. If only the names of the
// person and of the chat have the thing, what was said stays.
func (b eventBody) without(about *mention.Thing) (text []byte, erased bool) {
	nameless := maps.Clone(b)
	delete(nameless, "Title")
	var from map[string]json.RawMessage
	if json.Unmarshal(b["From"], &from) == nil {
		delete(from, "Name")
		nameless["From"], _ = json.Marshal(from) // raw members that were read always have a form
	}
	if len(b) > 0 && !nameless.names(about) {
		text, _ = json.Marshal(nameless)
		return text, false
	}
	return b.blank(about), true
}

// blank is the body of an event whose words are erased.
func (b eventBody) blank(about *mention.Thing) []byte {
	kept := eventBody{"Erased": json.RawMessage("true")}
	for _, name := range []string{"Type", "Interaction", "At"} {
		if value, has := b[name]; has && !(eventBody{name: value}).names(about) {
			kept[name] = value
		}
	}
	if b.orders() {
		kept["Order"] = json.RawMessage("true")
	}
	text, _ := json.Marshal(kept) // raw members that were read always have a form
	return text
}

// orders reports whether an event is a command, or begins like one: the lane of commands ends the event, behind the
// command that is under way.
func (b eventBody) orders() bool {
	var kind, text string
	_ = json.Unmarshal(b["Kind"], &kind) // what is missing is empty
	_ = json.Unmarshal(b["Text"], &text)
	return kind == "called" || kind == "pressed" || strings.IndexAny(strings.TrimSpace(text), "/!") == 0
}

// keepEvent decides what stays of an event whose row names the thing. The plan of a command has words of the command.
func (s *Sweep) keepEvent(row *Row, body []byte, planned bool) {
	var b eventBody
	_ = json.Unmarshal(body, &b) // of a damaged body nothing stays
	text, erased := b.without(s.about)
	if planned {
		text, erased = b.blank(s.about), true
	}
	row.Erased, row.Texts = erased, map[string]string{"body": string(text)}
}
