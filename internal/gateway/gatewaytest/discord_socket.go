package gatewaytest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// ackDelay is how long a heartbeat waits for its ack. Some clients take an ack within
// microseconds for one that came before the heartbeat.
const ackDelay = 20 * time.Millisecond

// socketState is what the fake knows of its gateway. The fake's lock guards it.
type socketState struct {
	sockets    sync.WaitGroup
	sessions   map[string]*discordSession
	all        map[*discordSocket]bool
	open       *discordSocket // the connection in use; nil for none
	acks       bool
	beats      int
	lastBeat   int // the number of the last heartbeat
	identifies int
	resumes    int
	helloless  bool
	badToken   bool
	closings   []websocket.StatusCode
	refuse     websocket.StatusCode // closes every identify; 0 does not
}

// discordSession is a session of the gateway: its events, numbered from 1.
type discordSession struct {
	id     string
	events []discordEvent
}

type discordEvent struct {
	name string
	data json.RawMessage
}

// discordSocket is one connection.
type discordSocket struct {
	conn    *websocket.Conn
	session *discordSession
	next    int           // the index of the first event that was not sent
	more    chan struct{} // has a value when there are events
	done    context.Context
	end     context.CancelFunc
}

// frame is what both sides send.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int            `json:"s"`
	Name *string         `json:"t"`
}

// dispatch appends an event to the newest session, and sends it if that one is connected.
// The caller holds the lock.
func (d *Discord) dispatch(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		d.breaks("an event is not JSON: %v", err)
		return
	}
	for _, s := range d.sessions {
		s.events = append(s.events, discordEvent{name, text})
	}
	if d.open != nil {
		d.open.wake()
	}
}

// SaidBetween are the ids of what persons did, among the events of a session with numbers
// after one and up to another.
func (d *Discord) SaidBetween(session string, after, seq int) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	s := d.sessions[session]
	if s == nil {
		return nil
	}
	seq = min(seq, len(s.events))
	for _, e := range s.events[min(after, seq):seq] {
		var m struct {
			ID     string `json:"id"`
			Author struct {
				Bot bool `json:"bot"`
			} `json:"author"`
		}
		isEvent := e.name == "MESSAGE_CREATE" || e.name == "INTERACTION_CREATE"
		if isEvent && json.Unmarshal(e.data, &m) == nil && !m.Author.Bot {
			out = append(out, m.ID)
		}
	}
	return out
}

func (s *discordSocket) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// socket serves one connection of the gateway.
func (d *Discord) socket(w http.ResponseWriter, q *http.Request) {
	d.sockets.Add(1)
	defer d.sockets.Done()
	if v := q.URL.Query(); v.Get("v") != "10" || v.Get("encoding") != "json" {
		d.mu.Lock()
		d.breaks("the gateway was asked for %q", q.URL.RawQuery)
		d.mu.Unlock()
	}
	conn, err := websocket.Accept(w, q, nil)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(q.Context())
	s := &discordSocket{conn: conn, more: make(chan struct{}, 1), done: ctx, end: cancel}
	defer func() { _ = conn.CloseNow() }()
	defer cancel()
	defer d.leave(s)
	d.mu.Lock()
	d.all[s] = true
	silent := d.helloless
	d.mu.Unlock()
	if !silent {
		s.write(10, map[string]any{"heartbeat_interval": d.o.Heartbeat.Milliseconds()})
	}
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			d.mu.Lock()
			d.closings = append(d.closings, websocket.CloseStatus(err))
			d.mu.Unlock()
			return
		}
		var f frame
		if json.Unmarshal(text, &f) != nil {
			_ = conn.Close(4002, "Error while decoding payload.")
			return
		}
		if !d.receive(s, &f) {
			return
		}
	}
}

// leave ends a connection.
func (d *Discord) leave(s *discordSocket) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.all, s)
	if d.open == s {
		d.open = nil
	}
	d.touch()
}

// receive carries out a frame of the client. It reports whether the connection goes on.
func (d *Discord) receive(s *discordSocket, f *frame) bool {
	switch f.Op {
	case 1:
		return d.heartbeat(s, f)
	case 2:
		return d.identify(s, f)
	case 6:
		return d.resume(s, f)
	}
	_ = s.conn.Close(4001, "Unknown opcode.")
	return false
}

func (d *Discord) heartbeat(s *discordSocket, f *frame) bool {
	var seq *int
	if json.Unmarshal(f.Data, &seq) != nil {
		_ = s.conn.Close(4002, "Error while decoding payload.")
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if seq != nil && s.session != nil && *seq > len(s.session.events) {
		d.breaks("a heartbeat has the number %d, of %d", *seq, len(s.session.events))
	}
	if d.beats++; seq != nil {
		d.lastBeat = *seq
	}
	d.touch()
	if d.acks {
		time.AfterFunc(ackDelay, recovery.Func(func() { s.write(11, nil) }, d.panicked))
	}
	return true
}

// panicked records a panic of the fake.
func (d *Discord) panicked(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breaks("%v", err)
}

func (d *Discord) identify(s *discordSocket, f *frame) bool {
	var in struct {
		Token      string            `json:"token"`
		Intents    int               `json:"intents"`
		Properties map[string]string `json:"properties"`
	}
	err := json.Unmarshal(f.Data, &in)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.identifies++
	switch {
	case err != nil:
		return s.close(4002, "Error while decoding payload.")
	case s.session != nil:
		return s.close(4005, "Already authenticated.")
	case d.refuse != 0:
		return s.close(d.refuse, "refused")
	case in.Token != DiscordToken || d.badToken:
		return s.close(4004, "Authentication failed.")
	case in.Intents != 37376:
		return s.close(4013, fmt.Sprintf("Invalid intents %d.", in.Intents))
	}
	if in.Properties["os"] == "" || in.Properties["browser"] == "" {
		d.breaks("identify has no properties")
	}
	clear(d.sessions) // a new session ends the others of this fake's only shard
	session := &discordSession{id: fmt.Sprintf("session-%d", d.identifies)}
	d.sessions[session.id] = session
	d.begin(s, session, 0)
	d.dispatch("READY", map[string]any{
		"v": 10, "user": discordUser(), "guilds": []any{}, "session_id": session.id,
		"resume_gateway_url": d.GatewayURL + "/resume", "application": map[string]any{"id": DiscordApp, "flags": d.o.Flags},
	})
	return true
}

func (d *Discord) resume(s *discordSocket, f *frame) bool {
	var in struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	err := json.Unmarshal(f.Data, &in)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resumes++
	session := d.sessions[in.Session]
	switch {
	case err != nil:
		return s.close(4002, "Error while decoding payload.")
	case in.Token != DiscordToken || d.badToken:
		return s.close(4004, "Authentication failed.")
	case session == nil:
		s.write(9, false)
		return true
	case in.Seq > len(session.events):
		return s.close(4007, "Invalid seq.")
	}
	d.begin(s, session, in.Seq)
	d.dispatch("RESUMED", map[string]any{"_trace": []any{}})
	return true
}

// begin sends the events of a session from one on. The caller holds the lock.
func (d *Discord) begin(s *discordSocket, session *discordSession, next int) {
	s.session, s.next = session, next
	if d.open != nil {
		d.open.end()
	}
	d.open = s
	d.sockets.Go(recovery.Func(func() { d.send(s) }, recovery.Logged(s.done, slog.Default(), "the fake's gateway")))
	d.touch()
}

// unsent takes the events that were not sent, and the index of the first. It reports false
// if the connection is not in use any more.
func (d *Discord) unsent(s *discordSocket) (list []discordEvent, from int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list, from = s.session.events[s.next:], s.next
	s.next = len(s.session.events)
	return list, from, d.open == s
}

// send sends events until the connection ends.
func (d *Discord) send(s *discordSocket) {
	for {
		list, from, ok := d.unsent(s)
		if !ok {
			return
		}
		for i, e := range list {
			seq := from + i + 1
			text, _ := json.Marshal(frame{Op: 0, Data: e.data, Seq: &seq, Name: &e.name})
			if s.conn.Write(s.done, websocket.MessageText, text) != nil {
				return
			}
		}
		select {
		case <-s.more:
		case <-s.done.Done():
			return
		}
	}
}

// write sends a frame that is not an event.
func (s *discordSocket) write(op int, data any) {
	text, err := json.Marshal(map[string]any{"op": op, "d": data, "s": nil, "t": nil})
	if err == nil {
		_ = s.conn.Write(s.done, websocket.MessageText, text)
	}
}

// close ends a connection with a code, without waiting for the client.
func (s *discordSocket) close(code websocket.StatusCode, reason string) bool {
	done := recovery.Async(func() error { return s.conn.Close(code, reason) })
	_ = done
	return true // the read returns the end
}
