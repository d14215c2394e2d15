package gateway

import (
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Bot is one adapter with its settings.
type Bot struct {
	Adapter Adapter
	Account string
	// Owner is whose data the chats of the bot are.
	Owner owner.Owner
	// Users may write. Admins may change things in groups; nil means the users.
	Users, Admins []string
	// Chats are the groups and channels whose members may all write.
	Chats []string
	// Mention says that the bot answers in groups only when it is addressed.
	Mention bool
	// Stream shows answers while they are written.
	Stream bool
	// Home is the chat to which jobs deliver that name no chat; "" for none.
	Home string
	// Zone is the time zone of people whose platform tells none.
	Zone *time.Location
	// MemoryKey is the key under which the DMs of a single person remember; "" for the
	// documented one.
	MemoryKey session.Key
	// Open says that everybody may write: the caller of a bridge has been authenticated.
	Open bool
	// Fetched says that the caller of a bridge fetches what is answered: it is sent once it is stored.
	Fetched bool
}

// unsent is the state of a message that was just written.
func (b *Bot) unsent() SendState {
	if b.Fetched {
		return Sent
	}
	return ToSend
}

// allowed reports whether the settings let a sender write.
func (b *Bot) allowed(s *Sender) bool { return b.Open || named(b.Users, s) }

// admin reports whether a sender may change things in groups, and beyond a chat: the settings
// say so, or the bridge.
func (b *Bot) admin(s *Sender) bool {
	if b.Admins == nil {
		return b.allowed(s)
	}
	return s.Admin || named(b.Admins, s)
}

// named reports whether a list has a sender, by any of the sender's ids.
func named(list []string, s *Sender) bool {
	return slices.Contains(list, s.ID) || slices.ContainsFunc(s.Aliases, func(id string) bool { return slices.Contains(list, id) })
}

// Policy says when the session of a chat is reset.
type Policy struct {
	Mode ResetMode
	// Idle is how long nothing may be said, if the mode is ResetIdle or ResetBoth.
	Idle time.Duration
	// Hour is the hour of the day, 0 to 23, if the mode is ResetDaily or ResetBoth.
	Hour int
}

// ResetMode is a policy's kind.
type ResetMode string

// The modes.
const (
	ResetIdle  ResetMode = "idle"
	ResetDaily ResetMode = "daily"
	ResetBoth  ResetMode = "both"
	ResetNone  ResetMode = "none"
)

// Resets are the policies of all chats: that of the platform wins over that of the type of
// chat, and that one over the default.
type Resets struct {
	Default   Policy
	Types     map[ChatType]Policy
	Platforms map[Platform]Policy
	// Notify says that people are told of a reset.
	Notify bool
	// Save lets a model save memories and skills before a reset.
	Save bool
}

// of is the policy of a chat.
func (r *Resets) of(c *Chat) Policy {
	if p, ok := r.Platforms[c.Place.Platform]; ok {
		return p
	}
	if p, ok := r.Types[c.Type]; ok {
		return p
	}
	return r.Default
}

// Busy says what becomes of a message that comes during a turn.
type Busy string

// The ways.
const (
	// Queue lets the message wait for the next turn.
	Queue Busy = "queue"
	// Interrupt stops the turn, and keeps what was said of its answer.
	Interrupt Busy = "interrupt"
)

// Settings are the settings of all bots.
type Settings struct {
	Resets Resets
	Busy   Busy
	// Reactions marks messages while they are worked on.
	Reactions bool
	// FilesKept is how long the files are kept that people send.
	FilesKept time.Duration
}
