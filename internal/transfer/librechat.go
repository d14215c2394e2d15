package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// librechatFormat reads the export of a conversation of LibreChat.
func librechatFormat() format {
	return format{
		name: "librechat",
		fits: func(s *sample) string {
			switch {
			case s.has("conversationId", "messages"), s.has("conversationId", "messagesTree"):
				return `has a "conversationId" and its messages`
			case s.hasOne("messages.messageId", "messagesTree.messageId"):
				return `has messages with a "messageId"`
			}
			return ""
		},
		read: func(ctx context.Context, in *reading, files []*File) error {
			l := &librechat{reading: in}
			return eachFile(ctx, in, files, func(f *File) error {
				return l.eachValue(f, func(raw *bulk) error { return l.conversation(f, raw) })
			})
		},
	}
}

// librechat reads conversations of LibreChat.
type librechat struct{ *reading }

type libreConversation struct {
	ID       string               `json:"conversationId"`
	Title    string               `json:"title"`
	User     word                 `json:"user"`
	ExportAt stamp                `json:"exportAt"`
	Changed  stamp                `json:"updatedAt"`
	Messages listOf[libreMessage] `json:"messages"`
	Tree     []libreMessage       `json:"messagesTree"`
}

type libreMessage struct {
	ID       string         `json:"messageId"`
	Parent   string         `json:"parentMessageId"`
	ByUser   bool           `json:"isCreatedByUser"`
	Sender   string         `json:"sender"`
	User     word           `json:"user"`
	Text     string         `json:"text"`
	Content  []librePart    `json:"content"`
	At       stamp          `json:"createdAt"`
	Changed  stamp          `json:"updatedAt"`
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
	ToolCall libreCall       `json:"tool_call"`
}

// libreCall is a call of a tool with its result. That of an assistant of OpenAI stands in a member that
// is named after its type.
type libreCall struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Output   string          `json:"output"`
	Function struct {
		functionCall

		Output string `json:"output"`
	} `json:"function"`
	Code struct {
		Input   string `json:"input"`
		Outputs []struct {
			Logs string `json:"logs"`
		} `json:"outputs"`
	} `json:"code_interpreter"`
}

// call is the call, and the text of its result. The id is for one without.
func (c *libreCall) call(id string) (Call, string) {
	id = cmp.Or(c.ID, id)
	switch {
	case c.Function.Name != "":
		return c.Function.call(id), c.Function.Output
	case c.Code.Input != "":
		var logs []string
		for _, o := range c.Code.Outputs {
			logs = append(logs, o.Logs)
		}
		return Call{ID: id, Name: "code_interpreter", Arguments: c.Code.Input}, joinNonEmpty(logs...)
	}
	return functionCall{Name: c.Name, Arguments: c.Args}.call(id), c.Output
}

// conversation reads a conversation. Its messages are a list, or nested, or both.
func (l *librechat) conversation(f *File, raw *bulk) error {
	var c libreConversation
	if err := l.decodeParts(raw, &c, f.Name, map[string]part{"messages": &c.Messages}); err != nil {
		return err
	}
	flat := &libreFlat{listed: c.Messages.len(), changed: c.Changed.Time}
	err := c.Messages.each(func(i int, m *libreMessage) error {
		c.User = cmp.Or(c.User, m.User)
		flat.add(m, "", i, 0)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range c.Tree {
		c.User = cmp.Or(c.User, c.Tree[i].User)
		flat.add(&c.Tree[i], "", flat.listed+i, 0)
	}
	shown := flat.newest()
	if c.ID == "" && len(shown) > 0 { // its first message stays when it grows
		c.ID = shown[0].id
	}
	where := f.Name + ", conversation " + c.ID
	if !l.belongs(string(c.User), "conversation", where) {
		return nil
	}
	out := &Conversation{
		System: "librechat", Title: c.Title, Started: c.ExportAt.Time, Changed: flat.changed, File: f,
	}
	out.identify(c.ID, raw)
	for range len(flat.nodes) - len(shown) {
		l.report.omit("message of another branch", where)
	}
	for _, n := range shown {
		if err := flat.give(&c, n, func(_ int, m *libreMessage) error {
			m.ID = n.id
			l.message(out, m, where)
			return l.say(out)
		}); err != nil {
			return err
		}
	}
	return l.take(out)
}

// libreFlat are the messages of a conversation, whether nested or not. A message of the list
// has its place in it; those that are nested stand behind.
type libreFlat struct {
	tree

	listed  int
	nested  []*libreMessage
	changed time.Time // when one of them was changed last
}

// give calls take with the message of a node.
func (t *libreFlat) give(c *libreConversation, n node, take func(i int, m *libreMessage) error) error {
	if n.item < t.listed {
		return c.Messages.give(n.item, take)
	}
	return take(n.item, t.nested[n.item-t.listed])
}

// maxDepth bounds how deep messages are nested. JSON itself is bounded to 10,000 levels.
const maxDepth = 10_000

// add adds a message, the i-th of those with its parent, and the messages in it.
func (t *libreFlat) add(m *libreMessage, parent string, i, depth int) {
	m.ID = cmp.Or(m.ID, fmt.Sprintf("%s/%d", parent, i))
	if m.Changed.After(t.changed) {
		t.changed = m.Changed.Time
	}
	item := i
	if depth > 0 || i >= t.listed {
		item = t.listed + len(t.nested)
		t.nested = append(t.nested, m)
	}
	if !t.has(m.ID) {
		t.tree.add(node{id: m.ID, parent: cmp.Or(parent, m.Parent), said: m.At.Time, item: item})
	}
	for j := range m.Children {
		if depth < maxDepth {
			t.add(&m.Children[j], m.ID, j, depth+1)
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
		attached := Message{
			ID: fmt.Sprintf("%s#file%d", m.ID, i), Role: roleTool, Name: "attachment", At: said.At,
			Text: fileMark(name(file.Name)) + "\n" + file.Text,
		}
		if strings.HasPrefix(file.Type, "image/") {
			attached.Earlier = attached.Text
			attached.Text = imageMark(name(file.Name)) + "\n" + file.Text
		}
		out.Messages = append(out.Messages, attached)
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
		said.Text = l.texts(p.Text, where)
		if before := out.spoken(message); before != nil {
			before.Text = joinNonEmpty(before.Text, said.Text)
			return
		}
	case "think":
		l.report.omit(thinking, where)
		return
	case "tool_call":
		call, result := p.ToolCall.call(said.ID)
		said.Calls = []Call{call}
		out.Messages = append(out.Messages, said)
		if result == "" {
			return
		}
		said = Message{ID: said.ID + "/result", Role: roleTool, CallID: call.ID, Name: call.Name, Text: result, At: said.At}
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
