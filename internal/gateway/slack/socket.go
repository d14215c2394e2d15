package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/gateway"
)

const (
	// maxPayload is the size of the largest event that is read.
	maxPayload = 3 << 20
	// ackTime bounds the writing of an acknowledgement.
	ackTime = 10 * time.Second
)

// errAsked says that Slack asked for another socket, and errSilent that nothing came over one.
var (
	errAsked  = errors.New("Slack asks for a new connection") //nolint:staticcheck // the name of a company begins with a capital
	errSilent = errors.New("the connection to Slack was silent for too long")
)

// envelope is a message of a socket.
type envelope struct {
	Type       string `json:"type"`
	EnvelopeID string `json:"envelope_id"`
	Reason     string `json:"reason"`
	// Connections is how many sockets the app has. Slack sends each event over one of them.
	Connections int             `json:"num_connections"`
	Payload     json.RawMessage `json:"payload"`
}

// socket receives over one socket until it ends. The library has a client for sockets, too.
// It writes acknowledgements some time after it was asked to, cannot tell whether it did,
// and refuses whole events for a part that its types do not know.
func (a *Adapter) socket(ctx context.Context, in gateway.Intake) error {
	_, address, err := a.api.StartSocketModeContext(ctx)
	if err != nil {
		return orToken(err, appToken())
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "wss" && a.root.Scheme == "https" {
		return errNoAnswer
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(a.pace.silence, func() { cancel(errSilent) })
	defer silence.Stop()
	pinged := func(context.Context, []byte) bool {
		silence.Reset(a.pace.silence)
		return true
	}
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: a.http, OnPingReceived: pinged})
	if resp != nil && resp.Body != nil {
		defer func() { _ = resp.Body.Close() }()
	}
	if err != nil {
		return harmless(err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxPayload)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if err := a.handle(ctx, conn, in, text); err != nil {
			return err
		}
		silence.Reset(a.pace.silence)
	}
}

// handle takes a message of a socket. An error ends the socket.
func (a *Adapter) handle(ctx context.Context, conn *websocket.Conn, in gateway.Intake, text []byte) error {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		a.log.WarnContext(ctx, "slack: a message of a socket is not readable")
		return nil
	}
	switch {
	case e.Type == "hello":
		a.state("connected", "")
		if e.Connections > 1 {
			a.log.InfoContext(ctx, "slack: the app has other sockets; if they are of another program, it gets a part of the messages", "sockets", e.Connections)
		}
	case e.Type == "disconnect":
		return asked(e.Reason)
	case e.EnvelopeID != "" && a.take(ctx, in, &e):
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackTime)
		defer cancel()
		ack, err := json.Marshal(map[string]string{"envelope_id": e.EnvelopeID})
		if err != nil {
			return err
		}
		return conn.Write(ctx, websocket.MessageText, ack)
	}
	return nil
}

// asked is the end of a socket that Slack asks for. Most reasons are no trouble: a socket lives for
// some hours.
func asked(reason string) error {
	switch reason {
	case "link_disabled":
		return fmt.Errorf("%w: Socket Mode is off in the settings of the app", errAsked)
	case "too_many_websockets":
		return fmt.Errorf("%w: the app has too many sockets, so other programs use its token", errAsked)
	}
	return errAsked
}

// take commits the events of an envelope, and reports whether it may be acknowledged. Slack
// sends again what is not. An envelope that nobody can read would come again and again.
func (a *Adapter) take(ctx context.Context, in gateway.Intake, e *envelope) bool {
	ctx = context.WithoutCancel(ctx)
	r := a.reader()
	read := r.event
	switch e.Type {
	case "slash_commands":
		read = r.command
	case "interactive":
		read = r.interaction
	}
	reading, cancel := context.WithTimeout(ctx, a.pace.lookup)
	defer cancel()
	events, err := read(reading, e.Payload)
	if err != nil {
		a.log.WarnContext(ctx, "slack: a payload is not readable", "type", e.Type)
	}
	return a.commit(ctx, in, events)
}

// commit stores events, and reports whether they are stored.
func (a *Adapter) commit(ctx context.Context, in gateway.Intake, events []gateway.Event) bool {
	if len(events) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	if err := in.Commit(ctx, events, ""); err != nil {
		a.log.WarnContext(ctx, "slack: an event was not stored", "err", err)
		return false
	}
	return true
}
