package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// socketLife is how long a connection may last, as at OpenAI. The response under way is
// finished first.
const socketLife = time.Hour

// pingEvery is how often the client of an idle connection must answer.
const pingEvery = 30 * time.Second

// socket is a WebSocket connection to /v1/responses. Its client sends events of type
// response.create, and gets the events of each response, as in a stream of server-sent
// events. Responses are made one after another.
type socket struct {
	*server
	conn *websocket.Conn
	r    *http.Request // the handshake, whose owner and headers hold for every response
	last *chain        // the newest response that is not stored; nil for none
}

// openSocket answers GET /v1/responses, the handshake of a WebSocket connection.
func (s *server) openSocket(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Upgrade") == "" {
		f := fault.New(fault.Invalid, "upgrade_required", "GET /v1/responses is for WebSocket connections. Make a response with POST.")
		f.Status = http.StatusUpgradeRequired
		w.Header().Set("Upgrade", "websocket")
		return f
	}
	leave, ok := s.Sockets.enter()
	if !ok {
		return fault.New(fault.Unavailable, "stopping", "The server stops. Try again shortly.")
	}
	defer leave()
	// Hosts, origins and the key were checked as for every request.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil // the library has answered
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxBody)
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(s.Sockets.cut, recovery.Func(stop, recovery.Logged(ctx, s.Log, "the end of a connection")))()
	k := &socket{server: s, conn: conn, r: r.WithContext(ctx)}
	frames := make(chan []byte, 1)
	read := make(chan struct{})
	go recovery.Func(func() {
		defer close(read)
		defer stop() // a client that is gone ends the response under way
		k.read(ctx, frames)
	}, recovery.Logged(ctx, s.Log, "a WebSocket connection"))()
	k.serve(ctx, frames)
	_ = conn.CloseNow()
	<-read
	return nil
}

// read receives the client's events, until the connection ends. One may wait while a
// response is under way.
func (k *socket) read(ctx context.Context, frames chan<- []byte) {
	for {
		kind, data, err := k.conn.Read(ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			k.refuse(ctx, fault.New(fault.Invalid, "invalid_event", "Events are text messages with JSON."))
			continue
		}
		select {
		case frames <- data:
		default:
			k.refuse(ctx, fault.New(fault.RateLimited, "response_in_progress",
				"A response is under way on this connection, and another one waits. Send the next event when they are over, or open another connection."))
		}
	}
}

// serve makes one response after another.
func (k *socket) serve(ctx context.Context, frames <-chan []byte) {
	end := time.NewTimer(socketLife)
	defer end.Stop()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done(): // which has closed the connection
			return
		case <-k.Sockets.stopping:
			_ = k.conn.Close(websocket.StatusGoingAway, "the server stops")
			return
		case <-end.C:
			k.refuse(ctx, fault.New(fault.Invalid, "websocket_connection_limit_reached",
				"This connection has lasted an hour, its limit. Open another one to continue."))
			_ = k.conn.Close(websocket.StatusNormalClosure, "the connection's limit was reached")
			return
		case <-ping.C:
			if !k.alive(ctx) {
				return
			}
		case frame := <-frames:
			if err := recovery.Do(func() error { return k.respond(ctx, frame) }); err != nil {
				k.last = nil // a failed continuation cannot be continued either
				k.refuse(ctx, err)
			}
		}
	}
}

// alive asks the client for a sign of life.
func (k *socket) alive(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, writeTimeout)
	defer stop()
	return k.conn.Ping(ctx) == nil
}

// send sends one event, and reports whether the client is still connected.
func (k *socket) send(ctx context.Context, event []byte) bool {
	ctx, stop := context.WithTimeout(ctx, writeTimeout+time.Duration(len(event))*time.Second/slowestRead)
	defer stop()
	return k.conn.Write(ctx, websocket.MessageText, event) == nil
}

// refuse sends an error event.
func (k *socket) refuse(ctx context.Context, err error) {
	f := asFault(ended(ctx, err))
	code := status(f)
	if code >= 500 || f.Err != nil {
		k.Log.Log(ctx, levelOf(code), "response over WebSocket failed", "status", code, "code", f.Code, "err", err)
	}
	e := errorOf(f)
	if f.Code == "" {
		e.Code = e.Type // a client of events needs a code
	}
	body, err := json.Marshal(struct {
		Type   string       `json:"type"`
		Status int          `json:"status"`
		Error  openai.Error `json:"error"`
	}{"error", code, e})
	if err == nil {
		k.send(ctx, body)
	}
}

// respond makes the response of one event. It fails before the response has begun.
func (k *socket) respond(ctx context.Context, frame []byte) error {
	event, err := openai.ParseCreate(frame)
	if err != nil {
		return err
	}
	var before *chain
	if event.Previous != "" && k.last != nil && event.Previous == k.last.id {
		before = k.last
	}
	body, err := event.Body(before.items())
	if err != nil {
		return err
	}
	if len(body) > maxBody { // with what earlier events brought
		return &http.MaxBytesError{Limit: maxBody}
	}
	out := &socketWriter{socket: k, ctx: ctx, header: make(http.Header)}
	rt := route{method: http.MethodPost, path: "/v1/responses", handle: k.createResponse}
	if err := k.limitRate(out, rt, ownerOf(k.r)); err != nil {
		return err
	}
	if event.Warms {
		return k.warm(ctx, event, before)
	}
	if err := k.post(ctx, out, rt, body, before); err != nil {
		return err
	}
	k.last = out.ended(event, before)
	return nil
}

// post makes a response as POST /v1/responses does.
func (k *socket) post(ctx context.Context, out *socketWriter, rt route, body []byte, before *chain) error {
	if before != nil {
		ctx = context.WithValue(ctx, chainKey{}, before.id)
	}
	r := k.r.Clone(ctx)
	r.Method, r.ContentLength, r.Body = http.MethodPost, int64(len(body)), io.NopCloser(bytes.NewReader(body))
	r.Header.Del(idempotencyName) // it would mean every response of the connection
	return k.server.serve(out, r, rt)
}

// warm prepares a response without asking a model: what it has as input need not be sent
// again with the next one.
func (k *socket) warm(ctx context.Context, event *openai.CreateEvent, before *chain) error {
	now := k.Now().Unix()
	head := openai.Response{
		ID: newResponseID(), CreatedAt: now, Model: event.Request.Model, Previous: event.Previous, Settings: event.Request.Settings,
	}
	head.Settings.Store = false
	told := openai.NewResponseStream(head)
	events := told.Begin("")
	events = append(events, told.End(&openai.ResponseEnd{At: now, Finish: "stop", Usage: &openai.Usage{}})...)
	for i := range events {
		k.send(ctx, events[i].Data)
	}
	k.last = &chain{id: head.ID, input: append(before.items(), event.Input...)}
	return nil
}
