package slack

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

const (
	pageSize = 200
	// findPages and caughtPages are how many pages Find and CatchUp read.
	findPages, caughtPages = 10, 100
	// maxCaught is how many messages CatchUp returns.
	maxCaught = 100
)

// page is one answer of a method that lists messages.
type page struct {
	answer
	Messages json.RawMessage `json:"messages"`
}

// history reads the messages of a place after one, up to a number of pages. A chat is read
// from its newest message backwards, a thread from its first message onwards. see returns
// false to end the reading. more says that there are messages behind the last page.
func (a *Adapter) history(
	ctx context.Context, at gateway.Place, after gateway.MessageID, pages int, see func(*message) bool,
) (more bool, err error) {
	method := "conversations.history"
	args := url.Values{"channel": {at.Chat}, "limit": {strconv.Itoa(pageSize)}, "include_all_metadata": {"true"}}
	if at.Thread != "" {
		method = "conversations.replies"
		args.Set("ts", at.Thread)
	}
	if after != "" {
		args.Set("oldest", string(after))
	}
	for range pages {
		var p page
		if err := a.call(ctx, method, args, &p); err != nil {
			return false, err
		}
		for _, m := range each[message](p.Messages) {
			if !see(&m) {
				return false, nil
			}
		}
		if p.Meta.Cursor == "" {
			return false, nil
		}
		args.Set("cursor", p.Meta.Cursor)
	}
	return true, nil
}

// Find looks for a message by the id in its metadata, or in the name of its file. It looks
// at the newest 2,000 messages of a chat, or the first 2,000 of a thread. It fails as Send does.
func (a *Adapter) Find(ctx context.Context, o *gateway.Out) (id gateway.MessageID, found bool, err error) {
	if err := a.introduced(ctx); err != nil { // else none of the messages would be the bot's
		return "", false, failure(err, false)
	}
	_, err = a.history(ctx, standing(o), "", findPages, func(m *message) bool {
		if found = m.TS != string(o.Replaces) && a.mine(m) && carries(m, o); found {
			id = gateway.MessageID(m.TS)
		}
		return !found
	})
	if err != nil {
		return "", false, failure(err, false)
	}
	return id, found, nil
}

// mine reports whether the bot wrote a message.
func (a *Adapter) mine(m *message) bool {
	self := a.who()
	return self.user != "" && m.User == self.user || self.bot != "" && m.BotID == self.bot
}

// carries reports whether a message is the one that was to be sent.
func carries(m *message, o *gateway.Out) bool {
	if o.File != nil {
		name := fileName(o)
		return slices.ContainsFunc(each[file](m.Files), func(f file) bool { return f.Name == name })
	}
	var d struct {
		Type    string `json:"event_type"`
		Payload struct {
			ID string `json:"id"`
		} `json:"event_payload"`
	}
	return json.Unmarshal(m.Metadata, &d) == nil && d.Type == metadataType && d.Payload.ID == o.ID
}

// CatchUp returns the messages of a place after one, oldest first. It fails as Send does.
func (a *Adapter) CatchUp(ctx context.Context, at gateway.Place, after gateway.MessageID) ([]gateway.Event, error) {
	r := a.reader()
	c := caught{newest: after == "", kind: channelType(a.chat(ctx, at.Chat).kind)}
	more, err := a.history(ctx, at, after, caughtPages, func(m *message) bool {
		m.Channel, m.ChannelType = at.Chat, c.kind
		if r.human(m) && (after == "" || later(m.TS, string(after))) {
			c.add(m)
		}
		enough := c.newest && at.Thread == "" && len(c.list) == maxCaught
		return !enough
	})
	if err != nil {
		return nil, failure(err, false)
	}
	if more {
		a.log.WarnContext(ctx, "slack: more was said in a chat than is read again", "pages", caughtPages)
	}
	var events []gateway.Event
	for _, m := range c.sorted() {
		events = append(events, r.message(ctx, &m)...)
	}
	return events, nil
}

// caught are the oldest, or the newest, messages of those that are added.
type caught struct {
	newest bool
	kind   string
	list   []message
}

// add adds a message. Of a long list, it drops what will not be returned.
func (c *caught) add(m *message) {
	if c.list = append(c.list, *m); len(c.list) >= 4*maxCaught {
		c.list = c.sorted()
	}
}

// sorted are the messages that are returned, oldest first.
func (c *caught) sorted() []message {
	slices.SortFunc(c.list, func(x, y message) int { return order(x.TS, y.TS) })
	n := min(len(c.list), maxCaught)
	if c.newest {
		return c.list[len(c.list)-n:]
	}
	return c.list[:n]
}

// channelType is how Slack calls the type of a chat.
func channelType(kind gateway.ChatType) string {
	switch kind {
	case gateway.DM:
		return "im"
	case gateway.Group:
		return "mpim"
	default:
		return "channel"
	}
}

// later reports whether one id is of a later message.
func later(ts, than string) bool { return order(ts, than) > 0 }

// order compares ids by their time.
func order(a, b string) int {
	at, aok := clock(a)
	bt, bok := clock(b)
	if aok && bok {
		return at.Compare(bt)
	}
	return strings.Compare(a, b)
}
