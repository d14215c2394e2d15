package slack

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

const (
	maxPeople  = 4096
	maxThreads = 16384
	// nameLife is how long a name is kept, and retryLife how long it is not asked for again
	// after a failure.
	nameLife  = time.Hour
	retryLife = time.Minute
	// threadLife is how long the bot takes part in a thread.
	threadLife = 30 * 24 * time.Hour
)

// person is what is known of a person.
type person struct{ name, zone string }

// chat is what is known of a chat.
type chat struct {
	kind  gateway.ChatType
	title string
	// absent says that the bot is not in the chat, so that it cannot write there.
	absent bool
}

// person looks up the name of a person and the time zone; both are "" if Slack does not tell.
func (a *Adapter) person(ctx context.Context, id string) person {
	now := a.now()
	if p, ok := a.people.get(id, now); ok {
		return p
	}
	var r struct {
		answer
		User struct {
			Name    string `json:"name"`
			Real    string `json:"real_name"`
			Zone    string `json:"tz"`
			Profile struct {
				Display string `json:"display_name"`
				Real    string `json:"real_name"`
			} `json:"profile"`
		} `json:"user"`
	}
	life := nameLife
	if err := a.look(ctx, "users.info", url.Values{"user": {id}}, &r); err != nil {
		life = retryLife
	}
	u := &r.User
	p := person{name: oneLine(cmp.Or(u.Profile.Display, u.Profile.Real, u.Real, u.Name)), zone: u.Zone}
	a.people.put(id, p, now, now.Add(life))
	return p
}

// chat looks up the name and the type of a chat. Without an answer the id says whether it is
// a DM, and all else is a channel. A DM that the bot does not find is one of other people, who
// can give commands there.
func (a *Adapter) chat(ctx context.Context, id string) chat {
	now := a.now()
	if c, ok := a.chats.get(id, now); ok {
		return c
	}
	var r struct {
		answer
		Channel struct {
			Name   string `json:"name"`
			IsIM   bool   `json:"is_im"`
			IsMPIM bool   `json:"is_mpim"`
			Member *bool  `json:"is_member"`
		} `json:"channel"`
	}
	life := nameLife
	err := a.look(ctx, "conversations.info", url.Values{"channel": {id}}, &r)
	if err != nil {
		life = retryLife
	}
	direct := strings.HasPrefix(id, "D")
	c := chat{kind: gateway.Channel, title: oneLine(r.Channel.Name)}
	switch {
	case r.Channel.IsMPIM, direct && isCode(err, "channel_not_found"):
		c.kind = gateway.Group
	case r.Channel.IsIM, direct:
		c = chat{kind: gateway.DM}
	}
	outside := r.Channel.Member != nil && !*r.Channel.Member && c.kind == gateway.Channel
	if c.absent = outside || isCode(err, "channel_not_found"); c.absent {
		life = retryLife // the bot may be invited
	}
	a.chats.put(id, c, now, now.Add(life))
	return c
}

// look asks Slack for a name. An event must not wait for it long.
func (a *Adapter) look(ctx context.Context, method string, args url.Values, into interface{ status() error }) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.lookup)
	defer cancel()
	err := a.call(ctx, method, args, into)
	if err != nil {
		a.log.DebugContext(ctx, "slack: a name is not known", "method", method, "err", harmless(err))
	}
	return err
}

// oneLine is a name on one line.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }

// joined reports whether the bot takes part in a thread.
func (a *Adapter) joined(chat, thread string) bool {
	_, ok := a.threads.get(chat+":"+thread, a.now())
	return ok
}

// join remembers that the bot takes part in a thread.
func (a *Adapter) join(chat, thread string) {
	now := a.now()
	a.threads.put(chat+":"+thread, true, now, now.Add(threadLife))
}
