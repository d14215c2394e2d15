package discord

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Types of channels.
const (
	channelDM           = 1
	channelGroupDM      = 3
	channelAnnouncement = 10 // a thread
	channelPublic       = 11 // a thread
	channelPrivate      = 12 // a thread
)

// Bounds of what is remembered of channels.
const (
	maxChannels = 1000
	// channelLife is how long a name, and whether the bot takes part, are believed.
	channelLife = time.Hour
)

// channel is what events need to know of a channel.
type channel struct {
	kind   gateway.ChatType
	parent string // of a thread; "" for no thread
	guild  string // "" outside of guilds, and if Discord does not show the channel
	name   string
	joined bool // the bot takes part in the thread
	until  time.Time
}

// channels remembers channels.
type channels struct {
	api *api
	bot string
	now func() time.Time

	mu sync.Mutex
	of map[string]channel // guarded by mu
}

func newChannels(a *api, bot string, now func() time.Time) *channels {
	return &channels{api: a, bot: bot, now: now, of: make(map[string]channel)}
}

// get returns a channel. One that Discord does not show is taken for a chat of the kind
// that the event tells: within a guild, or not.
func (c *channels) get(ctx context.Context, id string, guild bool) (channel, error) {
	if known, ok := c.known(id); ok {
		return known, nil
	}
	if !isID(id) {
		return channel{kind: kindOf(guild)}, nil
	}
	var raw rawChannel
	err := c.api.do(ctx, rest.GetChannel.Compile(nil, id), nil, &raw)
	if err == nil {
		return c.put(id, c.read(&raw)), nil
	}
	guess := channel{kind: kindOf(guild)}
	if hopeless(err) && codeOf(err) != 0 { // Discord itself said so, and no proxy
		c.put(id, guess)
	}
	return guess, unlessHopeless(err)
}

// unlessHopeless is the error of a question if another try may help.
func unlessHopeless(err error) error {
	if hopeless(err) {
		return nil
	}
	return err
}

// hopeless reports whether a question to Discord has an answer that stays.
func hopeless(err error) bool {
	r := reasonOf(err)
	return r == gateway.Gone || r == gateway.Refused || r == gateway.Missing
}

func kindOf(guild bool) gateway.ChatType {
	if guild {
		return gateway.Channel
	}
	return gateway.DM
}

func (c *channels) known(id string) (channel, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.of[id]
	return known, ok && c.now().Before(known.until)
}

// put remembers a channel. If there are too many, any other one is forgotten.
func (c *channels) put(id string, ch channel) channel {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch.until = c.now().Add(channelLife)
	if len(c.of) >= maxChannels {
		for other := range c.of {
			delete(c.of, other)
			break
		}
	}
	c.of[id] = ch
	return ch
}

// read turns a channel of Discord into what events need.
func (c *channels) read(raw *rawChannel) channel {
	ch := channel{kind: gateway.Channel, name: raw.Name, guild: raw.GuildID}
	switch raw.Type {
	case channelDM:
		ch.kind = gateway.DM
	case channelGroupDM:
		ch.kind = gateway.Group
	case channelAnnouncement, channelPublic, channelPrivate:
		ch.parent = raw.ParentID
		ch.joined = raw.OwnerID == c.bot || isObject(raw.Member)
	}
	return ch
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// join remembers that the bot takes part in a thread.
func (c *channels) join(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch, ok := c.of[id]; ok && ch.parent != "" {
		ch.joined = true
		c.of[id] = ch
	}
}

// place is where the messages of a channel are, with the type and the title of the chat.
func (a *Adapter) place(ctx context.Context, id string, guild bool) (gateway.Place, channel, error) {
	ch, err := a.channels.get(ctx, id, guild)
	if err != nil {
		return gateway.Place{}, ch, err
	}
	p := gateway.Place{Platform: gateway.Discord, Account: a.account, Chat: id}
	if ch.parent == "" {
		return p, ch, nil
	}
	p.Chat, p.Thread = ch.parent, id
	parent, err := a.channels.get(ctx, ch.parent, true)
	ch.name = parent.name
	return p, ch, err
}
