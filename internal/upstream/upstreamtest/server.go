package upstreamtest

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// TB is the part of testing.TB that this package needs.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Options configure a server. The zero value is usable.
type Options struct {
	Addr string // where to listen; "" is a free port of 127.0.0.1
	// Default answers when the queue is empty; nil answers "ok".
	Default func(*Request) Step
	Models  []string // what /v1/models lists; nil is "scripted-model"
	// Embed makes the vector of a text; nil makes one of its words.
	Embed func(text string) []float32
	// EmbedStep can delay, refuse or replace an answer to /v1/embeddings. Such an
	// answer takes no step from the queue.
	EmbedStep func(*Request) Step
	// Heard is what is said in a recording; nil says one word. HeardStep can refuse or replace
	// an answer to /v1/audio/transcriptions. Such an answer takes no step from the queue.
	Heard     func(recording []byte) string
	HeardStep func(*Request) Step
	// Quiet records no requests and no bodies: for load tests.
	Quiet bool
	// Lenient answers requests that the real servers would refuse: calls without
	// results, results without calls, wrong orders. It is for tests whose client sends
	// such requests on purpose.
	Lenient bool
}

// Request is a request that the server received.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
	Model               string
	Streaming           bool
}

// Server is a scripted model server.
type Server struct {
	URL string // "http://127.0.0.1:port", without /v1

	opt      Options
	http     *http.Server
	accept   sync.WaitGroup
	serving  sync.RWMutex // read-locked by every call being answered, so that Close waits for them
	arrivals chan *Request
	left     chan *Request
	buffers  sync.Pool // of *bytes.Buffer

	mu       sync.Mutex // guards the fields below
	steps    []Step
	requests []*Request
	refused  error // why the first invalid request was refused
}

// New starts a server that ends with the test. If t is nil, the caller closes it, and a
// failure to start panics.
func New(t TB, o Options) *Server {
	if t != nil {
		t.Helper()
	}
	s, err := Start(o)
	switch {
	case err == nil && t != nil:
		t.Cleanup(func() { s.finish(t) })
	case t != nil:
		t.Fatalf("start the scripted model server: %v", err)
	case err != nil:
		panic(err)
	}
	return s
}

// Start starts a server; the caller closes it.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Default == nil {
		o.Default = func(*Request) Step { return Step{Text: "ok"} }
	}
	if o.Models == nil {
		o.Models = []string{"scripted-model"}
	}
	l, err := net.Listen("tcp", o.Addr) //nolint:noctx // listening does not block
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), opt: o,
		arrivals: make(chan *Request, 1024), left: make(chan *Request, 1024),
	}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.accept.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	})
	return s, nil
}

// finish ends the server of a test. The test fails if strict refused a request.
func (s *Server) finish(t TB) {
	t.Helper()
	s.Close()
	if err := s.Refused(); err != nil {
		t.Fatalf("the scripted model server was sent what a real one refuses: %v", err)
	}
}

// Refused is why strict refused a request for the first time; nil if it never did.
func (s *Server) Refused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// strict refuses a request that fails check. It reports whether the request may be
// answered.
func (s *Server) strict(w http.ResponseWriter, req *Request, check func([]byte) error) bool {
	if s.opt.Lenient {
		return true
	}
	err := check(req.Body)
	if err == nil {
		return true
	}
	s.mu.Lock()
	if s.refused == nil {
		s.refused = err
	}
	s.mu.Unlock()
	step := Refuse(http.StatusBadRequest, "invalid_messages", err.Error())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(step.Status)
	_, _ = w.Write([]byte(step.Body))
	return false
}

// Close ends the server and every call it is answering.
func (s *Server) Close() {
	_ = s.http.Close()
	s.accept.Wait()
	s.serving.Lock()
	defer s.serving.Unlock()
}

// Queue appends steps to the queue.
func (s *Server) Queue(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Drop empties the queue.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = nil
}

// Requests returns all requests so far, including those for the list of models.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Last returns the newest request; nil if there was none.
func (s *Server) Last() *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return nil
	}
	return s.requests[len(s.requests)-1]
}

// Arrivals reports each request as soon as it has been read, for tests that wait for
// one. It drops requests while 1024 are unread.
func (s *Server) Arrivals() <-chan *Request { return s.arrivals }

// Left reports each client that disconnected before its answer was complete.
func (s *Server) Left() <-chan *Request { return s.left }

// step takes the next reply. Only answers of models take a step from the queue.
func (s *Server) step(req *Request) Step {
	s.mu.Lock()
	if len(s.steps) > 0 {
		defer s.mu.Unlock()
		next := s.steps[0]
		s.steps = s.steps[1:]
		return next
	}
	s.mu.Unlock()
	return s.opt.Default(req)
}

// ServeHTTP answers one call. The server can also be mounted in another one.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serving.RLock()
	defer s.serving.RUnlock()
	buf := s.buffers.Get().(*bytes.Buffer)
	defer s.buffers.Put(buf)
	buf.Reset()
	if _, err := buf.ReadFrom(r.Body); err != nil {
		return
	}
	req := s.record(r, buf)
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/chat/completions"):
		if s.strict(w, req, CheckChat) {
			s.answer(w, r, req, chatWire{req})
		}
	case strings.HasSuffix(path, "/messages"):
		if s.strict(w, req, CheckMessages) {
			s.answer(w, r, req, messagesWire{req})
		}
	case strings.HasSuffix(path, "/embeddings"):
		s.embed(w, r, req)
	case strings.HasSuffix(path, "/audio/transcriptions"):
		s.hear(w, r, req)
	case strings.HasSuffix(path, "/models"):
		s.list(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) record(r *http.Request, body *bytes.Buffer) *Request {
	req := &Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body.Bytes()}
	req.Model = member(req.Body, `"model":`)
	// Searching the bytes is enough here: inside a string, the quotes would be escaped.
	req.Streaming = bytes.Contains(req.Body, []byte(`"stream":true`)) || bytes.Contains(req.Body, []byte(`"stream": true`))
	if s.opt.Quiet {
		return req
	}
	req.Body, req.Header = bytes.Clone(req.Body), r.Header.Clone()
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	offer(s.arrivals, req)
	return req
}

func offer(c chan *Request, req *Request) {
	select {
	case c <- req:
	default:
	}
}

// member finds the value of a string member by searching the bytes. The first
// occurrence counts.
func member(body []byte, name string) string {
	i := bytes.Index(body, []byte(name))
	if i < 0 {
		return ""
	}
	value, found := bytes.CutPrefix(bytes.TrimLeft(body[i+len(name):], " "), []byte(`"`))
	end := bytes.IndexByte(value, '"')
	if !found || end < 0 {
		return ""
	}
	return string(value[:end])
}

// wait waits for a duration and for a signal. It reports false if the client
// disconnected first.
func wait(ctx context.Context, d time.Duration, signal <-chan struct{}) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	if signal != nil {
		select {
		case <-signal:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
