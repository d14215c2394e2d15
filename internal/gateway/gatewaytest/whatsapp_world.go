package gatewaytest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// waWorld are the people, groups, messages and files of the fake.
type waWorld struct {
	people   map[string]*waPerson // by name
	groups   map[string]string    // ids by name
	messages map[string]*waMessage
	sent     []*waMessage // of the client, in order
	files    map[string]waStored
	links    map[string]waLink
	signals  []WhatsAppSignal
	last     int // counts what has an id
}

// waPerson is a person. Numbers and user ids begin alike, so that tests can look for them.
type waPerson struct {
	name   string
	number string
	userID string
	heard  time.Time // the newest message
	gone   bool
}

// waMessage is a message of the client or of a person.
type waMessage struct {
	id      string
	chat    string // the identity of a person, or the id of a group
	mine    bool   // the client sent it
	text    string
	replyTo string
	buttons []gateway.Button
	file    *gateway.File
	at      time.Time // when the fake took it
}

// WhatsAppSignal is a sign that the client has given.
type WhatsAppSignal struct {
	Message string
	// Sign is "typing" or an emoji; "" takes the reaction away.
	Sign string
}

// The beginnings of all numbers and user ids of people.
const (
	waNumbers = "4915550"
	waUserIDs = "DE.915550"
)

func newWaWorld() waWorld {
	return waWorld{
		people: map[string]*waPerson{}, groups: map[string]string{}, messages: map[string]*waMessage{}, files: map[string]waStored{},
		links: map[string]waLink{},
	}
}

// nextID is an id of a kind that is not used yet.
func (w *waWorld) nextID(format string) string {
	w.last++
	return fmt.Sprintf(format, w.last)
}

// person is the person of a name.
func (s *WhatsApp) person(name string) *waPerson {
	p := s.people[name]
	if p == nil {
		n := len(s.people) + 1
		p = &waPerson{name: name, number: fmt.Sprintf("%s%05d", waNumbers, n), userID: fmt.Sprintf("%s%05d", waUserIDs, n)}
		s.people[name] = p
	}
	return p
}

// identity is the id by which the client knows a person.
func (s *WhatsApp) identity(p *waPerson) string {
	if s.opt.NoUserIDs {
		return p.number
	}
	return p.userID
}

// group is the id of the group of a name.
func (s *WhatsApp) group(name string) string {
	id, ok := s.groups[name]
	if !ok {
		id = fmt.Sprintf("Y2FwaV9ncm91cDox%05d", len(s.groups)+1)
		s.groups[name] = id
	}
	return id
}

// chat is the id of a chat.
func (s *WhatsApp) chat(kind gateway.ChatType, name string) string {
	if kind == gateway.DM {
		return s.identity(s.person(name))
	}
	return s.group(name)
}

// find finds the person of a number or a user id; nil for nobody.
func (s *WhatsApp) find(number, userID string) *waPerson {
	for _, p := range s.people {
		if number != "" && p.number == strings.TrimPrefix(number, "+") || userID != "" && p.userID == userID {
			return p
		}
	}
	return nil
}

// Gone makes a person unable to get messages.
func (s *WhatsApp) Gone(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person(name).gone = true
}

// CloseWindow makes a person's newest message older than a day.
func (s *WhatsApp) CloseWindow(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person(name).heard = s.opt.Now().Add(-waWindow - time.Second)
}

// Identity is the id by which the client knows a person.
func (s *WhatsApp) Identity(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identity(s.person(name))
}

// Group is the id of the group of a name.
func (s *WhatsApp) Group(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.group(name)
}

// Renumber gives a person another number, and with it another user id, and says so. It
// returns the id of the event.
func (s *WhatsApp) Renumber(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.person(name)
	old := *p
	p.number += "9"
	p.userID += "9"
	system := map[string]any{"type": "user_changed_number", "body": "User " + name + " changed from " + old.number + " to " + p.number}
	if !s.opt.NoNumbers {
		system["wa_id"] = p.number
	}
	if !s.opt.NoUserIDs {
		system["user_id"], system["previous_user_id"] = p.userID, old.userID
	}
	m := map[string]any{"id": s.nextID("wamid.HBgSYSTEM%06d"), "timestamp": s.stamp(), "type": "system", "system": system}
	if !s.opt.NoNumbers {
		m["from"] = old.number
	}
	return s.pushMessage(nil, m)
}

// Signals are the signs that the client has given.
func (s *WhatsApp) Signals() []WhatsAppSignal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.signals)
}

// Templates is how many templates the client has sent.
func (s *WhatsApp) Templates() int { return len(s.Requests("template")) }

// stamp is the time as webhooks show it.
func (s *WhatsApp) stamp() string { return fmt.Sprint(s.opt.Now().Unix()) }
