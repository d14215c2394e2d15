package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// client makes HTTP calls to one server. It calls the transport directly: there are no
// cookies, and redirects are not followed, because they would carry the prompt and the
// key to a host that was not configured.
type client struct {
	opt  Options
	base *url.URL // nil if the configured base URL is invalid
	// header and streaming are sent with every call; they are never changed.
	header, streaming http.Header
	readers           sync.Pool // of *bufio.Reader
	scrub             scrubber
	typed             bool // the error type is this server's error code
}

// errSlow ends a call whose server was silent for too long.
var errSlow = errors.New("the upstream was silent for too long")

func newClient(o Options, header http.Header) *client {
	c := &client{opt: o.withDefaults(), header: header}
	c.base, _ = parseBase(o.BaseURL)
	c.scrub = newScrubber(o.Key, c.base)
	c.header.Set("Content-Type", "application/json")
	c.header.Set("Accept", "application/json")
	c.header.Set("User-Agent", "hermes")
	// Without values it is not sent. It tells the transport to send a request again, on a new
	// connection, if the server closes a kept one before it answers: many close those that were
	// idle for five seconds, at the very moment at which the next turn may use one.
	c.header["Idempotency-Key"] = nil
	if c.base != nil && c.base.User != nil {
		if c.header.Get("Authorization") == "" {
			r := http.Request{Header: c.header}
			password, _ := c.base.User.Password()
			r.SetBasicAuth(c.base.User.Username(), password)
		}
		c.base.User = nil
	}
	c.streaming = c.header.Clone()
	c.streaming.Set("Accept", "text/event-stream")
	c.readers.New = func() any { return bufio.NewReaderSize(nil, 8<<10) }
	return c
}

// at is the URL of a path below the base.
func (c *client) at(path string) *url.URL {
	if c.base == nil {
		return nil
	}
	u := *c.base
	u.Path += path
	return &u
}

// body is a request's body. It is not reused, because the transport may still read it
// while the answer arrives. Once read it releases its bytes, which may be many, because
// the transport keeps the request until the answer has ended.
type body struct{ bytes.Reader }

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.Len() == 0 {
		b.Reset(nil)
	}
	return n, err
}

func (*body) Close() error { return nil }

// payload is the data of a request, for as long as it may have to be sent again.
type payload struct {
	mu   sync.Mutex
	data []byte
}

// body is the body of one attempt.
func (p *payload) body() (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data == nil {
		return nil, errAnswered
	}
	b := &body{}
	b.Reset(p.data)
	return b, nil
}

// drop releases the bytes.
func (p *payload) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.data = nil
}

// errAnswered refuses to resend a request that was already answered.
var errAnswered = errors.New("the request was answered already")

// post sends a request and returns the server's answer, or a fault if it was refused.
// The caller closes the answer.
func (c *client) post(ctx context.Context, to *url.URL, data []byte, streaming bool) (*answer, error) {
	sent := &payload{data: data}
	defer sent.drop()
	first, err := sent.body()
	if err != nil {
		return nil, err
	}
	req := &http.Request{
		Method: http.MethodPost, URL: to, Header: c.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: first, ContentLength: int64(len(data)), GetBody: sent.body,
	}
	if !streaming {
		return c.do(ctx, req, c.opt.Whole, 0)
	}
	req.Header = c.streaming
	return c.do(ctx, req, c.opt.FirstByte, c.opt.Between)
}

// get fetches a small document within the given time.
func (c *client) get(ctx context.Context, from *url.URL, within time.Duration) ([]byte, error) {
	req := &http.Request{
		Method: http.MethodGet, URL: from, Header: c.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	a, err := c.do(ctx, req, within, 0)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return a.all(c.opt.MaxBody)
}

// do sends a request. The answer must begin within first, and may be silent for no
// longer than between; with 0, first bounds the whole call.
func (c *client) do(ctx context.Context, req *http.Request, first, between time.Duration) (*answer, error) {
	if req.URL == nil {
		return nil, fault.Wrap(fault.Unavailable, codeUnreachable, "The upstream's base URL is not valid.", errBaseURL)
	}
	if id := trail.From(ctx).RequestID; id != "" {
		h := maps.Clone(req.Header) // it is shared between calls
		h[trail.Header] = []string{id}
		req.Header = h
	}
	call, cancel := context.WithCancelCause(ctx)
	a := &answer{c: c, parent: ctx, call: call, cancel: cancel, between: between, until: time.Now().Add(c.opt.Stream)}
	a.timer = time.AfterFunc(first, func() { cancel(errSlow) })
	resp, err := c.opt.Transport.RoundTrip(req.WithContext(call)) //nolint:bodyclose // the answer owns it; its close closes the body
	if err != nil {
		a.close()
		return nil, a.unanswered(err)
	}
	a.status, a.header, a.body = resp.StatusCode, resp.Header, resp.Body
	a.length = resp.ContentLength
	a.in = c.readers.Get().(*bufio.Reader)
	a.in.Reset(a)
	if a.status < 200 || a.status > 299 {
		defer a.close()
		return nil, c.refusal(a)
	}
	return a, nil
}
