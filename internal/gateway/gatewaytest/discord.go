package gatewaytest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Ids of the fake.
const (
	// DiscordBot is the id of the bot's user.
	DiscordBot = "900000000000000001"
	// DiscordApp is the id of the bot's application. At Discord it differs from the id of
	// the user for old bots.
	DiscordApp = "900000000000000002"
	// DiscordRole is the role of the bot in each guild, as Discord makes it for an invited bot.
	DiscordRole = "900000000000000003"
	// DiscordToken is the bot's token. Its first part is the id of the bot in base64.
	DiscordToken = "OTAwMDAwMDAwMDAwMDAwMDAx.fake.token"
)

// DiscordOptions configure a fake. The zero value is usable.
type DiscordOptions struct {
	// Heartbeat is the interval that the fake asks for; 0 is 41.25 s, as at Discord.
	Heartbeat time.Duration
	// Messages is how many messages a channel takes in 5 s; 0 is 5, -1 is without a limit.
	Messages int
	// Flags are the application's flags; 0 is the intent for message content.
	Flags int
	// HideNonce leaves nonces out of the messages of a channel.
	HideNonce bool
	// Lenient does not fail the test for what Discord takes, and a good bot does not do.
	Lenient bool
}

// DiscordChannel is a channel of the fake.
type DiscordChannel struct {
	ID     string
	Type   int // 0 text, 1 DM, 3 group DM, 11 thread
	Guild  string
	Parent string
	Name   string
	Joined bool // the bot is a member of the thread
}

// DiscordRequest is a request that the fake received.
type DiscordRequest struct {
	Method, Path, Query string
	Body                []byte // the JSON text; of a form its payload_json
	Status              int
	At                  time.Time
}

// DiscordMessage is a message of the fake.
type DiscordMessage struct {
	ID, Channel, Author string
	Content, Nonce      string
	ReplyTo             string
	Edits               int
	Buttons             []gateway.Button
	Files               map[string][]byte
	Reactions           map[string]bool // of the bot
	Changed             time.Time       // when the newest text came; zero before an edit
	raw                 map[string]any  // as it is sent in events and answers
}

// Discord is a fake of Discord: its REST API and its gateway. It refuses what Discord
// refuses, and records what it receives.
type Discord struct {
	// URL is where the API is: "http://127.0.0.1:port/api/v10".
	URL string
	// GatewayURL is where the socket is: "ws://127.0.0.1:port/gateway".
	GatewayURL string
	// FileHost is the host of attachments: "127.0.0.1:port".
	FileHost string

	t    TB
	o    DiscordOptions
	http *httptest.Server
	late atomic.Int64 // how far the clock is ahead, in nanoseconds
	off  atomic.Bool  // no connection can be made by Client

	mu           sync.Mutex // guards the fields below
	changed      chan struct{}
	lastID       int64
	channels     map[string]*DiscordChannel
	messages     map[string][]*DiscordMessage // by channel
	files        map[string][]byte            // by path
	interactions map[string]*discordInteraction
	commands     []json.RawMessage
	requests     []DiscordRequest
	faults       map[string][]DiscordFault
	always       map[string]DiscordFault
	buckets      map[string]*discordBucket
	rests        map[string]time.Time // until when nothing may be requested
	floods       map[string]DiscordFault
	limited      int
	broken       []string
	socketState
}

// NewDiscord starts a fake that ends with the test. What a good bot does not do fails the
// test at its end.
func NewDiscord(t TB, o DiscordOptions) *Discord {
	t.Helper()
	if o.Heartbeat == 0 {
		o.Heartbeat = 41250 * time.Millisecond
	}
	if o.Messages == 0 {
		o.Messages = 5
	}
	if o.Flags == 0 {
		o.Flags = 1 << 18
	}
	d := &Discord{
		t: t, o: o, changed: make(chan struct{}),
		channels: make(map[string]*DiscordChannel), messages: make(map[string][]*DiscordMessage),
		rests: make(map[string]time.Time), floods: make(map[string]DiscordFault), files: make(map[string][]byte),
		interactions: make(map[string]*discordInteraction),
		faults:       make(map[string][]DiscordFault), always: make(map[string]DiscordFault), buckets: make(map[string]*discordBucket),
		socketState: socketState{sessions: make(map[string]*discordSession), all: make(map[*discordSocket]bool), acks: true},
	}
	d.http = httptest.NewServer(d.routes())
	host := strings.TrimPrefix(d.http.URL, "http://")
	d.URL, d.GatewayURL, d.FileHost = d.http.URL+"/api/v10", "ws://"+host+"/gateway", host
	t.Cleanup(d.finish)
	return d
}

func (d *Discord) finish() {
	d.t.Helper()
	d.mu.Lock()
	for s := range d.all {
		s.end()
	}
	d.mu.Unlock()
	d.http.Close()
	d.sockets.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.o.Lenient {
		return
	}
	for _, b := range d.broken {
		d.t.Errorf("fake Discord: %s", b)
	}
}

// breaks records what a good bot does not do. The caller holds the lock.
func (d *Discord) breaks(format string, args ...any) {
	d.broken = append(d.broken, fmt.Sprintf(format, args...))
}

// Broken returns what a good bot does not do.
func (d *Discord) Broken() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.broken)
}

// snowflake makes an id: larger than all before, with the time in it. The caller holds the
// lock.
func (d *Discord) snowflake() string {
	const epoch = 1420070400000 // the first millisecond of 2015
	id := (d.Now().UnixMilli() - epoch) << 22
	d.lastID = max(d.lastID+1, id)
	return strconv.FormatInt(d.lastID, 10)
}

// Now is the fake's clock.
func (d *Discord) Now() time.Time { return time.Now().Add(time.Duration(d.late.Load())) }

// Advance puts the clock forward.
func (d *Discord) Advance(by time.Duration) { d.late.Add(int64(by)) }

// Client is a client for the fake. It reaches nothing while the fault Unreachable lasts.
func (d *Discord) Client(t interface{ Cleanup(func()) }) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: discordGate{d, transport}}
}

// discordGate is a transport that fails while the fake cannot be reached.
type discordGate struct {
	d    *Discord
	next http.RoundTripper
}

// RoundTrip passes a request on.
func (g discordGate) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.d.off.Load() {
		return g.next.RoundTrip(r)
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// AddChannel adds a channel, or changes one.
func (d *Discord) AddChannel(c DiscordChannel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.channels[c.ID] = &c
}

// RemoveChannel removes a channel.
func (d *Discord) RemoveChannel(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.channels, id)
}

// AddFile adds a file of the content network, and returns its URL.
func (d *Discord) AddFile(path string, data []byte) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[path] = data
	return d.http.URL + path
}

// Messages returns the messages of a channel, oldest first.
func (d *Discord) Messages(channel string) []DiscordMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]DiscordMessage, len(d.messages[channel]))
	for i, m := range d.messages[channel] {
		out[i] = *m
		out[i].Reactions = make(map[string]bool)
		for emoji := range m.Reactions {
			out[i].Reactions[emoji] = true
		}
	}
	return out
}

// Sent returns the messages that the bot sent to a channel, oldest first.
func (d *Discord) Sent(channel string) []DiscordMessage {
	return slices.DeleteFunc(d.Messages(channel), func(m DiscordMessage) bool { return m.Author != DiscordBot })
}

// Requests returns the requests whose method and path begin so, such as "POST
// /channels/7/messages".
func (d *Discord) Requests(prefix string) []DiscordRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []DiscordRequest
	for _, r := range d.requests {
		if strings.HasPrefix(r.Method+" "+r.Path, prefix) {
			out = append(out, r)
		}
	}
	return out
}

// SetCommands sets the registered commands, as JSON.
func (d *Discord) SetCommands(list ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commands = nil
	for _, c := range list {
		d.commands = append(d.commands, json.RawMessage(c))
	}
}

// Commands returns the registered commands.
func (d *Discord) Commands() []json.RawMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.commands)
}

// Changed returns a channel that is closed when something happens next: a request is
// answered, a connection begins or ends. Take it before you look.
func (d *Discord) Changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changed
}

// touch wakes those who wait for a change. The caller holds the lock.
func (d *Discord) touch() {
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *Discord) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range discordRoutes() {
		mux.HandleFunc(r.pattern(), func(w http.ResponseWriter, q *http.Request) { d.serve(w, q, r) })
	}
	mux.HandleFunc("/gateway", d.socket)
	mux.HandleFunc("/gateway/", d.socket)
	mux.HandleFunc("/attachments/", d.serveFile)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, q *http.Request) {
		d.mu.Lock()
		d.breaks("%s %s is no route", q.Method, q.URL.Path)
		d.mu.Unlock()
		writeDiscord(w, http.StatusNotFound, discordError{Message: "404: Not Found"})
	})
	return mux
}

func (d *Discord) serveFile(w http.ResponseWriter, q *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, ok := d.files[q.URL.Path]
	if q.Header.Get("Authorization") != "" {
		d.breaks("the token was sent to the content network")
	}
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case strings.HasPrefix(string(data), "redirect:"):
		http.Redirect(w, q, strings.TrimPrefix(string(data), "redirect:"), http.StatusFound)
	default:
		_, _ = w.Write(data)
	}
}
