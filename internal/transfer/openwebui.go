package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// openwebuiFormat reads an export of chats of Open WebUI, or its database webui.db.
func openwebuiFormat() format {
	return format{
		name: "openwebui",
		fits: func(s *sample) string {
			switch {
			case s.has("chat.history"), s.has("chat.messages"):
				return `has chats with a "history"`
			case s.sqlite() && s.chatTable():
				return "is a database with a table of chats"
			}
			return ""
		},
		read: readOpenWebUI,
	}
}

// chatTable reports whether a database has the table of chats of Open WebUI.
func (s *sample) chatTable() bool {
	const name = "[\"'`\\[]?chat[\"'`\\]]?"
	return regexp.MustCompile(`(?is)CREATE TABLE ` + name + `\s*\(.{0,999}?\buser_id\b.{0,999}?\b` + name + `\s+(?:JSON|TEXT)`).Match(s.schema)
}

func readOpenWebUI(ctx context.Context, in *reading, files []*File) error {
	w := &openwebui{reading: in, memories: make(map[string][]mem0Memory)}
	if err := w.each(ctx, files, w.chat); err != nil {
		return err
	}
	return in.statements("openwebui", "memory:", w.memories)
}

// openwebui reads chats of Open WebUI.
type openwebui struct {
	*reading
	memories map[string][]mem0Memory // of the database, by user
}

// each calls take with each chat.
func (w *openwebui) each(ctx context.Context, files []*File, take func(f *File, c *webuiChat) error) error {
	return eachFile(ctx, w.reading, files, func(f *File) error {
		if strings.HasSuffix(f.Name, "-wal") {
			return nil
		}
		each := func(raw *bulk) error {
			var c webuiChat
			parts := map[string]part{"chat.history.messages": &c.Chat.History.Messages, "chat.messages": &c.Chat.Messages}
			if err := w.decodeParts(raw, &c, f.Name, parts); err != nil {
				return err
			}
			c.raw = raw // null would have taken it away
			return take(f, &c)
		}
		if sqliteFile([]*File{f}) {
			return w.rows(ctx, f, files, each)
		}
		return w.eachValue(f, each)
	})
}

// rows reads the table of chats as an export shows them.
func (w *openwebui) rows(ctx context.Context, f *File, files []*File, take func(raw *bulk) error) error {
	db, err := openCopy(ctx, f, files)
	if err != nil {
		return err
	}
	defer db.close()
	if err := w.notes(ctx, f, db); err != nil {
		return err
	}
	columns, err := db.columns(ctx, "chat")
	if err != nil {
		return err
	}
	begun := firstOf(columns, "created_at", "timestamp") // older databases have one time only
	chatRow := w.newBulk()
	return db.each(ctx, `SELECT * FROM chat ORDER BY `+cmp.Or(begun, "id")+`, id`, func(row map[string]any) error { // a name from above
		chat := json.RawMessage(textOf(row["chat"]))
		if inner := json.RawMessage(textIn(chat)); jsontext.Value(inner).Kind() == '{' { // packed into a text
			chat = inner
		}
		w.began = w.report.tally()
		where, user := f.Name+", conversation "+textOf(row["id"]), textOf(row["user_id"])
		if err := wellFormed(chat); err != nil {
			if !w.taken(user, where) {
				return nil
			}
			return w.alone(where, err)
		}
		raw, err := json.Marshal(map[string]any{
			"id": textOf(row["id"]), "user_id": user, "title": textOf(row["title"]), "chat": chat,
			"created_at": row[begun], "updated_at": row["updated_at"],
		})
		if err != nil {
			return err
		}
		chatRow.empty()
		if _, err := chatRow.Write(raw); err != nil {
			return err
		}
		return w.alone(where, take(chatRow))
	})
}

// notes reads the table of memories, which older databases do not have.
func (w *openwebui) notes(ctx context.Context, f *File, db *database) error {
	columns, err := db.columns(ctx, "memory")
	if err != nil || len(columns) == 0 {
		return err
	}
	return db.each(ctx, `SELECT * FROM memory`, func(row map[string]any) error {
		user, text := textOf(row["user_id"]), textOf(row["content"])
		if text == "" {
			w.report.omit("memory without text", f.Name)
			return nil
		}
		w.memories[user] = append(w.memories[user], mem0Memory{
			ID: word(textOf(row["id"])), Memory: text, file: f,
			CreatedAt: stamp{parseStamp(textOf(row["created_at"]))}, UpdatedAt: stamp{parseStamp(textOf(row["updated_at"]))},
		})
		return nil
	})
}

type webuiChat struct {
	ID        string    `json:"id"`
	UserID    string    `json:"user_id"`
	Title     string    `json:"title"`
	CreatedAt stamp     `json:"created_at"`
	UpdatedAt stamp     `json:"updated_at"`
	Chat      webuiTalk `json:"chat"`
	raw       *bulk
}

type webuiTalk struct {
	Title   string `json:"title"`
	History struct {
		Messages mapOf[webuiMessage] `json:"messages"`
		Current  string              `json:"currentId"`
	} `json:"history"`
	Messages listOf[webuiMessage] `json:"messages"`
}

type webuiMessage struct {
	ID       string          `json:"id"`
	Parent   string          `json:"parentId"`
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	At       stamp           `json:"timestamp"`
	Model    string          `json:"model"`
	Output   []webuiOutput   `json:"output"`
	Files    []webuiFile     `json:"files"`
	Children []string        `json:"childrenIds"`
	Error    json.RawMessage `json:"error"` // of an answer that failed
}

type webuiFile struct {
	Type string `json:"type"`
	Name string `json:"name"`
	URL  string `json:"url"`
	File struct {
		Data struct {
			Content string `json:"content"`
		} `json:"data"`
	} `json:"file"`
}

type webuiOutput struct {
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// sharedChat begins the user of a copy that the program made when a chat was shared. It is no user, and the chat
// itself is there, too.
const sharedChat = "shared-"

// taken reports whether the chats of a user are taken. Others are counted.
func (w *openwebui) taken(user, where string) bool {
	if strings.HasPrefix(user, sharedChat) {
		w.report.omit("shared copy of a conversation", where)
		return false
	}
	return w.belongs(user, "conversation", where)
}

// chat takes a chat.
func (w *openwebui) chat(f *File, c *webuiChat) error {
	where := f.Name + ", conversation " + c.ID
	if !w.taken(c.UserID, where) {
		return nil
	}
	out := &Conversation{
		System: "openwebui", Title: cmp.Or(c.Title, c.Chat.Title), Started: c.CreatedAt.Time, Changed: c.UpdatedAt.Time, File: f,
	}
	out.identify(c.ID, c.raw)
	add := func(_ int, m *webuiMessage) error {
		w.message(out, m, where)
		return w.say(out)
	}
	history := &c.Chat.History.Messages
	if history.len() == 0 {
		if err := c.Chat.Messages.each(add); err != nil {
			return err
		}
		return w.take(out)
	}
	shown, err := c.Chat.shown()
	if err != nil {
		return err
	}
	for range history.len() - len(shown) {
		w.report.omit("message of another branch", where)
	}
	err = history.those(shown, func(i int, m *webuiMessage) error {
		m.ID = cmp.Or(m.ID, history.items[i].name)
		return add(i, m)
	})
	if err != nil {
		return err
	}
	return w.take(out)
}

// shown are the messages of the branch that was last shown.
func (t *webuiTalk) shown() ([]node, error) {
	var found tree
	history := &t.History.Messages
	err := history.each(func(i int, m *webuiMessage) error {
		found.add(node{id: history.items[i].name, parent: m.Parent, said: m.At.Time, item: i})
		return nil
	})
	return found.shown(t.History.Current), err
}

// message adds a message.
func (w *openwebui) message(out *Conversation, m *webuiMessage, where string) {
	switch m.Role {
	case roleUser, roleAssistant:
	case "system":
		w.report.omit("system text", where)
		return
	default:
		w.report.unknown("role "+m.Role, where)
		return
	}
	said := Message{ID: m.ID, Role: m.Role, Model: m.Model, At: m.At.Time}
	if len(m.Output) == 0 {
		said.Text = w.texts(m.Content, where)
	}
	switch {
	case len(m.Output) > 0:
		w.output(out, m, said, where)
	case said.Text == "" && nonNull(m.Error) != "":
		w.report.omit("error message", where)
	case m.Role == roleAssistant:
		w.answer(out, said, where)
	default:
		out.Messages = append(out.Messages, said)
	}
	for i, file := range m.Files {
		text := fileMark(name(file.Name)) + "\n" + file.File.Data.Content
		if file.Type == "image" {
			text = imageMark(cmp.Or(name(file.Name), "picture"))
		}
		out.Messages = append(out.Messages, Message{
			ID: fmt.Sprintf("%s#file%d", m.ID, i), Role: roleTool, Name: "attachment", Text: text, At: m.At.Time,
		})
	}
}

// output adds the parts of an answer. They replace its text.
func (w *openwebui) output(out *Conversation, m *webuiMessage, said Message, where string) {
	for i := range m.Output {
		o, part := &m.Output[i], said
		part.ID = fmt.Sprintf("%s#%d", m.ID, i)
		switch o.Type {
		case "message":
			part.Text = w.texts(o.Content, where)
		case "reasoning":
			w.report.omit(thinking, where)
			continue
		case "function_call":
			part.Calls = []Call{{ID: o.CallID, Name: o.Name, Arguments: o.Arguments}}
		case "function_call_output":
			part.Role, part.CallID, part.Text = roleTool, o.CallID, w.texts(o.Output, where)
		default:
			w.report.unknown("output "+o.Type, where)
			continue
		}
		out.Messages = append(out.Messages, part)
	}
}
