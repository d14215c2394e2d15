package gatewaytest

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// WhatsAppOptions configure a fake of WhatsApp. The zero value is usable.
type WhatsAppOptions struct {
	Addr string // where to listen; "" is a free port of 127.0.0.1
	// NoNumbers hides the phone numbers of people, and NoUserIDs their user ids. Without
	// either, webhooks name both.
	NoNumbers, NoUserIDs bool
	// LateRefusals accepts a message outside the window, and says in a status that it failed.
	LateRefusals bool
	// NoStatuses tells nothing of what becomes of messages.
	NoStatuses bool
	// Unlimited turns the limits of rate off.
	Unlimited bool
	// Quality is the rating of the number; "" is "GREEN".
	Quality string
	// Permissions are those of the token; nil is all that are needed.
	Permissions []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// What the fake of WhatsApp knows of its client.
const (
	WhatsAppPhoneID  = "106540352242922"
	WhatsAppNumber   = "15550783881"
	WhatsAppName     = "Hermes Test"
	WhatsAppToken    = "EAAFakeTokenOfWhatsApp0123456789"
	WhatsAppSecret   = "fake-app-secret-0123456789abcdef"
	WhatsAppVerify   = "fake-verify-token-0123456789"
	WhatsAppTemplate = "hermes_update"
)

// waVersion is the version of the API.
const waVersion = "v26.0"

// WhatsApp is a fake of WhatsApp's Cloud API. It is safe for concurrent use.
type WhatsApp struct {
	URL string // "http://127.0.0.1:port"

	opt     WhatsAppOptions
	http    *http.Server
	done    <-chan error
	closed  chan struct{}
	closing sync.Once

	mu          sync.Mutex // guards the fields below
	conns       map[net.Conn]bool
	unreachable bool
	badToken    bool
	steps       map[string][]WhatsAppStep // by kind
	always      map[string]WhatsAppStep
	requests    []*WhatsAppRequest
	broken      []string
	limits      waLimits
	waQueue
	waWorld
}

// NewWhatsApp starts a fake that ends with the test.
func NewWhatsApp(t TB, o WhatsAppOptions) *WhatsApp {
	t.Helper()
	s, err := StartWhatsApp(o)
	if err != nil {
		t.Fatalf("start the fake of WhatsApp: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// StartWhatsApp starts a fake; the caller closes it.
func StartWhatsApp(o WhatsAppOptions) (*WhatsApp, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Quality == "" {
		o.Quality = "GREEN"
	}
	if o.Permissions == nil {
		o.Permissions = []string{"whatsapp_business_messaging", "whatsapp_business_management"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l, err := net.Listen("tcp", o.Addr) //nolint:noctx // listening does not block
	if err != nil {
		return nil, err
	}
	s := &WhatsApp{
		URL: "http://" + l.Addr().String(), opt: o, closed: make(chan struct{}),
		conns: map[net.Conn]bool{}, steps: map[string][]WhatsAppStep{}, always: map[string]WhatsAppStep{},
		limits: newWaLimits(), waQueue: newWaQueue(), waWorld: newWaWorld(),
	}
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ConnState: s.connState, ErrorLog: log.New(io.Discard, "", 0),
	}
	s.done = recovery.Async(func() error { return s.http.Serve(l) })
	return s, nil
}

// Close ends the fake and every request that it is answering.
func (s *WhatsApp) Close() { s.closing.Do(s.end) }

func (s *WhatsApp) end() {
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
func (s *WhatsApp) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(s.conns, c)
		return
	}
	s.conns[c] = true
}

// Cut closes all connections to the fake.
func (s *WhatsApp) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// SetUnreachable makes the fake unreachable for the fake's own clients, or reachable again.
func (s *WhatsApp) SetUnreachable(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreachable = on
}

// SetBadToken makes the fake refuse the token, or take it again.
func (s *WhatsApp) SetBadToken(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.badToken = on
}

// Client returns an HTTP client that can reach the fake only while the fake is reachable.
// It ends with the test.
func (s *WhatsApp) Client(t TB) *http.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: waGate{s, transport}}
}

// waGate is a transport that fails while the fake is unreachable.
type waGate struct {
	s    *WhatsApp
	next http.RoundTripper
}

// RoundTrip passes a request on.
func (g waGate) RoundTrip(r *http.Request) (*http.Response, error) {
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
func (s *WhatsApp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.String(), WhatsAppToken) {
		s.note("the token is in a URL")
	}
	if s.refuses(r.Header.Get("Authorization")) {
		waFailure(190, "Invalid OAuth access token").write(w)
		return
	}
	req, err := readWhatsApp(r)
	if err != nil {
		waFailure(100, err.Error()).write(w)
		return
	}
	step := s.record(req)
	if !step.before(r.Context(), s.closed, w) {
		return
	}
	answer := s.answer(req)
	if step.CutAfter || !linger(r.Context(), s.closed, step.Late) {
		panic(http.ErrAbortHandler)
	}
	answer.write(w)
}

// refuses reports whether the token of a request is not the right one.
func (s *WhatsApp) refuses(authorization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.badToken || authorization != "Bearer "+WhatsAppToken
}

// note records what no good client does.
func (s *WhatsApp) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, what)
}

// record keeps a request, and returns the step that it meets.
func (s *WhatsApp) record(req *WhatsAppRequest) WhatsAppStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.At = s.opt.Now()
	s.requests = append(s.requests, req)
	for _, kind := range req.kinds() {
		if list := s.steps[kind]; len(list) > 0 {
			s.steps[kind] = list[1:]
			return list[0]
		}
		if step, ok := s.always[kind]; ok {
			return step
		}
	}
	return WhatsAppStep{}
}

// answer carries out a request.
func (s *WhatsApp) answer(req *WhatsAppRequest) waAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	do := map[string]func(*WhatsAppRequest) (any, error){
		"phone": s.phone, "permissions": s.permissions, "upload": s.upload, "media": s.media, "download": s.download, "read": s.read,
		"reaction": s.react, "text": s.send, "interactive": s.send, "document": s.send, "template": s.send,
	}[req.Kind]
	if do == nil {
		return waFailure(100, "Unsupported request: "+req.Kind)
	}
	result, err := do(req)
	if failed, ok := errors.AsType[*waError](err); ok {
		return waAnswer{err: failed}
	}
	return waAnswer{result: result}
}

// phone says who the number is.
func (s *WhatsApp) phone(req *WhatsAppRequest) (any, error) {
	if req.Path != WhatsAppPhoneID {
		return nil, waBad(100, "Unsupported get request. Object does not exist")
	}
	return map[string]any{
		"id": WhatsAppPhoneID, "display_phone_number": "+1 555-078-3881", "verified_name": WhatsAppName, "quality_rating": s.opt.Quality,
	}, nil
}

// permissions are those of the token.
func (s *WhatsApp) permissions(*WhatsAppRequest) (any, error) {
	list := []any{}
	for _, p := range s.opt.Permissions {
		list = append(list, map[string]any{"permission": p, "status": "granted"})
	}
	return map[string]any{"data": list}, nil
}
