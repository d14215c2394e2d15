package provider

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/fault"
)

// Limits of answers, in bytes.
const (
	// MaxRecall is the longest answer to a question.
	MaxRecall = 256 << 10
	maxAnswer = 16 << 20
	maxDetail = 200 // of an error, shown to people
)

// Client sends JSON to the server of a provider. It follows no redirect and uses no proxy of
// the environment: keys and texts go only to the host that was configured.
type Client struct {
	base   *url.URL
	header http.Header
	http   *http.Client
}

// NewClient returns a client for the server at base. Its requests have the header.
func NewClient(base string, header http.Header) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		const msg = "memory_provider.url must be an http or https URL."
		return nil, fault.New(fault.Invalid, "invalid_provider_url", msg).At("memory_provider.url")
	}
	u.RawQuery, u.Fragment = "", ""
	dial := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &Client{base: u, header: header, http: &http.Client{
		Transport: &http.Transport{
			DialContext: dial.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 5 * time.Second,
			MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			DisableCompression: true, // a small answer must not become a large one
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Bearer is the header of a client with a key; "" for none.
func Bearer(scheme, key string) http.Header {
	h := make(http.Header)
	if key != "" {
		h.Set("Authorization", scheme+" "+key)
	}
	return h
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Exchange is one request with its answer.
type Exchange struct {
	Method string
	// Path is below the base; its parts are escaped already.
	Path  string
	Query url.Values
	In    any // nil for no body
	Out   any // nil if the answer may be any JSON, or nothing
	// Limit is the longest answer, in bytes; 0 is the usual one.
	Limit int64
	// Absent matches the detail of the server's 404 for a thing that it does not have, as its API
	// publishes it; nil if it publishes none for this request.
	Absent *regexp.Regexp
}

// Do makes an exchange. It fails with Upstream if the server refuses or its answer has
// another form, with Timeout or Unavailable if there is none.
func (c *Client) Do(ctx context.Context, x *Exchange) error {
	var body io.Reader
	if x.In != nil {
		text, err := json.Marshal(x.In)
		if err != nil {
			return fmt.Errorf("encode a request to the memory provider: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, x.Method, c.base.String()+x.Path, body)
	if err != nil {
		return fmt.Errorf("make a request to the memory provider: %w", err)
	}
	req.URL.RawQuery = x.Query.Encode()
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "hermes")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "identity")
	if x.In != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }()
	limit := x.Limit
	if limit == 0 {
		limit = maxAnswer
	}
	text, err := read(resp, limit)
	switch {
	case err != nil:
		return unreachable(err)
	case resp.StatusCode >= 300:
		return refused(x, resp, text)
	case int64(len(text)) > limit:
		return misshapen(fmt.Errorf("an answer of more than %d bytes", limit))
	case x.Out != nil:
		return decode(text, x.Out)
	case len(bytes.TrimSpace(text)) > 0 && !jsontext.Value(text).IsValid():
		return Misshapen("an answer that is no JSON") // such as a page that asks for a login
	}
	return nil
}

// read reads an answer, of which one byte more than the limit may come. A proxy may pack what was
// not asked to be packed.
func read(resp *http.Response, limit int64) ([]byte, error) {
	body := io.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unpacked
	}
	text, err := io.ReadAll(io.LimitReader(body, limit+1))
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// decode reads an answer strictly: names in their own case, none of them twice, and valid
// UTF-8. null is no answer: a list that was not given must not look like an empty one.
func decode(text []byte, out any) error {
	if string(bytes.TrimSpace(text)) == "null" {
		return Misshapen("null instead of an answer")
	}
	if err := jsonv2.Unmarshal(text, out); err != nil {
		return misshapen(err)
	}
	return nil
}

// unreachable is the fault for an exchange without an answer.
func unreachable(err error) error {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Timeout, "provider_timeout", "The memory provider did not answer in time.", err)
	}
	return fault.Wrap(fault.Unavailable, "provider_unreachable", "The memory provider cannot be reached, or broke off its answer.", err)
}

func misshapen(err error) error {
	return fault.Wrap(fault.Upstream, "provider_answer", "The memory provider's answer does not have the form that it should have.", err)
}

// Misshapen is the fault for an answer that lacks something.
func Misshapen(what string) error { return misshapen(errors.New(what)) }

// refused is the fault for a status, with what the server says about it. A redirect names where it
// leads.
func refused(x *Exchange, resp *http.Response, text []byte) error {
	msg := fmt.Sprintf("The memory provider answered %d", resp.StatusCode)
	detail := detailOf(text)
	absent := resp.StatusCode == http.StatusNotFound && x.saysAbsent(text)
	if resp.StatusCode == http.StatusNotFound && !absent {
		detail = cmp.Or(detail, "it does not say what is missing. Check memory_provider.url")
	}
	if to, err := resp.Location(); err == nil && resp.StatusCode < 400 {
		detail = "it redirects to " + Line(to.Scheme+"://"+to.Host+to.Path) + ", which is not followed. Set memory_provider.url to the right address"
	}
	if detail != "" {
		msg += ": " + detail
	}
	f := fault.New(fault.Upstream, "provider_refused", strings.TrimSuffix(msg, ".")+".")
	f.Status, f.RetryAfter = resp.StatusCode, retryAfter(resp)
	if absent {
		f.Err = errAbsent
	}
	return f
}

// saysAbsent reports whether an answer says in the published form that a thing does not exist.
func (x *Exchange) saysAbsent(text []byte) bool {
	var answer struct {
		Detail string `json:"detail"`
	}
	return x.Absent != nil && jsonv2.Unmarshal(text, &answer) == nil && x.Absent.MatchString(answer.Detail)
}

// errAbsent is the cause of a refusal that says that a thing does not exist.
var errAbsent = errors.New("the provider does not have it")

// detailOf is what an answer says for people, in the members that servers have for that.
func detailOf(text []byte) string {
	var answer map[string]jsontext.Value
	if jsonv2.Unmarshal(text, &answer) != nil {
		return ""
	}
	var parts []string
	for _, name := range []string{"detail", "error", "message", "details"} {
		if part := saying(answer[name]); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return Line(strings.Join(parts, ": "))
}

// saying is the text of a member: itself, or that of an object or of the first object of a list.
func saying(value jsontext.Value) string {
	var text string
	if jsonv2.Unmarshal(value, &text) == nil {
		return text
	}
	var one struct {
		Msg     string `json:"msg"`
		Message string `json:"message"`
	}
	var list []jsontext.Value
	if jsonv2.Unmarshal(value, &list) == nil && len(list) > 0 {
		value = list[0]
	}
	if jsonv2.Unmarshal(value, &one) != nil {
		return ""
	}
	return cmp.Or(one.Msg, one.Message)
}

// Line is a provider's text for people: on one line, and short.
func Line(text string) string {
	text = cite.Line(text)
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}

// StatusOf is the status with which a provider refused; 0 for another error.
func StatusOf(err error) int {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Status
	}
	return 0
}

// retryAfter is how long a server wants to be left alone; 0 if it does not say so.
func retryAfter(resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	seconds, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return max(0, time.Duration(seconds)*time.Second)
}

// waitOf is how long a provider that failed wants to be left alone; 0 if it does not say so.
func waitOf(err error) time.Duration {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.RetryAfter
	}
	return 0
}

// Absent reports whether a provider says that it does not have the thing. A 404 alone does not say
// so: a router that does not know the path gives it, too, and so does a proxy without its server.
func Absent(err error) bool { return errors.Is(err, errAbsent) }

// NoRow reports whether a provider refused to delete a thing from its list with a 404, be it its own or
// that of a proxy. It proves nothing: the list is read again afterwards.
func NoRow(err error) bool { return StatusOf(err) == http.StatusNotFound }

// Host is the address of a server as a part of a provider's id.
func Host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
