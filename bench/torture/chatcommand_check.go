package main

import (
	"context"
	"fmt"
	"strings"
)

// met counts what the kill has met.
func (c *commanding) met(ctx context.Context, list []*obeyed) error {
	for _, o := range list {
		c.done++
		state, err := c.one(ctx, `SELECT state FROM chat_events WHERE platform = ? AND event_id = ?`, o.f.platform, o.event)
		if err != nil {
			return err
		}
		plan, err := c.one(ctx, `SELECT plan FROM chat_events WHERE platform = ? AND event_id = ?`, o.f.platform, o.event)
		if err != nil {
			return err
		}
		effect, err := c.effect(ctx, o)
		if err != nil {
			return err
		}
		switch {
		case effect && state == "waiting":
			c.effected++
		case !effect && plan != "":
			c.planned++
		}
	}
	return nil
}

// effect reports whether the file has the effect of a command.
func (c *commanding) effect(ctx context.Context, o *obeyed) (bool, error) {
	if o.command == "/new" {
		now, err := c.one(ctx, `SELECT session_id FROM chats WHERE platform = ? AND chat_id = ?`, o.f.platform, o.chat)
		return now != o.session, err
	}
	n, err := c.one(ctx, `SELECT count(*) FROM messages WHERE root_id = ? AND undone_at IS NOT NULL`, o.session)
	return n != "0", err
}

// check waits until a command is over, says one thing more, and compares the chat with what
// must have become of it.
func (c *commanding) check(ctx context.Context, o *obeyed) error {
	err := until(ctx, "the end of "+o.command, func() (bool, error) {
		open, err := c.one(ctx, `SELECT count(*) FROM chat_events WHERE platform = ? AND chat_id = ? AND state IN ('waiting', 'taken')`, o.f.platform, o.chat)
		if err != nil || open != "0" {
			return false, err
		}
		open, err = c.one(ctx, `SELECT count(*) FROM chat_sends WHERE platform = ? AND chat_id = ? AND state NOT IN ('sent', 'failed')`, o.f.platform, o.chat)
		return open == "0", err
	})
	if err != nil {
		return err
	}
	o.f.say(o.who, asks(o.after, 1))
	if err := o.await(ctx, o.after); err != nil {
		return err
	}
	wrong, err := c.wrong(ctx, o)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(wrong) > 0 {
		c.t.miss("%s on %s (%s, during an answer: %v): %s", o.command, o.f.platform, o.who, o.during != "", strings.Join(wrong, ", "))
		return nil
	}
	c.once++
	return nil
}

// expectation is what a chat must look like behind a command.
type expectation struct {
	standing, undone int // questions in the session from before
	sessions         int // that the chat has had
	last             int // answers at the platform to the last question from before
}

// expected is the expectation for a command.
func (o *obeyed) expected() expectation {
	switch {
	case o.command == "/new" && o.during != "":
		return expectation{standing: 4, sessions: 2, last: 1}
	case o.command == "/new":
		return expectation{standing: 3, sessions: 2, last: 1}
	case o.command == "/retry":
		return expectation{standing: 4, undone: 1, sessions: 1, last: 2}
	case o.during != "":
		return expectation{standing: 4, undone: 1, sessions: 1, last: 1}
	}
	return expectation{standing: 3, undone: 1, sessions: 1, last: 1}
}

// wrong is what is not as expected. The message behind the command is one of the standing
// ones if there is one session.
func (c *commanding) wrong(ctx context.Context, o *obeyed) (out []string, err error) {
	want := o.expected()
	questions := `SELECT count(*) FROM messages WHERE root_id = ? AND role = 'user' AND undone_at IS `
	rows := []struct {
		what, query string
		args        []any
		want        int
	}{
		{"standing questions", questions + `NULL`, []any{o.session}, want.standing},
		{"undone questions", questions + `NOT NULL`, []any{o.session}, want.undone},
		{
			"sessions", `SELECT count(*) FROM sessions WHERE session_key = (SELECT session_key FROM chats WHERE platform = ? AND chat_id = ?)`,
			[]any{o.f.platform, o.chat}, want.sessions,
		},
		{
			"messages in the session that the chat leads to",
			`SELECT count(*) FROM messages m JOIN chats c ON c.session_id = m.session_id WHERE c.platform = ? AND c.chat_id = ? AND m.content = ?`,
			[]any{o.f.platform, o.chat, asks(o.after, 1)}, 1,
		},
	}
	for _, r := range rows {
		got, err := c.one(ctx, r.query, r.args...)
		if err != nil {
			return nil, err
		}
		if got != fmt.Sprint(r.want) {
			out = append(out, fmt.Sprintf("%s: %s, not %d", r.what, got, r.want))
		}
	}
	said, answers := o.told()
	if begins := replies()[o.command]; begins != "" && said != 1 {
		out = append(out, fmt.Sprintf("%d replies", said))
	}
	if answers != want.last {
		out = append(out, fmt.Sprintf("%d answers to the last question, not %d", answers, want.last))
	}
	return out, nil
}

// told counts the replies to the command, and the answers to the last question before it, in
// the chat.
func (o *obeyed) told() (said, answers int) {
	begins, last := replies()[o.command], o.names[2]
	for _, m := range o.f.rig.Sent() {
		if m.Place.Chat != o.chat {
			continue
		}
		if begins != "" && strings.HasPrefix(m.Text, begins) {
			said++
		}
		if name, _, _ := readLines(m.Text); name == last {
			answers++
		}
	}
	return said, answers
}

// sameTwice says a text whose turn fails, and the same text again; the server is perhaps
// killed between them. Both are messages.
