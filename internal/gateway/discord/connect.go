package discord

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/disgoorg/disgo/rest"
	"golang.org/x/time/rate"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// longestWait is the longest wait between two connections, as a multiple of Config.Retry.
const longestWait = 60

// drainTime bounds how long what has arrived may wait for a commit after the last
// connection, as a multiple of Config.Retry.
const drainTime = 10

// Run receives events until ctx ends.
func (a *Adapter) Run(ctx context.Context, in gateway.Intake) error {
	a.state.set(connecting, "")
	err := a.run(ctx, &receiver{a: a, in: in, queue: newQueue()})
	a.http.CloseIdleConnections()
	reason := ""
	if err != nil {
		reason = fault.MessageOf(err)
	}
	a.state.set(stopped, reason)
	return err
}

// run connects and commits, each for itself: a commit that takes its time holds up no
// heartbeat.
func (a *Adapter) run(ctx context.Context, r *receiver) error {
	if !r.restore(ctx) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer r.tasks.Wait()
	defer cancel()
	l := newLine(a, r)
	committing := recovery.Async(func() error {
		r.commitAll(ctx)
		return nil
	})
	connecting := recovery.Async(func() error { return l.connectAll(ctx) })
	select {
	case err := <-connecting: // another connection is useless
		r.queue.end()
		late := time.AfterFunc(drainTime*a.cfg.Retry, recovery.Func(cancel, recovery.Logged(ctx, a.cfg.Log, "discord")))
		defer late.Stop()
		return errors.Join(err, <-committing)
	case err := <-committing: // ended with ctx, or by a panic
		cancel()
		return errors.Join(err, <-connecting)
	}
}

// line is the connection to the gateway, over all reconnects. Its position is that of what
// has arrived; the receiver's is that of what is committed.
type line struct {
	a     *Adapter
	queue *queue
	at    position
	wait  backoff
	url   string // of the gateway, once it was asked for
	// identifies bounds new sessions.
	identifies *rate.Limiter
}

// Bounds of new sessions. Discord resets the token of a bot that begins a thousand of them
// in a day.
const (
	sessionsAtOnce = 100
	// sessionEvery is how often one more may begin, as a multiple of Config.Retry.
	sessionEvery = 100
)

func newLine(a *Adapter, r *receiver) *line {
	return &line{
		a: a, queue: r.queue, at: r.at, wait: backoff{least: a.cfg.Retry, most: longestWait * a.cfg.Retry},
		identifies: rate.NewLimiter(rate.Every(sessionEvery*a.cfg.Retry), sessionsAtOnce),
	}
}

// may waits until a connection may be made. It reports false if the context ends.
func (l *line) may(ctx context.Context) bool {
	return l.at.resumable() || l.identifies.Wait(ctx) == nil
}

// rest waits after a connection. It reports false if the context ends.
func (l *line) rest(ctx context.Context, end *ending) bool {
	wait := l.wait.next()
	if end.lost { // Discord asks for one to five seconds
		wait += l.a.cfg.Retry + rand.N(4*l.a.cfg.Retry)
	}
	if end.full && !l.queue.room(ctx) {
		return false
	}
	return pause(ctx, wait)
}

// connectAll connects until the context ends. It returns an error if another try is
// useless.
func (l *line) connectAll(ctx context.Context) error {
	for l.may(ctx) {
		end := l.connect(ctx)
		if stops(ctx) {
			return nil
		}
		if end.fatal != nil {
			return end.fatal
		}
		if end.lost {
			l.at.lost()
		}
		l.a.state.set(connecting, end.reason)
		l.a.cfg.Log.InfoContext(ctx, "discord: the connection ended, the next one follows", "reason", end.reason)
		if !l.rest(ctx, end) {
			return nil
		}
	}
	return nil
}

func stops(ctx context.Context) bool { return ctx.Err() != nil }

// ending says how a connection ended.
type ending struct {
	reason string
	lost   bool // the session cannot be resumed
	full   bool // too much waits for a commit
	fatal  error
}

// Bounds of a connection.
const (
	dialTimeout = 20 * time.Second
	// readyTimeout is for the greeting, and for the first answer behind it.
	readyTimeout = 20 * time.Second
	closeTimeout = 2 * time.Second
	writeTimeout = 10 * time.Second
	maxFrame     = 16 << 20
)

// gatewayURL is where to connect.
func (l *line) gatewayURL(ctx context.Context) (string, error) {
	if l.at.resumable() && l.at.Resume != "" {
		return l.at.Resume, nil
	}
	if l.a.cfg.GatewayURL != "" {
		return l.a.cfg.GatewayURL, nil
	}
	if l.url == "" {
		var out struct {
			URL string `json:"url"`
		}
		if err := l.a.api.do(ctx, rest.GetGateway.Compile(nil), nil, &out); err != nil {
			return "", err
		}
		l.url = out.URL
	}
	return l.url, nil
}

// dial opens a connection.
func (l *line) dial(ctx context.Context) (*websocket.Conn, *ending) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	url, err := l.gatewayURL(ctx)
	if err != nil {
		return nil, &ending{reason: "Discord's API does not tell where its gateway is: " + detail(err)}
	}
	conn, answer, err := websocket.Dial(ctx, url+"?v=10&encoding=json", &websocket.DialOptions{HTTPClient: l.a.http})
	if answer != nil && answer.Body != nil {
		_ = answer.Body.Close()
	}
	if err != nil {
		l.at.Resume = "" // that server is perhaps gone: the session can be resumed at any other
		return nil, &ending{reason: "Discord's gateway takes no connection: " + refusal(answer, err)}
	}
	conn.SetReadLimit(maxFrame)
	return conn, nil
}

// refusal says why a connection was not taken.
func refusal(answer *http.Response, err error) string {
	if answer != nil {
		return fmt.Sprintf("it answers with status %d.", answer.StatusCode)
	}
	return plain(err).Error() + "."
}

// detail is an error of a request, with its cause.
func detail(err error) string {
	failed, ok := errors.AsType[*gateway.SendError](err)
	switch {
	case !ok:
		return plain(err).Error() + "."
	case failed.Err != nil:
		return fmt.Sprintf("%s (%v)", failed.Text, failed.Err)
	}
	return failed.Text
}

const refusedToken = "Discord refuses the bot's token. Make a new one in the Discord Developer Portal, under Bot, and set DISCORD_BOT_TOKEN."

// fatalOf is the error of a closed connection after which another try is useless; nil for
// other codes.
func fatalOf(code websocket.StatusCode) error {
	switch code {
	case 4004:
		return fault.New(fault.Unauthenticated, "discord_4004", refusedToken)
	case 4010:
		return fault.New(fault.Invalid, "discord_4010", "Discord refuses the shard. Update Hermes.")
	case 4011:
		return fault.New(fault.Invalid, "discord_4011", "The bot is in too many servers for one connection. Take it out of some servers.")
	case 4012:
		return fault.New(fault.Invalid, "discord_4012", "Discord does not offer version 10 of its gateway any more. Update Hermes.")
	case 4013:
		return fault.New(fault.Invalid, "discord_4013", "Discord does not know the intents that the bot asks for. Update Hermes.")
	case 4014:
		return fault.New(fault.Forbidden, "discord_4014", "Discord does not allow the bot to read messages. "+
			"Switch on the Message Content Intent in the Discord Developer Portal: Bot, Privileged Gateway Intents.")
	}
	return nil
}

// isLost reports whether the session cannot be resumed after a code.
func isLost(code websocket.StatusCode) bool { return code == 4003 || code == 4007 || code == 4009 }

// endOf says how a connection ended from the error of its last read.
func endOf(err error) *ending {
	code := websocket.CloseStatus(err)
	if fatal := fatalOf(code); fatal != nil {
		return &ending{fatal: fatal}
	}
	if code < 0 {
		return &ending{reason: "The connection to Discord broke."}
	}
	return &ending{reason: fmt.Sprintf("Discord closed the connection with code %d.", code), lost: isLost(code)}
}
