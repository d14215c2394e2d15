package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// lettaFormat reads an agent file of Letta (.af), also of older versions.
func lettaFormat() format {
	return format{
		name: "letta",
		fits: func(s *sample) string {
			switch {
			case s.has("agents") && (s.has("blocks") || s.has("agents.messages")):
				return "is an agent file with agents and blocks"
			case s.has("core_memory"):
				return `is an agent file with a "core_memory"`
			}
			return ""
		},
		read: func(ctx context.Context, in *reading, files []*File) error {
			l := &letta{reading: in}
			return eachFile(ctx, in, files, func(f *File) error {
				return l.eachValue(f, func(raw *bulk) error { return l.file(f, raw) })
			})
		},
	}
}

// letta reads agent files.
type letta struct{ *reading }

type lettaFile struct {
	lettaAgent // of an older file, which has one agent

	Agents listOf[lettaAgent] `json:"agents"`
	Blocks []lettaBlock       `json:"blocks"`
}

type lettaAgent struct {
	ID       string               `json:"id"`
	Name     string               `json:"name"`
	Type     string               `json:"agent_type"`
	Messages listOf[lettaMessage] `json:"messages"`
	BlockIDs []string             `json:"block_ids"`
	Core     []lettaBlock         `json:"core_memory"`
}

type lettaBlock struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	Value     string `json:"value"`
	CreatedAt stamp  `json:"created_at"`
}

type lettaMessage struct {
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Text      string          `json:"text"`
	Model     string          `json:"model"`
	CreatedAt stamp           `json:"created_at"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
	Name   string `json:"name"`
}

// file reads an agent file.
func (l *letta) file(f *File, raw *bulk) error {
	var file lettaFile
	err := l.decodeParts(raw, &file, f.Name, map[string]part{"agents": &file.Agents, "messages": &file.Messages})
	if err != nil {
		return err
	}
	if file.Agents.len() == 0 {
		return l.agent(f, &file.lettaAgent, file.Blocks)
	}
	of := make(map[string]bool) // blocks that an agent has
	for i := range file.Agents.items {
		a, err := l.agentAt(f, raw, &file.Agents.items[i])
		switch {
		case err != nil:
			return err
		case a == nil:
			continue
		}
		l.nulls(raw, f.Name, map[string]part{"agents.messages": &a.Messages})
		if err := l.agent(f, a, file.Blocks); err != nil {
			return err
		}
		for _, id := range a.BlockIDs {
			of[id] = true
		}
	}
	for _, b := range file.Blocks {
		if !of[b.ID] {
			l.report.omit("block of no agent", f.Name)
		}
	}
	return nil
}

// agentAt is an agent of a file; nil for null. The messages of one in a large file are left where they are.
func (l *letta) agentAt(f *File, raw *bulk, it *item[lettaAgent]) (*lettaAgent, error) {
	if it.value != nil || it.size == 0 {
		return it.value, nil
	}
	a := &lettaAgent{}
	rest, err := l.split(raw, it.at, it.size, f.Name, map[string]part{"messages": &a.Messages})
	if err != nil {
		return nil, err
	}
	return a, l.decode(rest, a, f.Name)
}

// agent takes the conversation of an agent, and what it has noted about the person.
func (l *letta) agent(f *File, a *lettaAgent, blocks []lettaBlock) error {
	id, err := a.identity()
	if err != nil {
		return err
	}
	where := f.Name + ", agent " + id
	out := &Conversation{System: "letta", ID: id, Title: a.Name, File: f}
	err = a.Messages.each(func(_ int, m *lettaMessage) error {
		l.message(out, a, m, where)
		return l.say(out)
	})
	if err != nil {
		return err
	}
	if err := l.take(out); err != nil {
		return err
	}
	notes := &Conversation{
		System: "letta", ID: id + ":human", Title: "Memory of " + cmp.Or(a.Name, "letta"), Changed: f.Modified, File: f, Memories: true,
	}
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b lettaBlock) bool { return !slices.Contains(a.BlockIDs, b.ID) })
	for _, b := range append(blocks, a.Core...) {
		if b.Label != "human" {
			l.report.omit("block "+b.Label, where)
			continue
		}
		for line := range strings.Lines(b.Value) {
			if line = strings.TrimSpace(line); line != "" {
				notes.Messages = append(notes.Messages, Message{ID: hashID(line), Role: roleAssistant, Name: "letta", Text: line, At: b.CreatedAt.Time})
			}
		}
	}
	if len(notes.Messages) == 0 {
		return nil
	}
	return l.take(notes)
}

// numbered reports whether an id only numbers the things of one file, such as "agent-0". Another
// file has the same id for something else, and the next export may number differently.
func numbered(id string) bool {
	_, number, _ := strings.Cut(id, "-")
	return strings.Trim(number, "0123456789") == "" && (id == "" || number != "")
}

// identity is the id of an agent, or one that is made of its name and of its first message, which
// stay when it grows. The system text is no such message: Letta writes it again whenever a block
// changes.
func (a *lettaAgent) identity() (string, error) {
	if !numbered(a.ID) {
		return a.ID, nil
	}
	for i := range a.Messages.len() {
		m, err := a.Messages.get(i)
		if err != nil {
			return "", err
		}
		if m != nil && m.Role != "system" {
			return cmp.Or(a.Name, "agent") + "-" + hashID(m.identity())[:12], nil
		}
	}
	return cmp.Or(a.Name, "agent"), nil
}

// identity is the id of a message, or one that is made of what it says.
func (m *lettaMessage) identity() string {
	if !numbered(m.ID) {
		return m.ID
	}
	text := m.Role + "\x00" + cmp.Or(texts(m.Content), m.Text)
	if !m.CreatedAt.IsZero() {
		text += "\x00" + strconv.FormatInt(m.CreatedAt.UnixMilli(), 10)
	}
	for _, c := range m.ToolCalls {
		text += "\x00" + c.Function.Name + "\x00" + c.Function.Arguments
	}
	return hashID(text)
}

// message adds a message.
func (l *letta) message(out *Conversation, a *lettaAgent, m *lettaMessage, where string) {
	said := Message{
		ID: m.identity(), Role: m.Role, Text: cmp.Or(l.texts(m.Content, where), m.Text), Model: m.Model, At: m.CreatedAt.Time,
	}
	switch m.Role {
	case roleUser:
		var why string
		if said.Text, said.At, why = lettaUser(said.Text, said.At); why != "" {
			l.report.omit(why, where)
			return
		}
		said.Model = ""
	case roleAssistant:
		l.answer(&said, a, m, where)
	case roleTool:
		said.CallID, said.Name, said.Text, said.Model = m.CallID, m.Name, lettaResult(said.Text), ""
		if m.Name == "send_message" {
			return // it says only that the message was sent
		}
	case "system":
		l.report.omit("system text", where)
		return
	default:
		l.report.unknown("role "+m.Role, where)
		return
	}
	out.Messages = append(out.Messages, said)
}

// answer reads an answer. Agents before letta_v1_agent speak by calling send_message, and
// their content is what they thought.
func (l *letta) answer(said *Message, a *lettaAgent, m *lettaMessage, where string) {
	old := a.Type != "letta_v1_agent"
	if old && len(m.ToolCalls) > 0 && said.Text != "" {
		l.report.omit(thinking, where)
		said.Text = ""
	}
	for _, c := range m.ToolCalls {
		if c.Function.Name != "send_message" {
			said.Calls = append(said.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			continue
		}
		var spoken struct {
			Message string `json:"message"`
		}
		if json.Unmarshal([]byte(c.Function.Arguments), &spoken) != nil {
			l.report.unknown("arguments of send_message", where)
			continue
		}
		said.Text = joinNonEmpty(said.Text, spoken.Message)
	}
}

// lettaUser is what a person said in an event in JSON. why says that it is another event.
func lettaUser(text string, at time.Time) (said string, when time.Time, why string) {
	var event struct {
		Type    string  `json:"type"`
		Message *string `json:"message"`
		Time    string  `json:"time"`
	}
	if json.Unmarshal([]byte(text), &event) != nil || event.Type == "" {
		return text, at, ""
	}
	if event.Type != "user_message" || event.Message == nil {
		return "", at, "event " + event.Type
	}
	if at.IsZero() {
		at = parseStamp(event.Time)
	}
	return *event.Message, at, ""
}

// lettaResult is the result in the JSON text of a tool.
func lettaResult(text string) string {
	var result struct {
		Message *string `json:"message"`
	}
	if json.Unmarshal([]byte(text), &result) == nil && result.Message != nil {
		return *result.Message
	}
	return text
}
