package transcript

import (
	"errors"
	"strings"
)

// Two routes can have one name: the id of a chat at a bridge may look like the id of another one with a thread behind it, and
// two bots may share a session key. The route whose key is the name has it, or of several such routes the one that comes
// first, which was active last. The others have a hash of their place behind it.

// errShared says that several routes have one name.
var errShared = errors.New("several routes have one name")

// routeNames are the names of routes, of which the first reading of all routes finds those that several have.
type routeNames struct {
	known bool // the routes were read before
	chats map[string]int
	given map[string]bool // to a route, in this reading
}

// begin begins a reading of all routes.
func (n *routeNames) begin() {
	n.given = make(map[string]bool)
	if n.chats == nil {
		n.chats = make(map[string]int)
	}
}

// conclude ends the first reading. It fails if a name is shared.
func (n *routeNames) conclude() error {
	n.known = true
	for _, count := range n.chats {
		if count > 1 {
			return errShared
		}
	}
	return nil
}

// of is the name of a route. The chats come before other session keys, so that only their names need to be kept.
func (n *routeNames) of(r *Route) string {
	if !n.known {
		if r.Type != "" || n.chats[r.Name] > 0 {
			n.chats[r.Name]++
		}
		return r.Name
	}
	if n.chats[r.Name] < 2 {
		return r.Name
	}
	if string(r.Key) == r.Name && !n.given[r.Name] {
		n.given[r.Name] = true
		return r.Name
	}
	const enough = 12 // characters of a hash
	at := &r.Origin
	return r.Name + "#" + hashOf(strings.Join([]string{at.Platform, at.Account, at.Chat, at.Thread}, "\n"))[:enough]
}
