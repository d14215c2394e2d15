package gateway

import (
	"cmp"
	"strings"

	"github.com/hermes-memory/hermes/internal/session"
)

// Keys are the session keys that a chat can be pinned to at first contact. Short is the
// documented form, which all DMs of a platform share; it is "" if the chat cannot have it.
// Long names the chat.
type Keys struct{ Short, Long session.Key }

// agent begins the session keys of all chats.
const agent = "agent:main:"

// keysOf are the keys of an event's chat. The documents of sessions fix their form: DMs of
// a platform have one key while one person is allowed, and WhatsApp's have one per chat.
// memory is the key that the owner has chosen for the DMs of a single person; "" for none.
func keysOf(e *Event, people int, memory session.Key) Keys {
	base := agent + string(e.Place.Platform) + ":" + string(e.Type)
	k := Keys{Long: bounded(base + ":" + e.Place.Chat)}
	if e.Type == DM && people <= 1 {
		switch {
		case memory != "":
			k.Short = memory
		case e.Place.Platform != WhatsApp:
			k.Short = session.Key(base)
		}
	}
	return k
}

// RouteName is the name of a chat's route in sessions.json. A thread has a session of its
// own, and shares the memory of its chat.
func RouteName(key session.Key, thread string) string {
	if thread == "" {
		return string(key)
	}
	return string(key) + ":" + thread
}

// maxKey is the longest session key, in bytes; a character has at least one.
const maxKey = 256

// bounded cuts a key whose chat id is longer than any platform's. Ids that long come from
// bridges only, and are cut with a hash, so that two of them never share a key.
func bounded(key string) session.Key {
	if len(key) <= maxKey {
		return session.Key(strings.ToValidUTF8(key, "�"))
	}
	const kept = 180
	return session.Key(strings.ToValidUTF8(key[:kept], "") + ":" + hashOf(key))
}

// SourceOf is the source of the sessions of a platform.
func SourceOf(p Platform) session.Source { return session.Source(cmp.Or(p, "gateway")) }
