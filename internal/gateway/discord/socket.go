package discord

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// resumeLater is the code with which a connection is closed so that the session can be
// resumed. Discord ends it at 1000 and 1001.
const resumeLater = websocket.StatusCode(4000)

// socket is one connection.
type socket struct {
	l    *line
	conn *websocket.Conn
	ctx  context.Context         // of the connection
	fail context.CancelCauseFunc // breaks it
	slow *time.Timer             // breaks it if the session does not begin

	seq   atomic.Int64 // of the last event that arrived
	acked atomic.Bool  // the last heartbeat
	beats <-chan error // ends with the heartbeats; nil before the greeting
	since time.Time    // when the session went on; zero before that
}

// steady is how long a connection lasts, as a multiple of Config.Retry, before the waits
// between connections begin anew.
const steady = 10

var (
	errSilent = errors.New("the session did not begin")
	errNoAck  = errors.New("a heartbeat was not acknowledged")
)

// connect opens a connection, and reads from it until it ends.
func (l *line) connect(ctx context.Context) *ending {
	conn, failed := l.dial(ctx)
	if failed != nil {
		return failed
	}
	own, fail := context.WithCancelCause(context.WithoutCancel(ctx))
	defer fail(nil)
	panicked := recovery.Logged(ctx, l.a.cfg.Log, "discord")
	s := &socket{l: l, conn: conn, ctx: own, fail: fail}
	s.seq.Store(int64(l.at.Seq))
	s.slow = time.AfterFunc(l.a.readyTimeout, recovery.Func(func() { fail(errSilent) }, panicked))
	defer s.slow.Stop()
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, recovery.Func(func() {
		defer close(closed)
		s.close()
	}, panicked))
	end := s.readAll()
	if s.since.IsZero() {
		l.at.Resume = "" // the server may be ill, and another one can resume the session
	} else if time.Since(s.since) > steady*l.a.cfg.Retry {
		l.wait.reset()
	}
	if !stop() {
		<-closed
	} else if ctx.Err() == nil {
		s.close()
	}
	fail(nil)
	if s.beats != nil {
		recovery.Log(own, l.a.cfg.Log, "discord: heartbeats", <-s.beats)
	}
	return end
}

// close ends the connection so that the session can be resumed.
func (s *socket) close() {
	late := time.AfterFunc(closeTimeout, recovery.Func(func() { s.fail(nil) }, recovery.Logged(s.ctx, s.l.a.cfg.Log, "discord")))
	defer late.Stop()
	_ = s.conn.Close(resumeLater, "the bot connects again")
}

// readAll reads until the connection ends.
func (s *socket) readAll() *ending {
	for {
		_, text, err := s.conn.Read(s.ctx)
		if err != nil {
			return s.endOf(err)
		}
		f, err := readFrame(text)
		if err != nil {
			return &ending{reason: "Discord sent what is no frame of its gateway."}
		}
		if end := s.receive(f); end != nil {
			return end
		}
	}
}

// endOf says how the connection ended from the error of its last read.
func (s *socket) endOf(err error) *ending {
	switch cause := context.Cause(s.ctx); {
	case errors.Is(cause, errSilent):
		return &ending{reason: "Discord did not begin the session."}
	case errors.Is(cause, errNoAck):
		return &ending{reason: "Discord did not acknowledge a heartbeat."}
	}
	return endOf(err)
}

// receive carries out a frame. It returns how the connection ends; nil if it goes on.
func (s *socket) receive(f *frame) *ending {
	switch f.Op {
	case opHello:
		return s.greet(f)
	case opHeartbeat:
		s.beat()
	case opAck:
		s.acked.Store(true)
	case opReconnect:
		return &ending{reason: "Discord asked for another connection."}
	case opInvalid:
		return &ending{reason: "Discord has ended the session.", lost: !f.resumable()}
	case opEvent:
		return s.event(f)
	}
	return nil
}

// greet begins the heartbeats, and identifies or resumes.
func (s *socket) greet(f *frame) *ending {
	interval, ok := f.interval()
	if !ok || s.beats != nil {
		return &ending{reason: "Discord sent a greeting that cannot be read."}
	}
	s.acked.Store(true)
	s.beats = recovery.Async(func() error {
		s.beatAll(interval)
		return nil
	})
	at := &s.l.at
	if at.resumable() {
		s.write(opResume, map[string]any{"token": s.l.a.cfg.Token, "session_id": at.Session, "seq": at.Seq})
		return nil
	}
	s.write(opIdentify, map[string]any{
		"token": s.l.a.cfg.Token, "intents": intents,
		"properties": map[string]string{"os": "linux", "browser": "hermes", "device": "hermes"},
	})
	return nil
}

// beatAll sends heartbeats until the connection ends. It breaks the connection if one was
// not acknowledged when the next is due.
func (s *socket) beatAll(interval time.Duration) {
	wait := rand.N(interval) // all bots reconnect at once after a failure of Discord
	for pause(s.ctx, wait) {
		if !s.acked.Swap(false) {
			s.fail(errNoAck)
			return
		}
		s.beat()
		wait = interval
	}
}

// beat sends one heartbeat.
func (s *socket) beat() {
	if seq := s.seq.Load(); seq > 0 {
		s.write(opHeartbeat, seq)
		return
	}
	s.write(opHeartbeat, nil)
}

// write sends a frame. If that fails or takes too long, the read fails too.
func (s *socket) write(op int, data any) {
	text, err := json.Marshal(map[string]any{"op": op, "d": data})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	_ = s.conn.Write(ctx, websocket.MessageText, text)
}

// event takes an event into the queue. Only then it counts as arrived.
func (s *socket) event(f *frame) *ending {
	a := arrival{name: f.Name, seq: f.Seq, data: f.Data}
	switch f.Name {
	case eventReady:
		a.ready, a.data = f.ready(), nil
		if a.ready == nil {
			return &ending{reason: "Discord sent a session that cannot be read."}
		}
	case eventResumed:
		s.begun()
	case messageCreate, messageUpdate, messageDelete, messageDeleteBulk, interactionCreate:
	default:
		s.arrived(f.Seq)
		return nil
	}
	if f.Name != eventResumed && !s.l.queue.add(a) {
		return &ending{reason: "Too many events wait for the database.", full: true}
	}
	if a.ready != nil {
		s.l.at.begin(a.ready, 0)
		s.begun()
	}
	s.arrived(f.Seq)
	return nil
}

// begun notes that the session goes on.
func (s *socket) begun() {
	s.slow.Stop()
	s.since = time.Now()
	s.l.a.state.set(connected, "")
	s.l.a.cfg.Log.InfoContext(s.ctx, "discord: connected")
}

// arrived notes how far events have come.
func (s *socket) arrived(seq int) {
	s.l.at.Seq = max(s.l.at.Seq, seq)
	s.seq.Store(int64(s.l.at.Seq))
}
