package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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
		System: "chatgpt", ID: cmp.Or(id, raw.hashed()), Title: string(c.Title), Model: c.Model,
		Started: c.CreateTime.Time, Changed: c.UpdateTime.Time, File: f,
	}
	shown, others, err := c.branch()
	if err != nil {
		return err
	}
	for range others {
		g.report.omit("message of another branch", where)
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

// branch are the nodes of the conversation as it was last shown, and the number of messages in the others. Some
// nodes have no message: they only begin a tree.
func (c *gptConversation) branch() (shown []node, others int, err error) {
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
	shown = t.shown(string(c.CurrentNode))
	for _, n := range shown {
		delete(empty, n.item)
	}
	return shown, c.Mapping.len() - len(shown) - len(empty), err
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
		shown := "[image: " + a.ID + "]"
		if a.ID != "" && strings.Contains(said.Text, shown) {
			said.Earlier = cmp.Or(said.Earlier, said.Text)
			said.Text = strings.ReplaceAll(said.Text, shown, "[image: "+cmp.Or(name(a.Name), a.ID)+"]")
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

// text is the text of a message; false if it is left out.
func (g *chatgpt) text(c *gptContent, where string) (string, bool) {
	switch c.Type {
	case "text", "multimodal_text":
		return uncited(joined(c.Parts, func(part json.RawMessage) string { return g.part(part, where) })), true
	case "code", "execution_output", "system_error":
		return c.Text, true
	case "tether_quote":
		return joinNonEmpty(c.Title, c.URL, c.Text), true
	case "tether_browsing_display":
		return c.Result, true
	case "thoughts", "reasoning_recap":
		g.report.omit(thinking, where)
		return "", false
	}
	g.report.unknown("content "+c.Type, where)
	return "", false
}

// part is a part of a message that has more than text.
func (g *chatgpt) part(raw json.RawMessage, where string) string {
	if jsontext.Value(raw).Kind() != '{' {
		return g.texts(raw, where)
	}
	var p struct {
		Type     string `json:"content_type"`
		Text     string `json:"text"`
		Pointer  string `json:"asset_pointer"`
		Metadata struct {
			Dalle struct {
				Prompt string `json:"prompt"`
			} `json:"dalle"`
		} `json:"metadata"`
	}
	_ = decode(raw, &p, func(odd) {}) // it was read before
	switch p.Type {
	case "image_asset_pointer":
		return "[image: " + cmp.Or(name(p.Metadata.Dalle.Prompt), p.Pointer[strings.LastIndex(p.Pointer, "/")+1:]) + "]"
	case "audio_transcription":
		return p.Text
	case "audio_asset_pointer", "real_time_user_audio_video_asset_pointer":
		g.report.omit("sound and video", where)
		return ""
	}
	if p.Type != "" && p.Text == "" {
		g.report.unknown("part "+p.Type, where)
		return ""
	}
	return g.texts(raw, where)
}

func joined(parts []json.RawMessage, text func(json.RawMessage) string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = text(p)
	}
	return joinNonEmpty(out...)
}

// joinNonEmpty joins the texts that are not empty, one a line.
func joinNonEmpty(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" }), "\n")
}

// uncited is a text without the marks of citations: pairs of private characters, and
// brackets with a dagger. A space before a mark goes with it. A mark that stands for words leaves them.
func uncited(text string) string {
	if !strings.ContainsAny(text, "\ue200\ue201\ue202【") {
		return text
	}
	marks := regexp.MustCompile(" ?(?:\ue200[^\ue200\ue201]*\ue201|【[^【】]*†[^【】]*】)")
	text = marks.ReplaceAllStringFunc(text, func(mark string) string {
		words := wordsOf(strings.Trim(mark, " \ue200\ue201"))
		if words != "" && strings.HasPrefix(mark, " ") {
			return " " + words
		}
		return words
	})
	return strings.Map(func(r rune) rune {
		if r >= '\ue200' && r <= '\ue206' {
			return -1
		}
		return r
	}, text)
}

// wordsOf are the words that a mark is shown as: the name of a thing, which stands behind its kind, or
// a link. Other marks only point to a source.
func wordsOf(mark string) string {
	kind, content, _ := strings.Cut(mark, "\ue202")
	switch kind {
	case "entity":
		var about []json.RawMessage
		if json.Unmarshal([]byte(content), &about) == nil && len(about) > 1 {
			return textIn(about[1])
		}
	case "url":
		words, address, _ := strings.Cut(content, "\ue202")
		if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
			return "[" + words + "](" + address + ")"
		}
		return words
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

// ownInstructions notes what a person told about themselves in the settings. The content has that
// within words of the program, and the metadata of most exports has it as it was written.
func (g *chatgpt) ownInstructions(out *Conversation, m *gptMessage) {
	at := m.CreateTime.Time
	if at.IsZero() {
		at = out.Started
	}
	written := &m.Metadata.Settings
	for _, text := range []string{
		cmp.Or(written.Profile, unwrapped(m.Content.Profile)), cmp.Or(written.Instructions, unwrapped(m.Content.Instructions)),
	} {
		text = strings.TrimSpace(text)
		if first, known := g.own[text]; text != "" && (!known || at.Before(first)) {
			g.own[text] = at
		}
	}
}

// unwrapped is what a person wrote in the settings, without the words that the program puts before
// it: these begin always alike, and what was written stands behind them in a fence.
func unwrapped(text string) string {
	const wrapper, fence = "The user provided ", "```"
	_, written, fenced := strings.Cut(text, fence)
	if !fenced || !strings.HasPrefix(text, wrapper) {
		return text
	}
	return strings.TrimSuffix(strings.TrimSpace(written), fence)
}

// instructions takes the person's own instructions as a conversation, once.
func (g *chatgpt) instructions(files []*File) error {
	texts := slices.SortedFunc(maps.Keys(g.own), func(a, b string) int {
		return cmp.Or(g.own[a].Compare(g.own[b]), strings.Compare(a, b))
	})
	id := strings.TrimSuffix("custom-instructions:"+g.user, ":") // two accounts may be imported one after the other
	c := &Conversation{System: "chatgpt", ID: id, Title: "Custom instructions", File: files[0]}
	for _, text := range texts {
		c.Messages = append(c.Messages, Message{ID: hashID(text), Role: roleUser, Text: text, At: g.own[text]})
	}
	if len(texts) == 0 {
		return nil
	}
	return g.take(c)
}
