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

// TB is what this package needs of a testing.TB.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Options says how a server starts. The zero value is a good one.
type Options struct {
	Addr string // where to listen; "" is a free port of 127.0.0.1
	// Default answers when no step is waiting; nil says "ok".
	Default func(*Request) Step
	Models  []string // what /v1/models lists; nil is "scripted-model"
	// Embed is the meaning of a text; nil makes one of its words.
	Embed func(text string) []float32
	// EmbedStep can delay, refuse or replace an answer to /v1/embeddings, which
	// takes nothing from the queue.
	EmbedStep func(*Request) Step
	// Quiet remembers no requests, and does not keep their bodies: for load.
	Quiet bool
	// Lenient answers requests that the real servers would refuse: calls without
	// results, results without calls, wrong orders. It is for tests of what a client
	// sends by itself.
	Lenient bool
}

// Request is what the server was sent.
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
	serving  sync.RWMutex // read by every call being answered, so that Close waits for them
	arrivals chan *Request
	left     chan *Request
	buffers  sync.Pool // of *bytes.Buffer

	mu       sync.Mutex // guards what follows
	steps    []Step
	requests []*Request
	refused  error // the first request that the real server would have refused
}

// New starts a server that ends with the test. With a nil t the caller closes
// it, and a failure to start panics.
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
	l, err := net.Listen("tcp", o.Addr) //nolint:noctx // listens at once
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

// finish ends the server of a test, which fails if a request was refused that the
// real server would have refused.
func (s *Server) finish(t TB) {
	t.Helper()
	s.Close()
	if err := s.Refused(); err != nil {
		t.Fatalf("the scripted model server was sent what a real one refuses: %v", err)
	}
}

// Refused is why the first request was refused that the real server would have
// refused; nil if there was none.
func (s *Server) Refused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// strict refuses what check finds wrong. It reports whether the request may be
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

// Queue adds replies to those waiting.
func (s *Server) Queue(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Drop takes back the replies that are waiting.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = nil
}

// Requests returns the requests so far, calls for the list of models included.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Last returns the newest request, nil if there was none.
func (s *Server) Last() *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return nil
	}
	return s.requests[len(s.requests)-1]
}

// Arrivals tells of each request as soon as it was read, for tests that must
// wait for one. It forgets what nobody takes after 1024.
func (s *Server) Arrivals() <-chan *Request { return s.arrivals }

// Left tells of each client that went away before it had its whole answer.
func (s *Server) Left() <-chan *Request { return s.left }

// step takes the next reply. Only answers come out of the queue.
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

// ServeHTTP answers one call; the server can also be mounted in another.
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
	case strings.HasSuffix(path, "/models"):
		s.list(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) record(r *http.Request, body *bytes.Buffer) *Request {
	req := &Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header, Body: body.Bytes()}
	req.Model = member(req.Body, `"model":`)
	// A look at the bytes is enough here: within a string the quotes would be
	// escaped.
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

// member finds the text of a string member by a look at the bytes. The first
// one counts.
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

// wait waits for a time, and for a signal. It reports false when the client
// left meanwhile.
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
