package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// client calls the API as the local owner: that of the running server of this home, or
// the same handler in this process.
type client struct {
	http  *http.Client
	base  string
	token string
	close func() error
	// embedded is the server in this process, which opened the home itself; nil if
	// another process runs a server.
	embedded *server
	// through is the server that the client uses; nil for one in this process.
	through *serverFile
	// hushed says that the log of a server in this process is not shown.
	hushed bool
	// again finds a new way to the home's data after the server has ended; nil means
	// that there is none. moved is called after a change.
	again func(context.Context) (*client, error)
	moved func(context.Context)
}

// connect finds the server of the home, or opens the home in this process, to read and
// change its data. It chooses no model.
func (a *app) connect(ctx context.Context) (*client, error) {
	cfg, err := a.load()
	if err != nil {
		return nil, err
	}
	return a.connectWith(ctx, cfg, func() (upstream.Choice, error) { return upstream.Choice{Kind: upstream.KindRecall}, nil })
}

// connectWith is connect with a choice of the model for a home that is opened in this
// process. The process that holds the lock may be a command, or a server that is starting or
// stopping, so it waits for a moment.
func (a *app) connectWith(ctx context.Context, cfg *config.Config, choose func() (upstream.Choice, error)) (*client, error) {
	var c *client
	err := awaiting{most: homePatience}.open(ctx, func() (err error) {
		if c, err = liveServer(ctx, cfg); c == nil && err == nil {
			c, err = a.embed(ctx, cfg, choose)
		}
		return err
	})
	return c, interrupted(ctx, err, "Interrupted while the data was being opened. Nothing was done. Run the command again.")
}

// liveServer is a client of the server of the home; nil if no server answers.
func liveServer(ctx context.Context, cfg *config.Config) (*client, error) {
	file, err := runningServer(cfg)
	if file == nil || err != nil {
		return nil, err
	}
	if c := file.client(); c.alive(ctx) {
		return c, nil
	}
	return nil, nil
}

// client is a client of the file's server.
func (f *serverFile) client() *client {
	return &client{
		http: &http.Client{Transport: f.transport()}, base: f.base(), token: f.Token,
		close: func() error { return nil }, through: f,
	}
}

// alive reports whether the file's server answers and accepts the token.
func (c *client) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return c.call(ctx, http.MethodGet, "/v1/capabilities", nil, nil) == nil
}

// embed serves the API within this process. It takes the same lock as a server.
func (a *app) embed(ctx context.Context, cfg *config.Config, choose func() (upstream.Choice, error)) (*client, error) {
	s, err := assemble(ctx, assembly{cfg: cfg, log: a.newLogger(cfg), choose: choose, getenv: a.process.Getenv})
	if err != nil {
		return nil, err
	}
	web, stop := s.inProcess()
	return &client{http: web, base: "http://localhost", token: s.token, embedded: s, close: stop}, nil
}

// inProcess returns a client for a server without a socket, and a function that ends
// both. The function waits, because an interrupted turn is still being stored after its
// client has gone.
func (s *server) inProcess() (*http.Client, func() error) {
	var calls sync.WaitGroup
	return &http.Client{Transport: handlerTransport{s.handler, &calls}}, func() error {
		calls.Wait()
		return s.close()
	}
}

// send makes a request. An error response becomes a fault. The caller closes the
// response's body.
func (c *client) send(ctx context.Context, method, path string, in any, header http.Header) (*http.Response, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	res, err := c.do(ctx, method, path, body, header)
	twice := method != http.MethodPost || header.Get(idempotencyKey) != ""
	for end := time.Now().Add(moving); c.again != nil && (gone(err, twice) || c.replaced(res)) && time.Now().Before(end); {
		if res != nil {
			_ = res.Body.Close()
		}
		// The server that was found may be the one that is ending.
		next, againErr := c.again(ctx)
		if againErr != nil {
			return nil, againErr
		}
		next.again, next.moved, next.hushed = c.again, c.moved, c.hushed
		*c = *next
		if c.moved != nil {
			c.moved(ctx)
		}
		res, err = c.do(ctx, method, path, body, header)
	}
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.base, err)
	}
	if res.StatusCode < 400 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return nil, c.failed(res.StatusCode, text)
}

// failed is the error of an error response. There is no server whose log could be read if this process has
// the home open: its log is what it prints.
func (c *client) failed(status int, text []byte) error {
	err := apiError(status, text)
	if c.embedded != nil && fault.CodeOf(err) == "internal_error" {
		says := "The line of the log above says what."
		if c.hushed {
			says = "With HERMES_LOG_LEVEL=error, `hermes -q` prints what."
		}
		return fault.Wrap(fault.KindOf(err), "internal_error", "Something failed that should not. "+says+
			" Run the command again, and `hermes doctor --deep` if it fails again.", err)
	}
	return err
}

// replaced reports whether another server than the expected one refused the token: the
// socket of a home leads to whichever server runs.
func (c *client) replaced(res *http.Response) bool {
	return res != nil && res.StatusCode == http.StatusUnauthorized && c.through != nil
}

func (c *client) do(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if header != nil {
		req.Header = header.Clone()
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	return c.http.Do(req)
}

// call sends a request and decodes the answer into out. An error of the API becomes a
// fault.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	res, err := c.send(ctx, method, path, in, nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return readJSON(res.Body, out)
}

// readJSON decodes an answer into out, unless out is nil.
func readJSON(in io.Reader, out any) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

// stream sends a body, if there is one, and returns the answer as a stream. The caller
// closes it.
func (c *client) stream(ctx context.Context, method, path string, body io.Reader) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.base, err)
	}
	if res.StatusCode >= 400 {
		text, err := io.ReadAll(res.Body)
		return nil, errors.Join(c.failed(res.StatusCode, text), err, res.Body.Close())
	}
	return res.Body, nil
}

// apiError converts an error response to a fault.
func apiError(status int, text []byte) error {
	var body struct {
		Error openai.Error `json:"error"`
	}
	if json.Unmarshal(text, &body) != nil || body.Error.Message == "" {
		return fmt.Errorf("the server answered with status %d", status)
	}
	kind := fault.Invalid
	switch status {
	case http.StatusNotFound:
		kind = fault.NotFound
	case http.StatusConflict:
		kind = fault.Conflict
	}
	return fault.New(kind, body.Error.CodeText(), body.Error.Message)
}

// handlerTransport sends requests to a handler without a socket. The answer can be read
// while it is being written.
type handlerTransport struct {
	handler http.Handler
	calls   *sync.WaitGroup // requests under way
}

// RoundTrip implements http.RoundTripper.
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	pr, pw := io.Pipe()
	w := &pipeWriter{header: make(http.Header), body: pw, ready: make(chan struct{})}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.Host = in.URL.Host
	end := func(broken error) { // ends the body, normally or like a broken connection
		w.WriteHeader(http.StatusOK) // if nothing was written
		_ = pw.CloseWithError(broken)
	}
	t.calls.Go(recovery.Func(func() {
		t.handler.ServeHTTP(w, in)
		if r.Context().Err() != nil { // as over a socket, a cancelled request does not get a complete body
			end(context.Cause(r.Context()))
			return
		}
		end(nil)
	}, func(error) { end(io.ErrUnexpectedEOF) }))
	<-w.ready
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header.Clone(), Body: pr, ContentLength: -1, Request: r,
	}, nil
}

// pipeWriter is the response writer of a handlerTransport.
type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter
	status int
	ready  chan struct{}
}

// Header implements http.ResponseWriter.
func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *pipeWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		close(w.ready)
	}
}

// Write implements http.ResponseWriter.
func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush implements http.Flusher. The reader has all data already.
func (w *pipeWriter) Flush() {}
