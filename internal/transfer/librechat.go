package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// librechatFormat reads the export of a conversation of LibreChat.
func librechatFormat() format {
	return format{
		name: "librechat",
		fits: func(s *sample) string {
			switch {
			case s.has("conversationId", "messages"), s.has("conversationId", "messagesTree"):
				return `has a "conversationId" and its messages`
			}
			return ""
		},
		read: func(ctx context.Context, in *reading, files []*File) error {
			l := &librechat{reading: in}
			return eachFile(ctx, in, files, func(f *File) error {
				return l.eachValue(f, func(raw []byte) error { return l.conversation(f, raw) })
			})
		},
	}
}

// librechat reads conversations of LibreChat.
type librechat struct{ *reading }

type libreConversation struct {
	ID       string         `json:"conversationId"`
	Title    string         `json:"title"`
	ExportAt stamp          `json:"exportAt"`
	Messages []libreMessage `json:"messages"`
	Tree     []libreMessage `json:"messagesTree"`
}

type libreMessage struct {
	ID       string         `json:"messageId"`
	Parent   string         `json:"parentMessageId"`
	ByUser   bool           `json:"isCreatedByUser"`
	Sender   string         `json:"sender"`
	Text     string         `json:"text"`
	Content  []librePart    `json:"content"`
	At       stamp          `json:"createdAt"`
	Model    string         `json:"model"`
	Error    bool           `json:"error"`
	Children []libreMessage `json:"children"`
	Files    []struct {
		Name string `json:"filename"`
		Text string `json:"text"`
		Type string `json:"type"`
	} `json:"files"`
}

type librePart struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"`
	ToolCall struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Output string          `json:"output"`
	} `json:"tool_call"`
}

// conversation reads a conversation. Its messages are a list, or nested, or both.
func (l *librechat) conversation(f *File, raw []byte) error {
	var c libreConversation
	if err := l.decode(raw, &c, f.Name); err != nil {
		return err
	}
	where := f.Name + ", conversation " + c.ID
	flat := &libreFlat{nodes: make(map[string]*node), byID: make(map[string]*libreMessage)}
	flat.add(append(c.Messages, c.Tree...), "", 0)
	out := &Conversation{System: "librechat", ID: cmp.Or(c.ID, hashID(string(raw))), Title: c.Title, Started: c.ExportAt.Time, File: f}
	ids := branch(flat.nodes, newestLeaf(flat.nodes, flat.order))
	for range len(flat.order) - len(ids) {
		l.report.omit("message of another branch", where)
	}
	for _, id := range ids {
		l.message(out, flat.byID[id], where)
	}
	return l.take(out)
}

// libreFlat are the messages of a conversation, whether nested or not.
type libreFlat struct {
	nodes map[string]*node
	byID  map[string]*libreMessage
	order []string
}

// maxDepth bounds how deep messages are nested. JSON itself is bounded to 10,000 levels.
const maxDepth = 10_000

func (t *libreFlat) add(ms []libreMessage, parent string, depth int) {
	for i := range ms {
		m := &ms[i]
		m.ID = cmp.Or(m.ID, fmt.Sprintf("%s/%d", parent, i))
		if t.nodes[m.ID] == nil {
			t.order = append(t.order, m.ID)
			t.nodes[m.ID], t.byID[m.ID] = &node{parent: cmp.Or(parent, m.Parent), at: m.At.Time}, m
		}
		if depth < maxDepth {
			t.add(m.Children, m.ID, depth+1)
		}
	}
}

// message adds a message.
func (l *librechat) message(out *Conversation, m *libreMessage, where string) {
	if m.Error {
		l.report.omit("error message", where)
		return
	}
	said := Message{ID: m.ID, Role: roleAssistant, Model: m.Model, At: m.At.Time}
	if m.ByUser {
		said.Role, said.Model = roleUser, ""
	}
	if len(m.Content) == 0 {
		said.Text = m.Text
		out.Messages = append(out.Messages, said)
	}
	for i := range m.Content {
		l.part(out, &m.Content[i], i, said, where)
	}
	for i, file := range m.Files {
		out.Messages = append(out.Messages, Message{
			ID: fmt.Sprintf("%s#file%d", m.ID, i), Role: roleTool, Name: "attachment", At: said.At,
			Text: "[file: " + name(file.Name) + "]\n" + file.Text,
		})
	}
}

// spoken is what the newest part of a message says; nil if that part is no text.
func (c *Conversation) spoken(message string) *Message {
	if len(c.Messages) == 0 {
		return nil
	}
	last := &c.Messages[len(c.Messages)-1]
	if !strings.HasPrefix(last.ID, message+"#") || last.Role == roleTool || len(last.Calls) > 0 {
		return nil
	}
	return last
}

// part adds a part of a message.
func (l *librechat) part(out *Conversation, p *librePart, i int, said Message, where string) {
	message := said.ID
	said.ID = fmt.Sprintf("%s#%d", message, i)
	switch p.Type {
	case "text":
		var nested struct {
			Value string `json:"value"`
		}
		if said.Text = texts(p.Text); said.Text == "" && json.Unmarshal(p.Text, &nested) == nil {
			said.Text = nested.Value
		}
		if before := out.spoken(message); before != nil {
			before.Text = joinNonEmpty(before.Text, said.Text)
			return
		}
	case "think":
		l.report.omit("thinking", where)
		return
	case "tool_call":
		args := cmp.Or(texts(p.ToolCall.Args), string(p.ToolCall.Args))
		call := Call{ID: cmp.Or(p.ToolCall.ID, said.ID), Name: p.ToolCall.Name, Arguments: args}
		said.Calls = []Call{call}
		out.Messages = append(out.Messages, said)
		if p.ToolCall.Output == "" {
			return
		}
		said = Message{ID: said.ID + "/result", Role: roleTool, CallID: call.ID, Name: call.Name, Text: p.ToolCall.Output, At: said.At}
	case "image_file", "image_url":
		said.Text = picture
	case "error":
		l.report.omit("error message", where)
		return
	default:
		l.report.unknown("part "+p.Type, where)
		return
	}
	out.Messages = append(out.Messages, said)
}
