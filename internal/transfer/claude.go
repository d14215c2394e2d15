package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// claudeAccount is the file that names the accounts of an export.
const claudeAccount = "users.json"

// claudeFormat reads conversations.json and the memories of an export of Claude.
func claudeFormat() format {
	return format{
		name:    "claude",
		aside:   []string{"users.json", "projects.json"},
		account: claudeAccount,
		fits: func(s *sample) string {
			switch {
			case s.has("chat_messages"):
				return `has conversations with "chat_messages"`
			case s.has("conversations_memory"), s.has("project_memories"):
				return "has the memories of Claude"
			}
			return ""
		},
		read: func(ctx context.Context, in *reading, files []*File) error {
			c := &claude{reading: in, accounts: in.readAccounts(claudeAccount)}
			return eachFile(ctx, in, files, func(f *File) error {
				return c.eachValue(f, func(raw *bulk) error { return c.element(f, raw) })
			})
		},
	}
}

// claude reads conversations of Claude.
type claude struct {
	*reading
	// accounts say whose what does not say it is.
	accounts accounts
}

type claudeConversation struct {
	UUID      word                  `json:"uuid"`
	Name      word                  `json:"name"`
	CreatedAt stamp                 `json:"created_at"`
	UpdatedAt stamp                 `json:"updated_at"`
	Messages  listOf[claudeMessage] `json:"chat_messages"`
	Memory    *string               `json:"conversations_memory"`
	Projects  map[string]string     `json:"project_memories"`
	// Account and AccountUUID are whose a conversation and the memories are.
	Account struct {
		UUID word `json:"uuid"`
	} `json:"account"`
	AccountUUID word `json:"account_uuid"`
}

type claudeMessage struct {
	UUID        word         `json:"uuid"`
	Sender      string       `json:"sender"`
	Text        string       `json:"text"`
	Content     claudeBlocks `json:"content"`
	CreatedAt   stamp        `json:"created_at"`
	Parent      word         `json:"parent_message_uuid"`
	Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	} `json:"attachments"`
	Files []struct {
		Name string `json:"file_name"`
	} `json:"files"`
}

// claudeBlocks are what a message consists of; a text or an object stands for one block of it.
type claudeBlocks []claudeBlock

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (b *claudeBlocks) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '{':
		*b = make(claudeBlocks, 1)
		return jsonv2.UnmarshalDecode(dec, &(*b)[0])
	case '"':
	default:
		return jsonv2.UnmarshalDecode(dec, (*[]claudeBlock)(b))
	}
	text, err := dec.ReadToken()
	*b = claudeBlocks{{Type: "text", Text: text.String()}}
	return err
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Title     word            `json:"title"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// element reads a conversation or the memories.
func (c *claude) element(f *File, raw *bulk) error {
	var got claudeConversation
	if err := c.decodeParts(raw, &got, f.Name, map[string]part{"chat_messages": &got.Messages}); err != nil {
		return err
	}
	if got.Memory != nil || len(got.Projects) > 0 {
		if !c.belongs(c.owner(f, &got), "memory", f.Name) {
			return nil
		}
		return c.memories(f, &got)
	}
	where := f.Name + ", conversation " + string(got.UUID)
	if !c.belongs(c.owner(f, &got), "conversation", where) {
		return nil
	}
	out := &Conversation{
		System: "claude", Title: string(got.Name), Started: got.CreatedAt.Time, Changed: got.UpdatedAt.Time, File: f,
	}
	out.identify(string(got.UUID), raw)
	add := func(_ int, m *claudeMessage) error {
		c.message(out, m, where)
		return c.say(out)
	}
	t, parents, err := got.tree()
	switch {
	case err != nil:
		return err
	case !parents: // an export without branches
		if err := got.Messages.each(add); err != nil {
			return err
		}
		return c.take(out)
	}
	shown := t.newest()
	for range got.Messages.present() - len(shown) {
		c.report.omit("message of another branch", where)
	}
	if err := got.Messages.those(shown, add); err != nil {
		return err
	}
	return c.take(out)
}

// owner is the user that a conversation or the memories belong to.
func (c *claude) owner(f *File, got *claudeConversation) string {
	return cmp.Or(string(got.Account.UUID), string(got.AccountUUID), c.accounts.of(f))
}

// tree are the messages with their branches, and whether they have parents at all.
func (got *claudeConversation) tree() (t tree, parents bool, err error) {
	err = got.Messages.each(func(i int, m *claudeMessage) error {
		t.add(node{id: string(m.UUID), parent: string(m.Parent), said: m.CreatedAt.Time, item: i})
		parents = parents || m.Parent != ""
		return nil
	})
	return t, parents, err
}

// message adds what was said in a message, called and answered.
func (c *claude) message(out *Conversation, m *claudeMessage, where string) {
	role := m.Sender
	switch role {
	case "human":
		role = roleUser
	case roleAssistant:
	default:
		c.report.unknown("sender "+role, where)
		return
	}
	part := claudePart{claude: c, out: out, m: m, role: role, where: where}
	for i := range m.Content {
		part.block(&m.Content[i])
	}
	if !part.said && usable(m.Text) {
		part.text(m.Text)
	}
	part.flush()
	for _, a := range m.Attachments {
		part.attach("attachment", cmp.Or(name(a.Name), "paste"), a.Text)
	}
	for _, f := range m.Files {
		part.attach("attachment", "", pictured(f.Name))
	}
	if part.n == 0 && len(m.Content) == 0 {
		c.report.omit("message without text", where)
	}
}

// usable reports whether a text was said, and is not Claude's note for what its export
// leaves out.
func usable(text string) bool {
	return text != "" && !strings.Contains(text, "This block is not supported on your current device yet.")
}

// claudePart adds the blocks of one message.
type claudePart struct {
	*claude
	out   *Conversation
	m     *claudeMessage
	role  string
	where string
	now   Message
	n     int
	said  bool
	call  string // the newest call without an id
}

// block adds a block.
func (p *claudePart) block(b *claudeBlock) {
	switch b.Type {
	case "text":
		switch {
		case usable(b.Text):
			p.text(b.Text)
		case b.Text != "":
			p.report.omit("block that is not in the export", p.where)
		}
	case "voice_note":
		p.voice(b)
	case "thinking", "redacted_thinking":
		p.report.omit(thinking, p.where)
	case "tool_use":
		id := b.ID
		if id == "" {
			id = fmt.Sprintf("%s/%d", p.m.UUID, p.n)
			p.call = id
		}
		p.now.Calls = append(p.now.Calls, rawCall(id, b.Name, b.Input))
		p.said = true
	case "tool_result":
		p.flush()
		id := cmp.Or(b.ToolUseID, p.call)
		p.call = ""
		text := p.texts(b.Content, p.where)
		if b.IsError {
			text = "error: " + text
		}
		p.add(Message{Role: roleTool, Name: b.Name, CallID: id, Text: text})
	case "token_budget", "flag":
		p.report.omit("block "+b.Type, p.where)
	default:
		p.report.unknown("block "+b.Type, p.where)
	}
}

// voice adds what was said in a voice note, under its title.
func (p *claudePart) voice(b *claudeBlock) {
	if strings.TrimSpace(b.Text) == "" {
		p.report.omit("voice note without a transcript", p.where)
		return
	}
	mark := "[voice note]"
	if title := name(string(b.Title)); title != "" {
		mark = "[voice note: " + title + "]"
	}
	p.text(mark + "\n" + b.Text)
}

// text adds a text. A text behind calls begins another message.
func (p *claudePart) text(text string) {
	if len(p.now.Calls) > 0 {
		p.flush()
	}
	p.now.Text = continued(p.now.Text, text)
	p.said = true
}

// continued appends a block to a text. Citations cut a sentence into blocks, which have their
// spaces; other blocks are paragraphs.
func continued(text, block string) string {
	if text != "" && (strings.TrimLeft(block, " \n") != block || strings.TrimRight(text, " \n") != text) {
		return text + block
	}
	return joinNonEmpty(text, block)
}

// flush adds the message under way.
func (p *claudePart) flush() {
	m := p.now
	p.now = Message{}
	if m.Text == "" && len(m.Calls) == 0 {
		return
	}
	m.Role = p.role
	p.add(m)
}

// attach adds the text of a file.
func (p *claudePart) attach(tool, file, text string) {
	if file != "" {
		text = fileMark(file) + "\n" + text
	}
	p.add(Message{Role: roleTool, Name: tool, Text: text})
}

func (p *claudePart) add(m Message) {
	m.ID, m.At = string(p.m.UUID), p.m.CreatedAt.Time
	if p.n > 0 {
		m.ID = fmt.Sprintf("%s#%d", p.m.UUID, p.n)
	}
	p.n++
	p.out.Messages = append(p.out.Messages, m)
}

// memories takes what Claude wrote about a person: the words of an assistant, a conversation
// for each.
func (c *claude) memories(f *File, got *claudeConversation) error {
	take := func(id, title, text string) error {
		if strings.TrimSpace(text) == "" {
			c.report.omit("memory without text", f.Name)
			return nil
		}
		said := Message{ID: hashID(text), Role: roleAssistant, Name: "claude", Text: text, At: f.Modified}
		return c.take(&Conversation{
			System: "claude", ID: id, Title: title, File: f, Changed: f.Modified, Memories: true, Undated: true, Messages: []Message{said},
		})
	}
	if got.Memory != nil {
		id := strings.TrimSuffix("memory:"+c.owner(f, got), ":") // the file may have any name, and stand in any archive
		if err := take(id, "Memory of Claude", *got.Memory); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got.Projects)) {
		if err := take("memory:"+id, "Memory of Claude, project "+id, got.Projects[id]); err != nil {
			return err
		}
	}
	return nil
}
