package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// begin begins the turn of a batch. A turn that has begun before is left alone.
func (g *Gateway) begin(ctx context.Context, bot *Bot, caller owner.Owner, chat *Chat, b *batch) error {
	earlier, err := g.earlier(ctx, bot, caller, chat, b)
	if err != nil {
		return err
	}
	messages := b.said(chat.Type, earlier)
	_, err = g.runs.Start(ctx, caller, live.Spec{
		ID: b.run, Kind: live.KindPlatform, OnRestart: live.Retry, Patience: bot.patience(chat),
		Turn: &run.Request{
			Owner: caller, Session: chat.Session, Key: chat.Key, Source: SourceOf(chat.Place.Platform), UserID: b.events[0].From.ID,
			System:   []session.Message{{Role: session.System, Content: aboutChat(chat)}},
			Messages: messages, Fresh: true, Streaming: true,
		},
	})
	if exists(err) {
		return nil
	}
	return err
}

// patience is how long the pieces of an answer may wait to be stored together: hardly, where people
// see the answer grow.
func (b *Bot) patience(c *Chat) time.Duration {
	if b.streams(c) {
		return 100 * time.Millisecond
	}
	return time.Second
}

// said are the events of a batch as messages of the transcript.
func (b *batch) said(t ChatType, earlier string) []session.Message {
	var out []session.Message
	for i := range b.events {
		if again := b.events[i].again(); again != nil {
			out = append(out, again...)
			continue
		}
		out = append(out, said(&b.events[i], b.filesOf(i), t, earlier))
		earlier = ""
	}
	return out
}

// said is an event as a message of the transcript. Memory reads its content and its name.
// The model reads the wire: who speaks, what is quoted, and which files came with it. earlier is
// what was said before it in its thread, as data; "" for nothing.
func said(e *Inbound, files []received, t ChatType, earlier string) session.Message {
	m := session.Message{Role: session.User, Content: e.spoken(files), SaidAt: e.At, Files: idsOf(files)}
	var before []string
	if t != DM {
		m.Name = cmp.Or(e.Label, e.From.ID) // the label of an event is empty once it was forgotten
		before = append(before, "["+cite.Label(m.Name)+"]")
	}
	if to := e.Replied.repliedTo(); to != "" {
		before = append(before, to)
	}
	body := e.withFiles(files)
	if q := e.Forwarded; q != nil {
		body = strings.TrimSpace(body + "\n" + q.passedOn())
	}
	if body == "" {
		body = textMentioned
	}
	if m.Content == "" { // nothing is learnt from what others said, or from a file's name
		m.Content, m.Note = body, session.EchoNote
	}
	if content := strings.TrimSpace(earlier + strings.Join(append(before, body), " ")); content != m.Content {
		m.Wire = wireOf(content)
	}
	return m
}

// textMentioned stands for a message that only mentions the bot.
const textMentioned = "[mentions you, without words]"

// wireOf is a message of a user as it is sent to a model.
func wireOf(content string) []byte {
	out, err := json.Marshal(map[string]string{"role": string(session.User), "content": content})
	if err != nil {
		return nil // text always has a form in JSON
	}
	return out
}

// aboutChat tells the model where it speaks. It is the same for all turns of a chat.
func aboutChat(c *Chat) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are in a %s chat on %s", chatWord(c.Type), cite.Line(string(c.Place.Platform)))
	if c.Title != "" {
		fmt.Fprintf(&b, ", called %s", cite.Quoted(c.Title))
	}
	b.WriteString(".")
	if c.Type != DM {
		b.WriteString(" Several people speak; each message begins with its speaker in square brackets.")
	}
	b.WriteString(" Write Markdown. If nothing needs to be said, answer with [SILENT] alone.")
	return b.String()
}

// chatWord is a type of chat in a sentence.
func chatWord(t ChatType) string {
	if t == DM {
		return "private"
	}
	return string(t)
}
