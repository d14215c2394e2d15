package gatewaytest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// TelegramOptions configure a fake of Telegram. The zero value is usable.
type TelegramOptions struct {
	Addr     string // where to listen; "" is a free port of 127.0.0.1
	Token    string // "" is TelegramToken
	Username string // of the bot; "" is TelegramBotName
	// Private turns the privacy mode on: the bot does not see all messages of groups.
	Private bool
	// Unlimited turns the limits of rate off.
	Unlimited bool
	// Quiet records no requests: for load tests.
	Quiet bool
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// TelegramToken is the token of the fake's bot, TelegramBotName its user name.
const (
	TelegramToken   = "7700123:AAFake-Token_of-a_Bot-that_isNone"
	TelegramBotName = "hermes_test_bot"
)

// Telegram is a fake of Telegram's Bot API. It is safe for concurrent use.
type Telegram struct {
	URL   string // "http://127.0.0.1:port"
	Token string

	opt     TelegramOptions
	me      tgUser
	http    *http.Server
	done    <-chan error
	closed  chan struct{}
	closing sync.Once

	mu          sync.Mutex // guards the fields below
	conns       map[net.Conn]bool
	unreachable bool
	badToken    bool
	steps       map[string][]TelegramStep // by method
	always      map[string]TelegramStep
	requests    []*TelegramRequest
	broken      []string
	limited     int
	limits      tgLimits
	handler     http.Handler // to which updates are delivered
	delivery    <-chan error
	taken       int // messages of the bot
	tgQueue
	tgWorld
}

// NewTelegram starts a fake that ends with the test.
func NewTelegram(t TB, o TelegramOptions) *Telegram {
	t.Helper()
	s, err := StartTelegram(o)
	if err != nil {
		t.Fatalf("start the fake of Telegram: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// StartTelegram starts a fake; the caller closes it.
func StartTelegram(o TelegramOptions) (*Telegram, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Token == "" {
		o.Token = TelegramToken
	}
	if o.Username == "" {
		o.Username = TelegramBotName
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l, err := net.Listen("tcp", o.Addr) //nolint:noctx // listening does not block
	if err != nil {
		return nil, err
	}
	s := &Telegram{
		URL: "http://" + l.Addr().String(), Token: o.Token, opt: o, closed: make(chan struct{}),
		conns: map[net.Conn]bool{}, steps: map[string][]TelegramStep{}, always: map[string]TelegramStep{},
		limits: newTgLimits(), tgQueue: newTgQueue(), tgWorld: newTgWorld(),
	}
	s.me = tgUser{ID: tgBotID(o.Token), IsBot: true, FirstName: "Hermes", Username: o.Username}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ConnState: s.connState, ErrorLog: log.New(io.Discard, "", 0),
	}
	s.done = recovery.Async(func() error { return s.http.Serve(l) })
	return s, nil
}

// Close ends the fake and every request that it is answering.
func (s *Telegram) Close() { s.closing.Do(s.end) }

func (s *Telegram) end() {
	close(s.closed)
	_ = s.http.Close()
	if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
		panic(err)
	}
	s.mu.Lock()
	delivery := s.delivery
	s.mu.Unlock()
	if delivery == nil {
		return
	}
	if err := <-delivery; err != nil {
		panic(err)
	}
}

// connState keeps the list of open connections.
func (s *Telegram) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(s.conns, c)
		return
	}
	s.conns[c] = true
}

// Cut closes all connections to the fake.
func (s *Telegram) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// SetUnreachable makes the fake unreachable for the fake's own clients, or reachable again.
func (s *Telegram) SetUnreachable(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreachable = on
}

// SetBadToken makes the fake refuse the token, or take it again.
func (s *Telegram) SetBadToken(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.badToken = on
}

// Client returns an HTTP client that can reach the fake only while the fake is reachable.
// It ends with the test.
func (s *Telegram) Client(t TB) *http.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: gate{s, transport}}
}

// gate is a transport that fails while the fake is unreachable.
type gate struct {
	s    *Telegram
	next http.RoundTripper
}

// errDial is the error of a connection that cannot be made.
func errDial() error { return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED} }

// RoundTrip passes a request on.
func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	g.s.mu.Lock()
	off := g.s.unreachable
	g.s.mu.Unlock()
	if off {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, errDial()
	}
	return g.next.RoundTrip(r)
}

// ServeHTTP answers one request.
func (s *Telegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+s.Token+"/"); ok {
		s.serveFile(w, r, path)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, found := strings.Cut(rest, "/")
	switch {
	case !ok || !found:
		tgFailure(404, "Not Found").write(w)
		return
	case token != s.Token || s.refusesToken():
		tgFailure(401, "Unauthorized").write(w)
		return
	}
	req, err := readTelegram(r, method)
	if err != nil {
		tgFailure(400, "Bad Request: "+err.Error()).write(w)
		return
	}
	step := s.record(req)
	if !step.before(r.Context(), s.closed, w) {
		return
	}
	answer := s.answer(r.Context(), req)
	s.mu.Lock()
	req.Status = answer.status()
	s.mu.Unlock()
	if step.CutAfter || !linger(r.Context(), s.closed, step.Late) {
		panic(http.ErrAbortHandler)
	}
	answer.write(w)
}

// refusesToken reports whether the token was made bad.
func (s *Telegram) refusesToken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.badToken
}

// record keeps a request, and returns the step that it meets.
func (s *Telegram) record(req *TelegramRequest) TelegramStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.At = s.opt.Now()
	if !s.opt.Quiet {
		s.requests = append(s.requests, req)
	}
	for _, method := range []string{req.Method, ""} {
		if list := s.steps[method]; len(list) > 0 {
			s.steps[method] = list[1:]
			return list[0]
		}
		if step, ok := s.always[method]; ok {
			return step
		}
	}
	return TelegramStep{}
}

// answer carries out a method.
func (s *Telegram) answer(ctx context.Context, req *TelegramRequest) tgAnswer {
	if req.Method == "getUpdates" {
		return s.getUpdates(ctx, req)
	}
	methods := map[string]func(*TelegramRequest) (any, error){
		"getMe": s.getMe, "setWebhook": s.setWebhook, "deleteWebhook": s.deleteWebhook, "getWebhookInfo": s.getWebhookInfo,
		"sendMessage": s.sendMessage, "sendDocument": s.sendDocument, "editMessageText": s.editMessageText,
		"sendMessageDraft": s.sendMessageDraft, "sendChatAction": s.sendChatAction,
		"setMessageReaction": s.setMessageReaction, "answerCallbackQuery": s.answerCallbackQuery,
		"setMyCommands": s.setMyCommands, "getMyCommands": s.getMyCommands, "getFile": s.getFile,
	}
	do, ok := methods[req.Method]
	if !ok {
		return tgFailure(404, "Not Found: method not found")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	result, err := do(req)
	if failed, ok := errors.AsType[*tgError](err); ok {
		return tgAnswer{err: failed}
	}
	return tgAnswer{result: result}
}

// getMe says who the bot is.
func (s *Telegram) getMe(*TelegramRequest) (any, error) {
	return map[string]any{
		"id": s.me.ID, "is_bot": true, "first_name": s.me.FirstName, "username": s.me.Username,
		"can_join_groups": true, "can_read_all_group_messages": !s.opt.Private, "supports_inline_queries": false,
	}, nil
}
