package gatewaytest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// envelope is an event on its way to the adapter.
type envelope struct {
	id       string
	serial   int
	kind     string
	payload  []byte
	events   []string // the Event.IDs that the adapter must give
	attempts int
	conn     *slackConn
	sent     time.Time
	acked    bool
}

// slackQueue holds what the adapter has not acknowledged.
type slackQueue struct {
	serial  int
	fresh   []*envelope // in order
	flying  []*envelope
	all     map[string]*envelope   // by id, until acknowledged
	told    map[string][]*envelope // by the Event.ID
	changed chan struct{}          // closed and made anew by each change
	conns   []*slackConn
}

// slackConn is a socket.
type slackConn struct {
	ws     *websocket.Conn
	closed chan struct{}
}

// wake tells the sockets that there is something to do. The caller holds the lock.
func (q *slackQueue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Deliver sends an event to the adapter. events are the Event.IDs that the adapter must give.
func (s *Slack) Deliver(kind string, payload any, events ...string) {
	body, err := json.Marshal(payload)
	if err != nil {
		panic(err) // a test's own value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.outgoing
	q.serial++
	e := &envelope{id: s.next("envelope-"), serial: q.serial, kind: kind, payload: body, events: events}
	for _, id := range events {
		q.told[id] = append(q.told[id], e)
	}
	q.add(e)
}

// Again sends everything once more that was sent for events, in the order given.
func (s *Slack) Again(events ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.outgoing
	for _, id := range events {
		for _, old := range q.told[id] {
			q.serial++
			q.add(&envelope{id: s.next("envelope-"), serial: q.serial, kind: old.kind, payload: old.payload, events: old.events})
		}
	}
}

// add puts an event in the queue. The caller holds the lock.
func (q *slackQueue) add(e *envelope) {
	q.all[e.id] = e
	q.fresh = append(q.fresh, e)
	q.wake()
}

func (s *Slack) connectionsOpen(url.Values) (map[string]any, string) {
	ticket := s.next("ticket")
	s.tickets[ticket] = true
	return map[string]any{"url": "ws" + strings.TrimPrefix(s.server.URL, "http") + "/link?ticket=" + ticket}, ""
}

// admit checks the request for a socket. A ticket is good for one.
func (s *Slack) admit(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ticket := r.URL.Query().Get("ticket")
	if origin := r.Header.Get("Origin"); !s.tickets[ticket] || origin != "" && origin != "https://api.slack.com" {
		s.breach("a socket with the origin %q and a ticket that is not good", origin)
		return false
	}
	delete(s.tickets, ticket)
	s.counts.Opened++
	return true
}

// link serves a socket.
func (s *Slack) link(w http.ResponseWriter, r *http.Request) {
	s.wait.Add(1)
	defer s.wait.Done()
	if s.fail(w, s.fault("link")) {
		return
	}
	if !s.admit(r) {
		http.Error(w, "no ticket", http.StatusForbidden)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	c := &slackConn{ws: ws, closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	defer func() { _ = ws.CloseNow() }()
	if ws.Write(ctx, websocket.MessageText, []byte(`{"type":"hello","num_connections":1,"debug_info":{"host":"fake"}}`)) != nil {
		return
	}
	s.mu.Lock()
	s.outgoing.conns = append(s.outgoing.conns, c)
	s.mu.Unlock()
	_ = recovery.Async(func() error { return s.readAcks(ctx, c) }) // ends by closing c.closed
	s.writeEvents(ctx, c)
	s.lose(c)
}

// readAcks reads acknowledgements until the socket ends.
func (s *Slack) readAcks(ctx context.Context, c *slackConn) error {
	defer close(c.closed)
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			return err
		}
		var ack struct {
			EnvelopeID string `json:"envelope_id"`
		}
		if json.Unmarshal(data, &ack) != nil || ack.EnvelopeID == "" {
			s.note("a message of a socket is no acknowledgement: %.80q", data)
			continue
		}
		s.acknowledge(ack.EnvelopeID)
	}
}

// acknowledge takes an event for received.
func (s *Slack) acknowledge(id string) {
	s.mu.Lock()
	e := s.outgoing.all[id]
	s.mu.Unlock()
	if e == nil {
		return // again, because it had come again
	}
	s.confirm(e.events)
	s.mu.Lock()
	defer s.mu.Unlock()
	e.acked = true
	delete(s.outgoing.all, id)
	s.outgoing.flying = slices.DeleteFunc(s.outgoing.flying, func(o *envelope) bool { return o == e })
	s.outgoing.wake()
}

// writeEvents sends events, those without an acknowledgement again, and pings.
func (s *Slack) writeEvents(ctx context.Context, c *slackConn) {
	again := time.NewTicker(s.options.Resend / 4)
	defer again.Stop()
	ping := time.NewTicker(s.options.Ping)
	defer ping.Stop()
	for {
		due, changed := s.due(c)
		for _, text := range due {
			if c.ws.Write(ctx, websocket.MessageText, text) != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-again.C:
		case <-ping.C:
			if c.ws.Ping(ctx) != nil {
				return
			}
			s.pinged()
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// pinged counts a ping that was answered.
func (s *Slack) pinged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Pings++
}

// due are the envelopes that are sent now.
func (s *Slack) due(c *slackConn) (texts [][]byte, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.outgoing
	now := time.Now()
	for _, e := range q.flying {
		if now.Sub(e.sent) >= s.options.Resend {
			texts = append(texts, e.write(c, now))
		}
	}
	for len(q.fresh) > 0 && len(q.flying) < s.options.InFlight {
		e := q.fresh[0]
		q.fresh = q.fresh[1:]
		if e.acked {
			continue
		}
		q.flying = append(q.flying, e)
		texts = append(texts, e.write(c, now))
	}
	return texts, q.changed
}

// write is the envelope as it is sent over a socket.
func (e *envelope) write(c *slackConn, now time.Time) []byte {
	e.conn, e.sent = c, now
	content := map[string]any{
		"envelope_id": e.id, "type": e.kind, "payload": json.RawMessage(e.payload), "accepts_response_payload": e.kind != "events_api",
	}
	if e.kind == "events_api" {
		content["retry_attempt"], content["retry_reason"] = e.attempts, ""
		if e.attempts > 0 {
			content["retry_reason"] = "timeout"
		}
	}
	e.attempts++
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // the payload is JSON
	}
	return text
}

// lose ends a socket: what it carried is sent over the next one, in order.
func (s *Slack) lose(c *slackConn) {
	_ = c.ws.CloseNow()
	<-c.closed
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.outgoing
	var kept []*envelope
	for _, e := range q.flying {
		if e.conn == c {
			q.fresh = append(q.fresh, e)
		} else {
			kept = append(kept, e)
		}
	}
	q.flying = kept
	slices.SortFunc(q.fresh, func(a, b *envelope) int { return cmp.Compare(a.serial, b.serial) })
	q.conns = slices.DeleteFunc(q.conns, func(o *slackConn) bool { return o == c })
	q.wake()
}

// Cut breaks all sockets.
func (s *Slack) Cut() {
	for _, c := range s.sockets() {
		_ = c.ws.CloseNow()
	}
}

// Disconnect asks the adapter to open another socket, and ends the present ones.
func (s *Slack) Disconnect(reason string) {
	for _, c := range s.sockets() {
		_ = c.ws.Write(s.ctx, websocket.MessageText, []byte(`{"type":"disconnect","reason":"`+reason+`","debug_info":{"host":"fake"}}`))
	}
}

func (s *Slack) sockets() []*slackConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.outgoing.conns)
}

// AwaitAcks waits until the adapter has acknowledged everything, as long as it goes on.
func (s *Slack) AwaitAcks(t TB) {
	t.Helper()
	for {
		s.mu.Lock()
		left, changed := len(s.outgoing.all), s.outgoing.changed
		s.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatalf("%d events are not acknowledged", left)
		}
	}
}
