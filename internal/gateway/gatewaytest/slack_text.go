package gatewaytest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// block is a part of a message.
type block struct {
	Type     string         `json:"type"`
	Text     *blockText     `json:"text"`
	Elements []blockElement `json:"elements"`
}

type blockText struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"`
}

type blockElement struct {
	Type     string     `json:"type"`
	ActionID string     `json:"action_id"`
	Value    string     `json:"value"`
	Text     *blockText `json:"text"`
}

// elements are the blocks of a message.
func (m *slackMessage) elements() []block {
	var list []block
	_ = json.Unmarshal(m.blocks, &list)
	return list
}

// hung are the blocks of each attachment of a message.
func (m *slackMessage) hung() []json.RawMessage {
	var list []struct {
		Blocks json.RawMessage `json:"blocks"`
	}
	_ = json.Unmarshal(m.attachments, &list)
	var all []json.RawMessage
	for _, a := range list {
		all = append(all, a.Blocks)
	}
	return all
}

// visible is what people see: the blocks if there are any, else the text.
func (m *slackMessage) visible() string {
	text, shown := "", m.elements()
	if len(shown) == 0 {
		text = m.text
	}
	for _, b := range shown {
		if b.Text != nil {
			text += b.Text.Text
		}
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

// buttons are the buttons of a message.
func (m *slackMessage) buttons() []gateway.Button {
	shown := m.elements()
	for _, raw := range m.hung() {
		var list []block
		_ = json.Unmarshal(raw, &list)
		shown = append(shown, list...)
	}
	var all []gateway.Button
	for _, b := range shown {
		for _, e := range b.Elements {
			if e.Type == "button" {
				all = append(all, gateway.Button{ID: e.Value, Label: e.Text.Text})
			}
		}
	}
	return all
}

// checkBlocks says what is wrong with blocks; "" for nothing.
func checkBlocks(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var list []block
	if err := json.Unmarshal(raw, &list); err != nil {
		return "no list of blocks"
	}
	if len(list) > 50 {
		return "more than 50 blocks"
	}
	for _, b := range list {
		if wrong := b.check(); wrong != "" {
			return wrong
		}
	}
	return ""
}

func (b *block) check() string {
	switch b.Type {
	case "section":
		if b.Text == nil || b.Text.Text == "" || utf8.RuneCountInString(b.Text.Text) > 3000 {
			return "a section without a text, or with one over 3,000 characters"
		}
		if !b.Text.Verbatim { // the real one takes it, and reads "@channel" as a call
			return "a section that is not verbatim"
		}
	case "actions":
		if len(b.Elements) == 0 || len(b.Elements) > 25 {
			return "no actions, or more than 25"
		}
		seen := map[string]bool{}
		for _, e := range b.Elements {
			if wrong := e.check(); wrong != "" {
				return wrong
			}
			if seen[e.ActionID] {
				return "two actions of one id"
			}
			seen[e.ActionID] = true
		}
	default:
		return "a block of type " + b.Type
	}
	return ""
}

func (e *blockElement) check() string {
	if e.Type != "button" || e.Text == nil || e.Text.Type != "plain_text" {
		return "an action that is no button with a plain text"
	}
	label, id, value := utf8.RuneCountInString(e.Text.Text), utf8.RuneCountInString(e.ActionID), utf8.RuneCountInString(e.Value)
	if label == 0 || label > 75 || id == 0 || id > 255 || value > 2000 {
		return fmt.Sprintf("a button with a label of %d, an id of %d, and a value of %d characters", label, id, value)
	}
	return ""
}

// checkText notes what a text should not have: too many characters, a call of a whole
// channel, or a sign "<" that begins no link.
func (s *Slack) checkText(text string) {
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
	if n := utf8.RuneCountInString(plain); n > 4000 {
		s.counts.LongTexts++
		s.breach("a text of %d characters", n)
	}
	rest := text
	for {
		_, after, ok := strings.Cut(rest, "<")
		if !ok {
			return
		}
		rest = after
		inner, _, closed := strings.Cut(after, ">")
		if link := strings.HasPrefix(inner, "http") || strings.HasPrefix(inner, "mailto:") || strings.HasPrefix(inner, "tel:"); !closed || !link {
			s.counts.Unescaped++
			s.breach("a text with <%.20s", inner)
			return
		}
	}
}
