package transfer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// gptAccount is the file that names the account of an export.
const gptAccount = "user.json"

// chatgptFormat reads conversations.json of an export of ChatGPT, in one file or in parts.
func chatgptFormat() format {
	return format{
		name:    "chatgpt",
		account: gptAccount,
		aside: []string{
			"chat.html", "conversation_asset_file_names.json", "export_manifest.json", "library_files.json", "message_feedback.json",
			"model_comparisons.json", "shared_conversations.json", "shopping.json", "sora.json", "user.json", "user_settings.json",
		},
		fits: func(s *sample) string {
			if s.has("mapping") || s.has("current_node", "title") {
				return `has conversations with a "mapping"`
			}
			return ""
		},
		read: readChatGPT,
	}
}

func readChatGPT(ctx context.Context, in *reading, files []*File) error {
	g := &chatgpt{reading: in, own: make(map[string]time.Time), accounts: in.readAccounts(gptAccount)}
	err := eachFile(ctx, in, files, func(f *File) error {
		before := maps.Clone(g.own)
		err := g.eachValue(f, func(raw *bulk) error { return g.conversation(f, raw) })
		if spoilt(err) {
			g.own = before
		}
		return err
	})
	if err != nil {
		return err
	}
	return g.instructions(files)
}

// chatgpt reads conversations of ChatGPT.
type chatgpt struct {
	*reading
	// own are the person's own instructions, which stand in every conversation, with the
	// time of the first.
	own map[string]time.Time
	// accounts say whose conversations a file has, and user whose were taken.
	accounts accounts
	user     string
}

type gptConversation struct {
	ID             word           `json:"id"`
	ConversationID word           `json:"conversation_id"`
	Title          word           `json:"title"`
	CreateTime     stamp          `json:"create_time"`
	UpdateTime     stamp          `json:"update_time"`
	CurrentNode    word           `json:"current_node"`
	Model          string         `json:"default_model_slug"`
	DoNotRemember  bool           `json:"is_do_not_remember"`
	Mapping        mapOf[gptNode] `json:"mapping"`
}

type gptNode struct {
	Message *gptMessage `json:"message"`
	Parent  string      `json:"parent"`
}

type gptMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime stamp      `json:"create_time"`
	Content    gptContent `json:"content"`
	Weight     *float64   `json:"weight"`
	Recipient  string     `json:"recipient"`
	Metadata   struct {
		Hidden      bool            `json:"is_visually_hidden_from_conversation"`
		Model       string          `json:"model_slug"`
		Attachments []gptAttachment `json:"attachments"`
		// Settings are the person's own instructions as they were written.
		Settings struct {
			Profile      string `json:"about_user_message"`
			Instructions string `json:"about_model_message"`
		} `json:"user_context_message_data"`
	} `json:"metadata"`
}

type gptAttachment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type gptContent struct {
	Type         string `json:"content_type"`
	Parts        listed `json:"parts"`
	Text         string `json:"text"`
	Language     string `json:"language"`
	Result       string `json:"result"`
	Title        string `json:"title"`
	URL          string `json:"url"`
	Name         string `json:"name"`
	Profile      string `json:"user_profile"`
	Instructions string `json:"user_instructions"`
}

// conversation reads one conversation.
func (g *chatgpt) conversation(f *File, raw *bulk) error {
	var c gptConversation
	if err := g.decodeParts(raw, &c, f.Name, map[string]part{"mapping": &c.Mapping}); err != nil {
		return err
	}
	id := string(cmp.Or(c.ID, c.ConversationID))
	where := f.Name + ", conversation " + id
	missing := !c.Mapping.given
	switch {
	case missing && id == "":
		g.report.unknown("an element without id and mapping", f.Name)
		return nil
	case missing:
		g.report.blame(where, fault.New(fault.Invalid, "no_mapping", "The conversation has no \"mapping\", so that its messages are not in the export."))
		return nil
	case !g.belongs(g.accounts.of(f), "conversation", where):
		return nil
	case c.DoNotRemember && !g.opt.All:
		g.report.omit("conversation that is not to be remembered", where)
		return nil
	}
	g.user = g.accounts.of(f)
	out := &Conversation{
		System: "chatgpt", Title: string(c.Title), Model: c.Model, Started: c.CreateTime.Time, Changed: c.UpdateTime.Time, File: f,
	}
	out.identify(id, raw)
	shown, left, err := c.branch()
	if err != nil {
		return err
	}
	for range left.others {
		g.report.omit("message of another branch", where)
	}
	for range left.apart {
		g.report.omit("message before a gap", where)
	}
	open := ""
	err = c.Mapping.those(shown, func(i int, n *gptNode) error {
		if n.Message == nil {
			return nil
		}
		g.message(out, c.Mapping.items[i].name, n.Message, where)
		open = answer(out.Messages, open)
		return g.say(out)
	})
	if err != nil {
		return err
	}
	return g.take(out)
}

// gptLeft counts the messages that do not stand in the branch that was shown: those of others, and those apart from it by a gap.
type gptLeft struct{ others, apart int }

// branch are the nodes of the conversation as it was last shown. Some nodes have no message: they only begin a tree, and are not
// counted where they are left out.
func (c *gptConversation) branch() (shown []node, left gptLeft, err error) {
	var t tree
	empty := make(map[int]bool)
	err = c.Mapping.each(func(i int, n *gptNode) error {
		found := node{id: c.Mapping.items[i].name, parent: n.Parent, item: i}
		if n.Message != nil {
			found.said = n.Message.CreateTime.Time
		} else {
			empty[i] = true
		}
		t.add(found)
		return nil
	})
	shown, apart := t.bridge(t.shown(string(c.CurrentNode)))
	for item := range apart {
		if !empty[item] {
			left.apart++
		}
	}
	for _, n := range shown {
		delete(empty, n.item)
	}
	left.others = c.Mapping.len() - len(shown) - len(empty) - left.apart
	return shown, left, err
}

// message adds a message, or counts why it is left out.
func (g *chatgpt) message(out *Conversation, node string, m *gptMessage, where string) {
	if m.Content.Type == "user_editable_context" {
		g.ownInstructions(out, m)
		return
	}
	if why := m.hidden(); why != "" {
		g.report.omit(why, where)
		return
	}
	text, ok := g.text(&m.Content, where)
	if !ok {
		return
	}
	said := Message{
		ID: cmp.Or(m.ID, node), Role: m.Author.Role, Text: text, Model: m.Metadata.Model, At: m.CreateTime.Time,
	}
	switch m.Author.Role {
	case roleUser:
	case roleTool:
		said.Name = m.Author.Name
	case roleAssistant:
		if to := m.Recipient; to != "" && to != "all" {
			said.Text, said.Calls = "", []Call{{ID: said.ID, Name: to, Arguments: text}}
		}
	default:
		g.report.unknown("role "+m.Author.Role, where)
		return
	}
	attached := m.attached(&said)
	out.Messages = append(append(out.Messages, said), attached...)
}

// attached are the files that came with what was said. A picture that the text shows is named there.
func (m *gptMessage) attached(said *Message) []Message {
	var out []Message
	for i, a := range m.Metadata.Attachments {
		file := Message{ID: fmt.Sprintf("%s#%d", said.ID, i), Role: roleTool, Name: "attachment", Text: pictured(a.Name), At: said.At}
		shown := imageMark(a.ID)
		if a.ID != "" && strings.Contains(said.Text, shown) {
			said.Earlier = cmp.Or(said.Earlier, said.Text)
			said.Text = strings.ReplaceAll(said.Text, shown, imageMark(cmp.Or(name(a.Name), a.ID)))
			file.Dropped = true
		}
		out = append(out, file)
	}
	return out
}

// hidden is why a message is not shown; "" if it is.
func (m *gptMessage) hidden() string {
	switch {
	case m.Author.Role == "system":
		return "system text"
	case m.Weight != nil && *m.Weight == 0:
		return "message without weight"
	case m.Metadata.Hidden:
		return "hidden message"
	}
	return ""
}

// answer gives each result of a tool the call before it, which is open: the export has no ids
// of calls.
func answer(ms []Message, open string) string {
	for i := range ms {
		m := &ms[i]
		switch {
		case len(m.Calls) > 0:
			open = m.Calls[0].ID
		case m.Role == roleTool && m.Name != "attachment":
			m.CallID, open = open, ""
		case m.Role != roleTool:
			open = ""
		}
	}
	return open
}
