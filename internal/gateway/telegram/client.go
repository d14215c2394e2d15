package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
)

// maxAnswer is the size of the largest answer that is read, in bytes.
const maxAnswer = 32 << 20

// client sends the requests of the library. Its errors are a [*refusal] or a [*broken].
type client struct {
	http   *http.Client
	secret string
}

// newClient makes a client. It follows no redirects: the URL holds the token.
func newClient(from *http.Client, secret string) *client {
	if from == nil {
		from = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16,
			TLSHandshakeTimeout: handshakeTimeout, IdleConnTimeout: idleTimeout,
		}}
	}
	own := *from
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{http: &own, secret: secret}
}

// Do sends a request, and reads the whole answer. Only an answer with a result is returned.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		if i.Err == nil {
			wrote.Store(true)
		}
	}}
	resp, err := c.http.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, &broken{sent: wrote.Load(), err: c.masked(err)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	_ = resp.Body.Close()
	if err != nil {
		return nil, &broken{sent: true, err: c.masked(err)}
	}
	if len(body) > maxAnswer {
		return nil, &broken{sent: true, err: errors.New("the answer is too large")}
	}
	if r := readRefusal(resp.StatusCode, body); r != nil {
		return nil, r
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// masked takes the token out of an error.
func (c *client) masked(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if text := err.Error(); strings.Contains(text, c.secret) {
		return errors.New(strings.ReplaceAll(text, c.secret, "…"))
	}
	return err
}

// broken is the error of a request without an answer.
type broken struct {
	// sent says that the whole request was written, so that Telegram may have taken it.
	sent bool
	err  error
}

// Error returns the text for logs.
func (b *broken) Error() string { return "no answer from Telegram: " + b.err.Error() }

// Unwrap returns the cause.
func (b *broken) Unwrap() error { return b.err }

// refusal is an answer without a result.
type refusal struct {
	Code        int    `json:"error_code"`
	Description string `json:"description"`
	Parameters  struct {
		RetryAfter      int   `json:"retry_after"`
		MigrateToChatID int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
	// page says that the answer was none of the Bot API, but one of a proxy, say.
	page bool
}

// Error returns the text for logs, without words of messages.
func (r *refusal) Error() string {
	return fmt.Sprintf("Telegram answered %d: %s", r.Code, regexp.MustCompile(`"[^"]*"`).ReplaceAllString(r.Description, `"…"`))
}

// says reports whether the description holds one of some texts.
func (r *refusal) says(texts ...string) bool {
	description := strings.ToLower(r.Description)
	for _, text := range texts {
		if strings.Contains(description, text) {
			return true
		}
	}
	return false
}

// readRefusal reads an answer without a result; nil if there is a result.
func readRefusal(status int, body []byte) *refusal {
	var answer struct {
		OK *bool `json:"ok"`
		refusal
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.OK == nil {
		return &refusal{Code: status, Description: "a page instead of an answer", page: true}
	}
	if *answer.OK {
		return nil
	}
	if answer.Code == 0 {
		answer.Code = status
	}
	return &answer.refusal
}
