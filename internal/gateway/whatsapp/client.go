package whatsapp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// maxAnswer is the size of the largest answer of the API, in bytes.
const maxAnswer = 1 << 20

// client sends requests to the API. Its errors are a [*refusal] or a [*broken].
type client struct {
	http  *http.Client
	api   string // without a slash at the end
	token string
}

// newClient makes a client. It follows no redirects: the token must not go elsewhere.
func newClient(from *http.Client, api, token string) *client {
	if from == nil {
		from = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16,
			TLSHandshakeTimeout: handshakeTimeout, IdleConnTimeout: idleTimeout,
		}}
	}
	own := *from
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{http: &own, api: api, token: token}
}

// get asks for an object, and reads the answer into out.
func (c *client) get(ctx context.Context, path string, query url.Values, out any) error {
	at := c.api + "/" + version + "/" + path
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return &broken{err: bare(err)}
	}
	return c.call(req, out)
}

// post sends a JSON object, and reads the answer into out.
func (c *client) post(ctx context.Context, path string, body, out any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return &broken{err: fmt.Errorf("write the request: %w", err)}
	}
	return c.send(ctx, path, "application/json", raw, out)
}

// send sends a body of some type, and reads the answer into out.
func (c *client) send(ctx context.Context, path, contentType string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.api+"/"+version+"/"+path, bytes.NewReader(body))
	if err != nil {
		return &broken{err: bare(err)}
	}
	req.Header.Set("Content-Type", contentType)
	return c.call(req, out)
}

// call sends a request, and reads the whole answer.
func (c *client) call(req *http.Request, out any) error {
	resp, err := c.open(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	_ = resp.Body.Close()
	if err != nil {
		return &broken{sent: true, err: bare(err)}
	}
	if len(body) > maxAnswer {
		return &broken{sent: true, err: errors.New("the answer is too large")}
	}
	if r := readRefusal(resp.StatusCode, resp.Header.Get("Retry-After"), body); r != nil {
		return r
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &broken{sent: true, err: errors.New("the answer cannot be read")}
	}
	return nil
}

// open sends a request with the token. The caller closes the body of the answer.
func (c *client) open(req *http.Request) (*http.Response, error) {
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			wrote.Store(true)
		}
	}}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, &broken{sent: wrote.Load(), err: c.masked(err)}
	}
	return resp, nil
}

// masked takes the token out of an error, and the URL, which names a person's file.
func (c *client) masked(err error) error {
	err = bare(err)
	if text := err.Error(); strings.Contains(text, c.token) {
		return errors.New(strings.ReplaceAll(text, c.token, "…"))
	}
	return err
}

// bare is an error without the URL of its request.
func bare(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// broken is the error of a request without an answer.
type broken struct {
	// sent says that the whole request was written, so that WhatsApp may have taken it.
	sent bool
	err  error
}

// Error returns the text for logs.
func (b *broken) Error() string { return "no answer from WhatsApp: " + b.err.Error() }

// Unwrap returns the cause.
func (b *broken) Unwrap() error { return b.err }
