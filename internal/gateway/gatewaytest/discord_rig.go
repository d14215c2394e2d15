package gatewaytest

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// discordRig is a fake in words that fit all platforms.
type discordRig struct {
	*Discord
	ids    map[string]string // of names
	events map[string]discordEvent
	wait   bool
}

// Rig is the fake in words that fit all platforms. adapter makes an adapter for the fake,
// with the fake's clock.
func (d *Discord) Rig(adapter func(t *testing.T, log *slog.Logger) gateway.Adapter) *Rig {
	r := &discordRig{Discord: d, ids: make(map[string]string), events: make(map[string]discordEvent)}
	return &Rig{
		Adapter: adapter,
		Emit:    r.emit,
		Replay:  r.replay,
		Cut:     d.Drop,
		Fault:   r.fault,
		Sent:    d.AllSent,
		Broken:  d.Broken,
		Deletes: true,
		Secrets: []string{DiscordToken, "fake.token"},
	}
}

// idOf is the id of a name, which is made at the first use.
func (r *discordRig) idOf(name string) string {
	if r.ids[name] == "" {
		r.ids[name] = strconv.Itoa(700_000 + len(r.ids))
	}
	return r.ids[name]
}

// channel is the channel of a chat or a thread, which is made at the first use.
func (r *discordRig) channel(a Act) string {
	kinds := map[gateway.ChatType]int{gateway.DM: 1, gateway.Group: 3, gateway.Channel: 0}
	c := DiscordChannel{ID: r.idOf("chat " + a.Chat), Type: kinds[a.Type], Name: a.Chat}
	if a.Type == gateway.Channel {
		c.Guild = r.idOf("guild")
	}
	r.AddChannel(c)
	return c.ID
}

// emit lets something happen. Before the bot has identified for the first time, Discord
// keeps nothing: that is waited for.
func (r *discordRig) emit(t TB, a Act) (string, gateway.MessageID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.Await(ctx, func() bool { return r.Identifies() > 0 && r.hasSession() }); err != nil {
		t.Fatalf("the bot does not identify: %v", err)
	}
	channel := r.channel(a)
	switch a.Kind {
	case gateway.Edited:
		at := r.EditSaid(channel, string(a.Message), a.Text)
		return r.keep(string(a.Message) + "/" + at), a.Message
	case gateway.Deleted:
		r.DeleteSaid(channel, string(a.Message))
		return r.keep(string(a.Message) + "/deleted"), a.Message
	case gateway.Pressed:
		return r.keep(r.Press(channel, r.idOf("person "+a.Name), string(a.Message), a.Button)), a.Message
	}
	id := r.Say(r.said(channel, a))
	return r.keep(id), gateway.MessageID(id)
}

func (d *Discord) hasSession() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.sessions) > 0
}

// keep remembers the newest event of an id.
func (r *discordRig) keep(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	plain, _, _ := strings.Cut(id, "/") // an edit has its time behind
	for _, s := range r.sessions {
		for _, e := range slices.Backward(s.events) { // the bot may have sent a message meanwhile
			if strings.Contains(string(e.data), `"id":"`+plain+`"`) {
				r.events[id] = e
				break
			}
		}
	}
	return id
}

// replay sends events again.
func (r *discordRig) replay(_ TB, ids ...string) {
	for _, id := range ids {
		r.Dispatch(r.events[id].name, r.events[id].data)
	}
}

// said is a message of an act.
func (r *discordRig) said(channel string, a Act) DiscordSaid {
	s := DiscordSaid{Channel: channel, Author: r.idOf("person " + a.Name), Name: a.Name, Text: a.Text, Raw: map[string]any{}}
	switch a.Who {
	case Bot:
		s.Author, s.Raw["author"] = DiscordBot, discordUser()
	case Robot:
		s.Raw["author"] = map[string]any{"id": s.Author, "username": a.Name, "bot": true}
	}
	if a.Mention {
		s.Text = "<@" + DiscordBot + "> " + a.Text
		s.Raw["content"], s.Raw["mentions"] = s.Text, []any{discordUser()}
	}
	if a.ReplyTo != "" {
		s.Raw["type"], s.Raw["message_reference"] = 19, map[string]any{"message_id": string(a.ReplyTo), "channel_id": channel}
		r.mu.Lock()
		if m := r.find(channel, string(a.ReplyTo)); m != nil {
			s.Raw["referenced_message"] = m.raw
		}
		r.mu.Unlock()
	}
	if a.File != nil {
		url := r.AddFile("/attachments/"+channel+"/"+a.File.Name, a.File.Data)
		s.Raw["attachments"] = []any{map[string]any{
			"id": "1", "filename": a.File.Name, "size": len(a.File.Data), "url": url, "content_type": a.mime(),
		}}
		if a.FileKind == gateway.Voice {
			s.Raw["flags"] = 1 << 13
		}
	}
	return s
}

// fault makes the fake fail in a way that all platforms know. The wait that the fake asked
// for is over with the fault.
func (r *discordRig) fault(f Fault) {
	r.off.Store(f == Unreachable)
	r.mu.Lock()
	r.badToken = f == BadToken
	r.mu.Unlock()
	if r.wait {
		r.Advance(WaitTime * time.Second)
	}
	r.wait = f == Wait
	faults := map[Fault]DiscordFault{
		Wait: {RetryAfter: WaitTime * time.Second}, BadText: {Code: 50035, Field: "content"}, GoneChat: {Code: 10003}, Refusal: {Code: 50013},
		CutBefore: {CutBefore: true}, CutAfter: {CutAfter: true},
	}
	for _, route := range []string{"POST /channels/{channel}/messages", "PATCH /channels/{channel}/messages/{message}"} {
		r.Always(route, faults[f])
	}
	page := DiscordFault{}
	if f == Page {
		page.Status = http.StatusBadGateway
	}
	r.Always("", page)
}

// AllSent returns the messages of the bot in all channels, oldest first.
func (d *Discord) AllSent() []Sent {
	var out []Sent
	d.mu.Lock()
	channels := make([]DiscordChannel, 0, len(d.channels))
	for _, c := range d.channels {
		channels = append(channels, *c)
	}
	d.mu.Unlock()
	for _, c := range channels {
		for _, m := range d.Sent(c.ID) {
			if m.Nonce == "" {
				continue // the bot's message in another program
			}
			at := gateway.Place{Platform: gateway.Discord, Account: DiscordBot, Chat: c.ID}
			if c.Parent != "" {
				at.Chat, at.Thread = c.Parent, c.ID
			}
			one := Sent{
				Message: gateway.MessageID(m.ID), Place: at, Text: visibleDiscord(m.Content), ReplyTo: gateway.MessageID(m.ReplyTo),
				Buttons: m.Buttons, Edits: m.Edits, At: snowflakeTime(m.ID), Changed: m.Changed,
			}
			if m.Edits == 0 {
				one.Changed = one.At
			}
			for name, data := range m.Files {
				one.File = &gateway.File{Name: name, Data: data}
			}
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Sent) int {
		if smallerID(string(a.Message), string(b.Message)) {
			return -1
		}
		return 1
	})
	return out
}

// visibleDiscord is what people see of a text: escapes are undone, and the signs of
// emphasis, code and spoilers are gone.
func visibleDiscord(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && strings.IndexByte("\\*_~`|>#-[]<(:@.", text[i+1]) >= 0:
			i++
			b.WriteByte(text[i])
		case strings.IndexByte("*_`", c) >= 0:
		case (c == '~' || c == '|') && i+1 < len(text) && text[i+1] == c:
			i++
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
