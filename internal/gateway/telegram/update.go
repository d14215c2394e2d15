package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// update is an update as it was read.
type update struct {
	id int64
	// isEvent is false for what is left out: messages of bots, and what says nothing.
	isEvent bool
	event   gateway.Event
}

// reader makes events out of updates.
type reader struct {
	account string
	me      *models.User
	now     func() time.Time
}

// errNoID is the error of an update without an id.
var errNoID = errors.New("the update has no id")

// read reads one update. If it fails, the update still has its id, if it has one.
func (r *reader) read(raw json.RawMessage) (update, error) {
	var id struct {
		ID int64 `json:"update_id"`
	}
	if err := json.Unmarshal(raw, &id); err != nil {
		return update{}, fmt.Errorf("read the id of an update: %w", err)
	}
	if id.ID <= 0 {
		return update{}, errNoID
	}
	var u models.Update
	if err := json.Unmarshal(raw, &u); err != nil {
		u = models.Update{}
		if err := json.Unmarshal(reduced(raw), &u); err != nil {
			return update{id: id.ID}, fmt.Errorf("read an update: %w", err)
		}
	}
	e, ok := r.event(&u)
	return update{id: id.ID, isEvent: ok, event: e}, nil
}

// event makes an event out of an update. It reports false for what is left out.
func (r *reader) event(u *models.Update) (gateway.Event, bool) {
	e := gateway.Event{ID: strconv.FormatInt(u.ID, 10), Kind: gateway.Said}
	switch {
	case u.Message != nil:
		return r.message(e, u.Message)
	case u.ChannelPost != nil:
		return r.message(e, u.ChannelPost)
	case u.EditedMessage != nil:
		e.Kind = gateway.Edited
		return r.message(e, u.EditedMessage)
	case u.EditedChannelPost != nil:
		e.Kind = gateway.Edited
		return r.message(e, u.EditedChannelPost)
	case u.CallbackQuery != nil:
		return r.press(e, u.CallbackQuery)
	}
	return e, false
}

// message fills in an event with a message.
func (r *reader) message(e gateway.Event, m *models.Message) (gateway.Event, bool) {
	e.Place, e.Type, e.Title = r.place(&m.Chat, m), chatType(m.Chat.Type), m.Chat.Title
	e.Message, e.At = messageID(m.ID), time.Unix(int64(max(m.Date, m.EditDate)), 0).UTC()
	if moved(&e, m) {
		return e, true
	}
	from, ok := r.sender(m)
	if !ok {
		return e, false
	}
	e.From, e.Album, e.Files, e.Things = from, m.MediaGroupID, files(m), things(m)
	text, entities := r.said(m)
	if e.Forwarded = r.forwarded(m, text); e.Forwarded != nil {
		text, entities = "", nil
	}
	mentioned := false
	e.Text, mentioned = cutMentions(text, entities, r.me)
	e.Replied = r.replied(m)
	answers := e.Replied != nil && e.Replied.Mine
	e.Addressed = e.Type == gateway.DM || mentioned || answers
	return e, mentioned || says(&e)
}

// moved makes an event of a message that says that a group has another id. The old group says so, and the new one,
// in any order: each alone is enough.
func moved(e *gateway.Event, m *models.Message) bool {
	switch {
	case m.MigrateToChatID != 0:
		e.MovedTo = strconv.FormatInt(m.MigrateToChatID, 10)
	case m.MigrateFromChatID != 0:
		e.Place.Chat, e.MovedTo = strconv.FormatInt(m.MigrateFromChatID, 10), e.Place.Chat
	default:
		return false
	}
	e.Kind = gateway.Moved
	return true
}

// says reports whether a message has a text, a file or a thing, or passes one on.
func says(e *gateway.Event) bool {
	return e.Text != "" || e.Forwarded != nil || len(e.Files)+len(e.Things) > 0
}

// press fills in an event with the press of a button.
func (r *reader) press(e gateway.Event, q *models.CallbackQuery) (gateway.Event, bool) {
	e.Kind, e.Button, e.Interaction, e.Addressed, e.At = gateway.Pressed, q.Data, q.ID, true, r.now().UTC()
	e.From = person(&q.From)
	switch m := q.Message.Message; {
	case m != nil:
		e.Place, e.Type, e.Title, e.Message = r.place(&m.Chat, m), chatType(m.Chat.Type), m.Chat.Title, messageID(m.ID)
	case q.Message.InaccessibleMessage != nil:
		old := q.Message.InaccessibleMessage
		e.Place, e.Type, e.Title, e.Message = r.place(&old.Chat, nil), chatType(old.Chat.Type), old.Chat.Title, messageID(old.MessageID)
	}
	known := e.Message != "" && e.Place.Chat != "0"
	return e, known && q.Data != "" && !q.From.IsBot
}

// place is where a message stands. A supergroup numbers every chain of replies as a
// thread; only a topic is one, and the topic General is the chat.
func (r *reader) place(chat *models.Chat, m *models.Message) gateway.Place {
	p := gateway.Place{Platform: gateway.Telegram, Account: r.account, Chat: strconv.FormatInt(chat.ID, 10)}
	if m != nil && m.IsTopicMessage && m.MessageThreadID > 1 {
		p.Thread = strconv.Itoa(m.MessageThreadID)
	}
	return p
}

// chatType is who can read a chat.
func chatType(t models.ChatType) gateway.ChatType {
	switch t {
	case models.ChatTypePrivate:
		return gateway.DM
	case models.ChatTypeChannel:
		return gateway.Channel
	default:
		return gateway.Group
	}
}

// sender is who sent a message. It reports false for bots. Somebody who speaks as a chat
// has a bot in the field of the user.
func (r *reader) sender(m *models.Message) (gateway.Sender, bool) {
	switch {
	case m.ViaBot != nil && m.ViaBot.ID == r.me.ID:
		return gateway.Sender{}, false
	case m.SenderChat != nil:
		name := m.SenderChat.Title
		if m.AuthorSignature != "" {
			name = m.AuthorSignature
		}
		return gateway.Sender{ID: strconv.FormatInt(m.SenderChat.ID, 10), Name: name}, true
	case m.From == nil || m.From.IsBot:
		return gateway.Sender{}, false
	}
	return person(m.From), true
}

// person is a user as a sender.
func person(u *models.User) gateway.Sender {
	return gateway.Sender{ID: strconv.FormatInt(u.ID, 10), Name: userName(u)}
}

// userName is the name that a user shows.
func userName(u *models.User) string {
	name := strings.TrimSpace(u.FirstName + " " + u.LastName)
	if name == "" {
		name = u.Username
	}
	return name
}

// said are the words of a message with its code as Markdown. A command stays as it is, so that its arguments have no marks.
func (r *reader) said(m *models.Message) (string, []models.MessageEntity) {
	text, entities := words(m)
	if m.ForwardOrigin == nil && slices.ContainsFunc(entities, isCode) {
		if bare, _ := cutMentions(text, entities, r.me); gateway.GivesCommand(bare) {
			return text, entities
		}
	}
	return withCode(text, entities)
}

// words are a message's text, or its caption, with the addresses of links, or the emoji of its sticker.
func words(m *models.Message) (string, []models.MessageEntity) {
	switch {
	case m.Text != "":
		return withLinks(m.Text, m.Entities)
	case m.Caption != "":
		return withLinks(m.Caption, m.CaptionEntities)
	case m.Sticker != nil:
		return m.Sticker.Emoji, nil
	}
	return "", nil
}

// messageID is a message's id as text.
func messageID(id int) gateway.MessageID { return gateway.MessageID(strconv.Itoa(id)) }
