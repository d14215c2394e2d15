package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disgoorg/snowflake/v2"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// said reads a message as an event. It reports whether a person wrote it.
func (a *Adapter) said(ctx context.Context, m *message) (gateway.Event, bool, error) {
	if m.Author.ID == a.account {
		a.channels.join(m.ChannelID) // who writes in a thread joins it
	}
	if !byPerson(m) {
		return gateway.Event{}, false, nil
	}
	if !areIDs(m.ID, m.ChannelID) {
		return gateway.Event{}, false, errUnreadable
	}
	at, ch, err := a.place(ctx, m.ChannelID, m.GuildID != "")
	if err != nil {
		return gateway.Event{}, false, err
	}
	guild := cmp.Or(m.GuildID, ch.guild) // a fetched message does not name its guild
	own, err := a.ownMarks(ctx, m, guild)
	if err != nil {
		return gateway.Event{}, false, err
	}
	known := a.namesOf(ctx, guild, m.Content, m)
	text, named := cutMentions(m.Content, own, &known)
	e := gateway.Event{
		ID: m.ID, Kind: gateway.Said, Place: at, Type: ch.kind, Title: ch.name, Message: gateway.MessageID(m.ID),
		From:   gateway.Sender{ID: m.Author.ID, Name: nameOf(&m.Author, m.Member)},
		Text:   text,
		Files:  files(m.Attachments, m.Flags),
		Things: things(m.Stickers, m.Poll),
		At:     timeOf(m.Timestamp),
	}
	if e.At.IsZero() {
		e.At = idTime(m.ID)
	}
	a.quotes(ctx, guild, m, &e)
	e.Addressed = ch.kind == gateway.DM || named || ch.joined || isMine(e.Replied)
	if named {
		a.channels.join(m.ChannelID) // Discord adds whom a thread mentions
	}
	return e, true, nil
}

// ownMarks are the insides of the marks that mention the bot in a message: itself, or a role of
// its own.
func (a *Adapter) ownMarks(ctx context.Context, m *message, guild string) ([]string, error) {
	var own []string
	if slices.ContainsFunc(m.Mentions, func(p mentioned) bool { return p.ID == a.account }) {
		own = append(own, "@"+a.account, "@!"+a.account)
	}
	roles, err := a.roles.mine(ctx, guild, m.Roles)
	for _, id := range roles {
		own = append(own, "@&"+id)
	}
	return own, err
}

// isMine reports whether there is a message that the bot sent.
func isMine(q *gateway.Quoted) bool { return q != nil && q.Mine }

// byPerson reports whether a person wrote a message: no bot, and not Discord itself.
func byPerson(m *message) bool {
	written := m.Type == typeDefault || m.Type == typeReply
	return written && !m.Author.Bot && m.WebhookID == ""
}

// quotes fills in the messages of which one speaks.
func (a *Adapter) quotes(ctx context.Context, guild string, m *message, e *gateway.Event) {
	ref := m.Reference
	switch {
	case ref == nil:
	case ref.Type == forwardReference:
		q := &gateway.Quoted{Message: gateway.MessageID(ref.MessageID)}
		for i := range m.Snapshots {
			s := &m.Snapshots[i].Message
			q.Text = a.quoted(ctx, guild, s)
			e.Files = append(e.Files, files(s.Attachments, s.Flags)...)
			e.Things = append(e.Things, things(s.Stickers, nil)...)
		}
		e.Forwarded = q
	case m.Type == typeReply:
		q := &gateway.Quoted{Message: gateway.MessageID(ref.MessageID)}
		if r := m.Referenced; r != nil {
			q.Name, q.Mine = nameOf(&r.Author, r.Member), r.Author.ID == a.account
			q.Text = gateway.Shown(a.quoted(ctx, guild, r), things(r.Stickers, r.Poll), files(r.Attachments, r.Flags))
		}
		e.Replied = q
	}
}

// quoted is the text of a message of which another one speaks, as people see it.
func (a *Adapter) quoted(ctx context.Context, guild string, m *message) string {
	text := withEmbeds(m.Content, m.Embeds)
	known := a.namesOf(ctx, guild, text, m)
	text, _ = cutMentions(text, nil, &known)
	return text
}

// edited reads a changed message. Discord also sends one when it adds a preview of a link:
// then nobody changed the text.
func (a *Adapter) edited(ctx context.Context, m *message) (gateway.Event, bool, error) {
	if m.EditedAt == "" || m.Author.ID == "" {
		return gateway.Event{}, false, nil
	}
	e, ok, err := a.said(ctx, m)
	e.Kind, e.ID = gateway.Edited, m.ID+"/"+m.EditedAt
	if t := timeOf(m.EditedAt); !t.IsZero() {
		e.At = t
	}
	return e, ok, err
}

// idTime is the time in an id.
func idTime(id string) time.Time {
	n, err := snowflake.Parse(id)
	if err != nil {
		return time.Time{}
	}
	return n.Time()
}

// files are the attachments of a message.
func files(list []attachment, flags int) []gateway.FileRef {
	var out []gateway.FileRef
	for _, f := range list {
		kind := gateway.Document
		switch {
		case strings.HasPrefix(f.ContentType, "image/"):
			kind = gateway.Photo
		case flags&flagVoice != 0:
			kind = gateway.Voice
		}
		mime, _, _ := strings.Cut(f.ContentType, ";")
		out = append(out, gateway.FileRef{Ref: f.URL, Kind: kind, Name: f.Filename, Mime: mime, Size: max(0, f.Size)})
	}
	return out
}

// things are the stickers and the poll of a message.
func things(stickers, asked json.RawMessage) []gateway.Thing {
	var out []gateway.Thing
	if list := gateway.ReadPart[[]sticker](stickers); list != nil {
		for _, s := range *list {
			out = append(out, gateway.NewThing("sticker", s.Name))
		}
	}
	if p := gateway.ReadPart[poll](asked); p != nil && p.Question.Text != "" {
		var answers []string
		for _, a := range p.Answers {
			answers = append(answers, a.Media.Text)
		}
		out = append(out, gateway.PollOf(p.Question.Text, answers))
	}
	return out
}

// acted reads a command or a press of a button.
func (a *Adapter) acted(ctx context.Context, in *interaction) (gateway.Event, bool, error) {
	from := in.person()
	known := in.Type == interactionCommand || in.Type == interactionComponent
	if from == nil || !known {
		return gateway.Event{}, false, nil
	}
	if !areIDs(in.ID, in.ChannelID) {
		return gateway.Event{}, false, errUnreadable
	}
	a.channels.learn(in)
	at, ch, err := a.place(ctx, in.ChannelID, in.GuildID != "")
	if err != nil {
		return gateway.Event{}, false, err
	}
	e := gateway.Event{
		ID: in.ID, Kind: gateway.Called, Place: at, Type: ch.kind, Title: ch.name, Addressed: true,
		From: gateway.Sender{ID: from.ID, Name: nameOf(from, in.Member)}, At: idTime(in.ID),
		Interaction: (&handle{app: in.AppID, id: in.ID, token: in.Token, command: in.Type == interactionCommand}).String(),
	}
	if in.Type == interactionCommand {
		e.Text = "/" + in.Data.Name + values(in.Data.Options)
		return e, true, nil
	}
	e.Kind, e.Button = gateway.Pressed, in.Data.CustomID
	if in.Message != nil {
		e.Message = gateway.MessageID(in.Message.ID)
	}
	return e, true, nil
}

// person is who calls or presses; nil if that is no person.
func (in *interaction) person() *user {
	from := in.User
	if in.Member != nil && in.Member.User != nil {
		from = in.Member.User
	}
	if from == nil || from.Bot {
		return nil
	}
	return from
}

// learn remembers the channel that came with an event. A thread is asked for: its channel in
// an event does not say whether the bot takes part.
func (c *channels) learn(in *interaction) {
	raw := in.Channel
	if raw == nil || raw.ID != in.ChannelID || !isID(raw.ID) {
		return
	}
	if _, ok := c.known(raw.ID); ok {
		return
	}
	if ch := c.read(raw); ch.parent == "" {
		c.put(raw.ID, ch)
	}
}

// values are the arguments of a command, with the names of subcommands.
func values(list []callOption) string {
	var b strings.Builder
	for _, o := range list {
		if len(o.Value) == 0 {
			b.WriteString(" " + o.Name + values(o.Options))
			continue
		}
		var text string
		if json.Unmarshal(o.Value, &text) != nil {
			text = string(bytes.TrimSpace(o.Value)) // a number, or true
		}
		fmt.Fprintf(&b, " %s", text)
	}
	return b.String()
}
