package gateway

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/owner"
)

// message is a text to be sent to a chat, in as many parts as it needs.
type message struct {
	origin      string // the turn, the command or the delivery that it belongs to
	command     string // the command that names the message in place of its origin, which other messages have; "" for none
	text        string // Markdown
	note        string // a line behind the text, in its last part; "" for none
	replyTo     MessageID
	interaction string
	buttons     []Button // under the last part
	unsent      bool     // no part of it can have been sent before
}

const (
	// mostParts is how many parts a text is sent in. A longer one is sent as a file behind
	// its first parts.
	mostParts = 8
	// shownOfLong is how many parts of such a text are sent; more if they were shown before.
	shownOfLong = 2
	// longName is the name of the file.
	longName = "answer.md"
	// longCaption is the text beside the file. Platforms take only a short one.
	longCaption = "The whole answer is in this file."
)

// compose cuts a text into messages. Messages that were sent for the same origin while the
// text was being written are among them, so that they get the final text.
func (g *Gateway) compose(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, m *message) ([]Send, error) {
	before, err := g.sentBefore(ctx, o, chat, m)
	if err != nil {
		return nil, err
	}
	shown := len(before)
	if shown > 0 && before[shown-1].File != nil {
		shown-- // the file of an earlier try
	}
	texts, file := partsOf(bot, m.noted(m.text), shown)
	for len(texts) < shown {
		texts = append(texts, emptied) // the answer has become shorter than what was shown of it
	}
	if file != nil {
		file.Data = []byte(m.text)
		texts = append(texts, m.noted(longCaption)) // a message of its own: no platform adds a file to one that was sent
	}
	now := g.moment()
	list := make([]Send, len(texts))
	for i, text := range texts {
		list[i] = Send{
			ID: sendID(o, chat.Place, cmp.Or(m.command, m.origin), i), Place: chat.Place, Type: chat.Type, Origin: m.origin, Part: i, Text: text,
			State: bot.unsent(), CreatedAt: now,
		}
		if refers(chat.Type, i) {
			list[i].ReplyTo = m.replyTo
		}
		if i >= shown {
			continue
		}
		list[i].ID = before[i].ID      // that of another place if the chat has another id now
		if before[i].State == GaveUp { // the store keeps it so
			list[i].State, list[i].Error = GaveUp, before[i].Error
		}
	}
	list[0].Interaction = m.interaction
	last := &list[len(list)-1]
	last.Buttons, last.File = m.buttons, file
	return list, nil
}

// noted is a text with the note of the message behind it.
func (m *message) noted(text string) string {
	if m.note == "" {
		return text
	}
	return markdown.Complete(text) + "\n\n" + m.note
}

// sentBefore are the messages of a text's origin that are stored already.
func (g *Gateway) sentBefore(ctx context.Context, o owner.Owner, chat *Chat, m *message) ([]Send, error) {
	if m.unsent || m.command != "" {
		return nil, nil
	}
	list, err := g.store.SendsOf(ctx, o, chat.Place, m.origin)
	if err != nil {
		return nil, fmt.Errorf("read what was sent: %w", err)
	}
	return list, nil
}

// emptied is the text of a message that is no longer needed.
const emptied = "–"

// partsOf are the parts of a text, as Markdown, and the file that holds all of it if it is
// very long; nil otherwise. shown is how many messages show the text already.
func partsOf(bot *Bot, text string, shown int) ([]string, *File) {
	parts := split(bot, text)
	var file *File
	if len(parts) > mostParts && bot.Adapter.Limits().FileSize > 0 {
		file = &File{Name: longName, Data: []byte(text)}
		parts = parts[:min(max(shownOfLong, shown), mostParts)]
	}
	out := make([]string, len(parts))
	for i := range parts {
		out[i] = parts[i].Source
	}
	return out, file
}

// split cuts a text as a platform needs it. There is at least one part.
func split(bot *Bot, text string) []markdown.Part {
	l := bot.Adapter.Limits()
	if parts := markdown.Split(text, l.Length, l.Count, l.Dialect); len(parts) > 0 {
		return parts
	}
	return []markdown.Part{{Source: text, Text: text}}
}

// outOf is a stored message as it is sent.
func outOf(bot *Bot, s *Send) *Out {
	out := &Out{
		ID: s.ID, Place: s.Place, Type: s.Type, ReplyTo: s.ReplyTo, Buttons: s.Buttons, File: s.File, Interaction: s.Interaction, Plain: s.Plain,
	}
	if s.Type == DM {
		out.ReplyTo, out.Under = "", s.ReplyTo
	}
	if s.unsent() {
		out.Replaces = s.Message
	}
	dialect := bot.Adapter.Limits().Dialect
	if s.Plain {
		dialect = markdown.Plain
	}
	out.Text = markdown.Render(markdown.Parse(s.Text), dialect)
	return out
}
