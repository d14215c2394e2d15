package gatewaytest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// What the fake Slack calls the bot, and the secrets it expects.
const (
	SlackTeam     = "T0TEAM"
	SlackBotUser  = "U0BOT"
	SlackBotID    = "B0BOT"
	SlackBotName  = "hermes"
	SlackBotToken = "xoxb-1000-2000-a-bot-token-for-tests"
	SlackAccount  = "1000-2000" // the ids in the token
	SlackAppToken = "xapp-an-app-token-for-tests"
	SlackSecret   = "8f742231b10e8888abcd99yyyzzz85a5"
)

// SlackOptions are how a fake Slack differs from the real one.
type SlackOptions struct {
	// HTTP says that events come as signed requests, else over Socket Mode.
	HTTP bool
	// Resend is when an event comes again that was not acknowledged; 0 for 3 s.
	Resend time.Duration
	// InFlight is how many events wait for an acknowledgement at once over Socket Mode; 0 for 64.
	InFlight int
	// Ping is the time between two pings of a socket; 0 for 10 s.
	Ping time.Duration
	// Retries are the waits before further attempts of a request; nil for 0, 1 and 5 min.
	// After the last one the event is dropped.
	Retries []time.Duration
	// PerSecond bounds the messages in a chat in a second; 0 for no bound.
	PerSecond int
	// Scopes are what the app may do; nil for everything.
	Scopes []string
	// ShareAfter is how often the messages of a chat are listed before the message with a
	// new file is among them.
	ShareAfter int
}

// SlackCounts are what a fake Slack has counted.
type SlackCounts struct {
	Acks      int // acknowledgements, also of what was acknowledged before
	Dropped   int // events that were given up after the last attempt
	Posts     int // messages of the bot
	Limited   int // answers 429 because of PerSecond
	LongTexts int // messages over 4,000 characters
	NoChat    int // requests for a chat that does not exist
	Unescaped int // texts with "<!", or with a "<" that begins no link
	Opened    int // sockets
	Pings     int
	PerSecond int // the most messages in a chat in a second
}

// Slack is a fake of Slack for one bot in one workspace.
type Slack struct {
	options SlackOptions
	ctx     context.Context
	server  *httptest.Server
	door    *httptest.Server // where requests for the adapter arrive, with HTTP
	wait    sync.WaitGroup

	mu          sync.Mutex
	counts      SlackCounts
	broken      []string
	handlers    map[string]http.Handler
	people      map[string]string // name to id
	chats       map[string]*slackChat
	chatIDs     map[string]string // type and name to id
	roots       map[string]string // chat and name of a thread to its first message
	files       map[string]*slackFile
	lastTS      int64
	serial      int
	tickets     map[string]bool
	faults      slackFaults
	unreachable bool
	onAck       func(eventID string)
	outgoing    slackQueue
	responses   []SlackResponse
}

// NewSlack starts a fake that ends with the test.
func NewSlack(t TB, o SlackOptions) *Slack {
	t.Helper()
	if o.Resend == 0 {
		o.Resend = 3 * time.Second
	}
	if o.InFlight == 0 {
		o.InFlight = 64
	}
	if o.Ping == 0 {
		o.Ping = 10 * time.Second
	}
	if o.Retries == nil {
		o.Retries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	s := &Slack{
		options: o, ctx: ctx, people: map[string]string{}, chats: map[string]*slackChat{}, chatIDs: map[string]string{},
		roots: map[string]string{},
		files: map[string]*slackFile{}, lastTS: time.Now().UnixMicro(), tickets: map[string]bool{},
	}
	s.faults.lasting = map[string]SlackFault{}
	s.faults.once = map[string][]SlackFault{}
	s.outgoing.all = map[string]*envelope{}
	s.outgoing.told = map[string][]*envelope{}
	s.outgoing.changed = make(chan struct{})
	s.server = httptest.NewServer(s.handler())
	t.Cleanup(func() {
		cancel()
		s.wait.Wait()
		if s.door != nil {
			s.door.Close()
		}
		s.server.Close()
	})
	if o.HTTP {
		s.openDoor(t)
	}
	return s
}

// URL is the root of the Web API.
func (s *Slack) URL() string { return s.server.URL + "/api/" }

// Client returns an HTTP client for the fake that ends with the test.
func (s *Slack) Client(t TB) *http.Client {
	pool := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(pool.CloseIdleConnections)
	return &http.Client{Timeout: patience, Transport: &slackRoad{s, pool}}
}

// slackRoad is the way to the fake, which can be closed.
type slackRoad struct {
	*Slack
	pool *http.Transport
}

// RoundTrip sends a request, unless the fake is out of reach.
func (r *slackRoad) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	closed := r.unreachable
	r.mu.Unlock()
	if closed {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return r.pool.RoundTrip(req)
}

// Counts are what was counted so far.
func (s *Slack) Counts() SlackCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Broken are what was wrong in the adapter's requests.
func (s *Slack) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// breach notes what was wrong. The caller holds the lock.
func (s *Slack) breach(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// OnAck sets a function that is called at each acknowledgement, before anything else.
func (s *Slack) OnAck(acked func(eventID string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAck = acked
}

// confirm looks whether events that were acknowledged are stored.
func (s *Slack) confirm(events []string) {
	s.mu.Lock()
	onAck := s.onAck
	s.mu.Unlock()
	for _, id := range events {
		if onAck != nil {
			onAck(id)
		}
		s.mu.Lock()
		s.counts.Acks++
		s.mu.Unlock()
	}
}

// next is an id that was never used. The caller holds the lock.
func (s *Slack) next(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s%08d", prefix, s.serial)
}

// stamp is the id of the next message. The caller holds the lock.
func (s *Slack) stamp() string {
	s.lastTS = max(s.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

// Person is the id of the person with a name.
func (s *Slack) Person(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people[name] == "" {
		s.people[name] = s.next("U")
	}
	return s.people[name]
}

// Chat is the id of the chat with a name. The id does not say whether a chat is a group or
// a channel.
func (s *Slack) Chat(kind gateway.ChatType, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := string(kind) + ":" + name
	if s.chatIDs[key] == "" {
		prefix := "C"
		if kind == gateway.DM {
			prefix = "D"
		}
		id := s.next(prefix)
		s.chatIDs[key] = id
		s.chats[id] = &slackChat{id: id, name: name, kind: kind, status: map[string]string{}, answered: map[string]bool{}}
	}
	return s.chatIDs[key]
}

// Leave makes requests for a chat fail with an error, such as "is_archived"; "" ends that.
func (s *Slack) Leave(chat, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[chat].gone = code
}
