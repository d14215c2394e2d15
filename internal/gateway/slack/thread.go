package slack

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxFirst is how much of the first message of a thread is kept, in bytes: more than is shown of it, so that it is seen
// where more was cut off.
const maxFirst = 20 << 10

// thread is the thread that a message stands in; "" for none. Slack lets the first message of
// a thread name itself.
func (m *message) thread() string {
	if m.ThreadTS == m.TS {
		return ""
	}
	return m.ThreadTS
}

// first is the first message of a thread.
type first struct {
	name, raw string // the text in Slack's mrkdwn
	mine      bool
}

// replied is the first message of the thread that a message stands in; nil outside threads.
// Its words are looked up where the conversation does not hold them: in a DM, which is one
// conversation with all its threads, and at the first mention in a thread.
func (r *reader) replied(ctx context.Context, m *message, kind gateway.ChatType, mentioned bool) *gateway.Quoted {
	thread := m.thread()
	if thread == "" {
		return nil
	}
	q := &gateway.Quoted{Message: gateway.MessageID(thread), Mine: m.ParentUserID != "" && m.ParentUserID == r.self.user}
	q.Held = r.holds(m, kind, mentioned)
	if !q.Held {
		f := r.first(ctx, m.Channel, thread)
		q.Name, q.Mine = f.name, q.Mine || f.mine
		q.Text, _ = r.text(ctx, f.raw)
	}
	return q
}

// holds reports whether the conversation that a message belongs to has the first message of its thread.
func (r *reader) holds(m *message, kind gateway.ChatType, mentioned bool) bool {
	if kind == gateway.DM {
		return false
	}
	return !mentioned || r.hears(m)
}

// first looks up the first message of a thread. It may be one of another app.
func (a *Adapter) first(ctx context.Context, chat, thread string) first {
	now, key := a.now(), chat+":"+thread
	if f, ok := a.roots.get(key, now); ok {
		return f
	}
	var p page
	life := nameLife
	if err := a.look(ctx, "conversations.replies", url.Values{"channel": {chat}, "ts": {thread}, "limit": {"1"}}, &p); err != nil {
		life = retryLife
	}
	var f first
	for _, m := range each[message](p.Messages) {
		if m.TS != thread {
			continue
		}
		f = first{name: m.Username, raw: m.words(), mine: a.mine(&m)}
		if m.User != "" && f.name == "" {
			f.name = a.person(ctx, m.User).name
		}
	}
	a.roots.put(key, f, now, now.Add(life))
	return f
}

// words are the text of a message, or what an app has put in its place.
func (m *message) words() string {
	text := m.Text
	for _, at := range each[attachment](m.Attachments) {
		text = cmp.Or(text, at.Text, at.Fallback)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxFirst)], "")
}
