package gatewaytest

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// tgPrivate is the type of a chat with one person.
const tgPrivate = "private"

// tgWorld are the people, chats, messages and files of the fake.
type tgWorld struct {
	people   map[string]tgUser
	chats    map[int64]*tgChat
	names    map[string]int64 // of chats
	queries  map[string]bool  // presses that are not answered
	files    map[string]gateway.File
	commands map[string]string // by scope
	drafts   []TelegramDraft
	signals  []TelegramSignal
	answered []string
}

// tgUser is a person or a bot.
type tgUser struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
}

// tgChat is a chat with its messages.
type tgChat struct {
	ID       int64
	Type     string
	Title    string
	Topics   map[string]int64
	Messages []*tgMessage // the message n+1 is at n
	Gone     bool
	MovedTo  int64
}

// tgMessage is a message of the fake.
type tgMessage struct {
	id      int64
	from    tgUser
	date    int64
	thread  int64
	text    string
	source  string // as the bot sent it
	markup  string
	replyTo int64
	buttons []gateway.Button
	file    *gateway.File
	kind    gateway.FileKind // of the file
	mime    string
	edits   int
	number  int       // counts the messages of the bot
	at      time.Time // when the fake took it, and
	changed time.Time // when the fake took its newest text
}

// TelegramDraft is a draft that the bot has shown.
type TelegramDraft struct {
	Chat int64
	ID   string
	Text string
	At   time.Time
}

// TelegramSignal is a sign that the bot has given: a chat action or a reaction.
type TelegramSignal struct {
	Chat, Message int64
	// Sign is "typing" or an emoji; "" takes the reaction away.
	Sign string
}

func newTgWorld() tgWorld {
	return tgWorld{
		people: map[string]tgUser{}, chats: map[int64]*tgChat{}, names: map[string]int64{}, queries: map[string]bool{},
		files: map[string]gateway.File{}, commands: map[string]string{},
	}
}

// Gone makes a chat answer 403, as if the person had blocked the bot.
func (s *Telegram) Gone(chat int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[chat].Gone = true
}

// Migrate makes a group a supergroup with another id, and returns the new id. The group
// says so in an update.
func (s *Telegram) Migrate(chat int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chats[chat]
	c.MovedTo = chat - 5_000_000
	s.chats[c.MovedTo] = &tgChat{ID: c.MovedTo, Type: "supergroup", Title: c.Title, Topics: map[string]int64{}}
	m := c.add(&tgMessage{from: tgUser{ID: 1, FirstName: "someone"}, date: s.opt.Now().Unix()})
	update := s.messageJSON(c, m)
	update["migrate_to_chat_id"] = c.MovedTo
	s.push(map[string]any{"message": update})
	return strconv.FormatInt(c.MovedTo, 10)
}

// Drafts are the drafts that the bot has shown.
func (s *Telegram) Drafts() []TelegramDraft {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.drafts)
}

// Signals are the signs that the bot has given.
func (s *Telegram) Signals() []TelegramSignal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.signals)
}

// Answered are the ids of the presses that the bot has answered.
func (s *Telegram) Answered() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answered)
}

// person is the person of a name.
func (s *Telegram) person(name string) tgUser {
	u, ok := s.people[name]
	if !ok {
		u = tgUser{ID: 500_001 + int64(len(s.people)), FirstName: name}
		s.people[name] = u
	}
	return u
}

// chat is the chat of a name.
func (s *Telegram) chat(kind gateway.ChatType, name string) *tgChat {
	if kind == gateway.DM {
		p := s.person(name)
		if s.chats[p.ID] == nil {
			s.chats[p.ID] = &tgChat{ID: p.ID, Type: tgPrivate, Topics: map[string]int64{}}
		}
		return s.chats[p.ID]
	}
	id, ok := s.names[name]
	if !ok {
		id = -1_001_000_000_001 - int64(len(s.names))
		s.names[name] = id
		c := &tgChat{ID: id, Type: "supergroup", Title: name, Topics: map[string]int64{}}
		if kind == gateway.Channel {
			c.Type = "channel"
		}
		s.chats[id] = c
	}
	return s.chats[id]
}

// topic is the id of a topic; 0 for none.
func (c *tgChat) topic(name string) int64 {
	if name == "" {
		return 0
	}
	if c.Topics[name] == 0 {
		m := c.add(&tgMessage{})
		c.Topics[name] = m.id
	}
	return c.Topics[name]
}

// hasTopic reports whether a chat has a topic.
func (c *tgChat) hasTopic(id int64) bool {
	for _, topic := range c.Topics {
		if topic == id {
			return true
		}
	}
	return false
}

// add gives a message its id.
func (c *tgChat) add(m *tgMessage) *tgMessage {
	m.id = int64(len(c.Messages)) + 2 // 1 is the General topic
	c.Messages = append(c.Messages, m)
	return m
}

// message finds a message; nil if there is none.
func (c *tgChat) message(id int64) *tgMessage {
	if id < 2 || id-2 >= int64(len(c.Messages)) {
		return nil
	}
	return c.Messages[id-2]
}

// attached is the file of a message as the Bot API shows it, with the name of the member.
func (m *tgMessage) attached(id string) (name string, file any) {
	out := map[string]any{"file_id": id, "file_unique_id": "u", "file_size": len(m.file.Data)}
	switch m.kind {
	case gateway.Photo:
		out["width"], out["height"] = 64, 64
		return "photo", []any{out}
	case gateway.Voice:
		out["duration"], out["mime_type"] = 1, m.mime
		return "voice", out
	case gateway.Document:
	}
	out["file_name"], out["mime_type"] = m.file.Name, cmp.Or(m.mime, "text/plain")
	return "document", out
}

// messageJSON is a message as the Bot API shows it.
func (s *Telegram) messageJSON(c *tgChat, m *tgMessage) map[string]any {
	chat := map[string]any{"id": c.ID, "type": c.Type}
	if c.Title != "" {
		chat["title"] = c.Title
	}
	out := map[string]any{"message_id": m.id, "date": m.date, "chat": chat}
	if c.Type == "channel" {
		out["sender_chat"] = chat
	} else {
		out["from"] = m.from
	}
	if m.thread != 0 {
		out["message_thread_id"], out["is_topic_message"] = m.thread, true
	}
	key := "text"
	if m.file != nil {
		key = "caption"
		name, file := m.attached(tgFileID(c, m))
		out[name] = file
	}
	if m.text != "" {
		out[key] = m.text
	}
	if r := c.message(m.replyTo); r != nil {
		reply := *r
		reply.replyTo = 0
		out["reply_to_message"] = s.messageJSON(c, &reply)
	}
	return out
}
