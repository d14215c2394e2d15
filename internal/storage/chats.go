package storage

import (
	"fmt"
	"strings"
)

// Platforms selects the names of the platforms of all chats. A bridge chooses the name of its platform.
const Platforms = `SELECT platform FROM chats UNION SELECT platform FROM chat_events UNION SELECT platform FROM chat_people`

// EventOpen selects the events of chats that are not over, and SendOpen the messages to chats that are not.
const (
	EventOpen = `state IN ('waiting', 'taken')`
	SendOpen  = `state IN ('waiting', 'sending', 'unknown', 'changed', 'parked')`
)

// formerMark is between the id of a person and a label under which the person spoke before. No id has a line
// break.
const formerMark = "\n"

// FormerID is the user_id of the row of chat_names that keeps a label for a person who has another one by now.
func FormerID(user, label string) string { return user + formerMark + label }

// Labels are all labels under which people have spoken in a chat, each with the id of its person.
type Labels map[string]string

// Add adds a row of chat_names.
func (l Labels) Add(id, label string) {
	user, _, _ := strings.Cut(id, formerMark)
	l[label] = user
}

// Of is what a person of a name is called: as the person was called under this name before, or else as no other
// person is or was called.
func (l Labels) Of(user, name string) string {
	for n := 1; n <= len(l)+1; n++ {
		if label := numbered(name, n); l[label] == user {
			return label
		}
	}
	for n := 1; ; n++ {
		label := numbered(name, n)
		if _, taken := l[label]; !taken {
			return label
		}
	}
}

// numbered is the name of the nth person of that name.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s (%d)", name, n)
}
