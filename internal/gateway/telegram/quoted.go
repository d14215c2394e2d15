package telegram

import (
	"strings"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// replied is the message that a message answers; nil for none. Every message of a topic
// answers the topic's first one, which says nothing.
func (r *reader) replied(m *models.Message) *gateway.Quoted {
	to := m.ReplyToMessage
	if to == nil {
		return r.repliedElsewhere(m)
	}
	if m.IsTopicMessage && (to.ForumTopicCreated != nil || to.ID == m.MessageThreadID) {
		return nil
	}
	text, _ := withCode(words(to))
	if m.Quote != nil && m.Quote.Text != "" {
		text, _ = withCode(withLinks(m.Quote.Text, m.Quote.Entities))
	}
	q := &gateway.Quoted{Message: messageID(to.ID), Text: gateway.Shown(text, things(to), files(to))}
	switch {
	case to.SenderChat != nil:
		q.Name = to.SenderChat.Title
	case to.From != nil:
		q.Name, q.Mine = userName(to.From), to.From.ID == r.me.ID
	}
	return q
}

// repliedElsewhere is an answered message of another chat. Its words are told only if the person has quoted them.
func (r *reader) repliedElsewhere(m *models.Message) *gateway.Quoted {
	if m.ExternalReply == nil {
		return nil
	}
	q := r.origin(&m.ExternalReply.Origin)
	if m.Quote != nil && m.Quote.Text != "" {
		q.Text, _ = withCode(withLinks(m.Quote.Text, m.Quote.Entities))
	} else {
		q.Text = shownElsewhere(m.ExternalReply)
	}
	return q
}

// shownElsewhere is what is known of a message of another chat: the chat, and what the message shows besides words.
func shownElsewhere(x *models.ExternalReplyInfo) string {
	title := ""
	if x.Chat != nil {
		title = x.Chat.Title
	}
	list := []gateway.Thing{gateway.NewThing("message of another chat", title)}
	if x.Sticker != nil {
		list = append(list, gateway.NewThing("sticker", x.Sticker.Emoji))
	}
	m := &models.Message{
		Audio: x.Audio, Document: x.Document, Photo: x.Photo, Video: x.Video, VideoNote: x.VideoNote, Voice: x.Voice, Checklist: x.Checklist,
		Contact: x.Contact, Dice: x.Dice, Game: x.Game, Location: x.Location, Poll: x.Poll, Story: x.Story, Venue: x.Venue,
	}
	return gateway.Shown("", append(list, things(m)...), files(m))
}

// forwarded is the message that was passed on; nil for none.
func (r *reader) forwarded(m *models.Message, text string) *gateway.Quoted {
	if m.ForwardOrigin == nil {
		return nil
	}
	q := r.origin(m.ForwardOrigin)
	q.Text = text
	return q
}

// origin is who said a message first.
func (r *reader) origin(o *models.MessageOrigin) *gateway.Quoted {
	switch {
	case o.MessageOriginUser != nil:
		u := &o.MessageOriginUser.SenderUser
		return &gateway.Quoted{Name: userName(u), Mine: u.ID == r.me.ID}
	case o.MessageOriginHiddenUser != nil:
		return &gateway.Quoted{Name: o.MessageOriginHiddenUser.SenderUserName}
	case o.MessageOriginChat != nil:
		return &gateway.Quoted{Name: o.MessageOriginChat.SenderChat.Title}
	case o.MessageOriginChannel != nil:
		c := o.MessageOriginChannel
		return &gateway.Quoted{Message: messageID(c.MessageID), Name: c.Chat.Title}
	}
	return &gateway.Quoted{}
}

// files are the files of a message.
func files(m *models.Message) []gateway.FileRef {
	var out []gateway.FileRef
	add := func(kind gateway.FileKind, id, name, mime string, size int64) {
		out = append(out, gateway.FileRef{Ref: id, Kind: kind, Name: strings.TrimSpace(name), Mime: mime, Size: max(0, size)})
	}
	if p := largest(m.Photo); p != nil {
		add(gateway.Photo, p.FileID, "", "image/jpeg", int64(p.FileSize))
	}
	if f := m.Voice; f != nil {
		add(gateway.Voice, f.FileID, "", f.MimeType, f.FileSize)
	}
	if f := m.Audio; f != nil {
		add(gateway.Document, f.FileID, f.FileName, f.MimeType, f.FileSize)
	}
	if f := m.Video; f != nil {
		add(gateway.Document, f.FileID, f.FileName, f.MimeType, f.FileSize)
	}
	if f := m.VideoNote; f != nil {
		add(gateway.Document, f.FileID, "", "video/mp4", int64(f.FileSize))
	}
	if f := m.Document; f != nil { // an animation is a document, too
		add(gateway.Document, f.FileID, f.FileName, f.MimeType, f.FileSize)
	}
	return out
}

// largest is the largest size of a photo.
func largest(sizes []models.PhotoSize) *models.PhotoSize {
	var best *models.PhotoSize
	for i := range sizes {
		if p := &sizes[i]; best == nil || p.Width*p.Height > best.Width*best.Height {
			best = p
		}
	}
	return best
}
