package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	api "github.com/slack-go/slack"
)

// maxAnswer is the longest answer of the Web API that is read.
const maxAnswer = 16 << 20

// httpClient is a client that follows no redirect: the token is for one host only.
func httpClient(given *http.Client) *http.Client {
	c := http.Client{Timeout: time.Minute}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// bounded is an HTTP client whose answers end at maxAnswer.
type bounded struct{ client *http.Client }

// Do sends a request.
func (b bounded) Do(req *http.Request) (*http.Response, error) {
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// watched returns a context that notices whether a request has been written.
func watched(ctx context.Context) (context.Context, *atomic.Bool) {
	wrote := &atomic.Bool{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }}), wrote
}

// answer is the part that all answers of the Web API have.
type answer struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error"`
	Needed string `json:"needed"`
	Meta   struct {
		Cursor string `json:"next_cursor"`
	} `json:"response_metadata"`
}

// status returns the error that the answer holds.
func (r *answer) status() error {
	if r.OK {
		return nil
	}
	return api.SlackErrorResponse{Err: r.Error, Needed: r.Needed}
}

// call asks a method of the Web API that reads. The library's own types for messages
// refuse a whole list for one block that they do not know, so that such lists are read here.
func (a *Adapter) call(ctx context.Context, method string, args url.Values, into interface{ status() error }) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.root.JoinPath(method).String(), strings.NewReader(args.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+a.config.BotToken)
	resp, err := bounded{a.http}.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = int(unknownWait / time.Second)
		}
		return &api.RateLimitedError{RetryAfter: time.Duration(seconds) * time.Second}
	}
	if resp.StatusCode != http.StatusOK {
		return api.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return errors.Join(errNoAnswer, err)
	}
	return into.status()
}

// errNoAnswer says that Slack's answer is not what its API promises.
var errNoAnswer = errors.New("the answer is not readable")
