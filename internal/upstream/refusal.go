package upstream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
)

// refusal is the fault for a response that is an error by its status. It keeps
// the status, the code, the parameter and the delay the upstream named.
func (c *client) refusal(a *answer) error {
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(a.in, enough)) // half an explanation is better than none
	f := c.refused(a.status, readRefusal(body))
	f.RetryAfter = retryAfter(a.header, c.opt.Now())
	return f
}

// refused makes the fault for an upstream's error object; e may be nil.
func (c *client) refused(status int, e *openai.Error) *fault.Error {
	f := &fault.Error{Kind: kindOf(status), Status: status}
	if e != nil {
		f.Msg = c.scrub.message(e.Message)
		f.Code = c.scrub.message(c.codeOf(e, status))
		if e.Param != nil {
			f.Param = c.scrub.message(*e.Param)
		}
	}
	switch {
	case status == http.StatusUnauthorized:
		// Its words quote the key back, and read as if they meant the caller's.
		f.Msg = "The upstream model server refused the API key that this server uses for it."
		f.Code = cmp.Or(f.Code, "upstream_unauthorized")
	case status == http.StatusForbidden:
		f.Msg = strings.TrimSpace("The upstream model server refused this server access. " + f.Msg)
		f.Code = cmp.Or(f.Code, "upstream_forbidden")
	case status == http.StatusNotFound && (e == nil || e.Message == ""):
		f.Kind = fault.Upstream
		f.Msg = "The upstream has no such address; its base URL may be wrong."
	case 300 <= status && status < 400:
		f.Status, f.Code = 0, "upstream_redirect"
		f.Msg = "The upstream answered with a redirect, which is not followed."
	}
	if f.Msg == "" {
		f.Msg = "The upstream model server answered with status " + strconv.Itoa(status) + "."
	}
	if f.Code == "" && f.Kind == fault.Upstream {
		f.Code = codeError
	}
	return f
}

// codeOf is the stable name an error goes by. A number that only repeats the
// status is none.
func (c *client) codeOf(e *openai.Error, status int) string {
	if code := e.CodeText(); code != "" && code != strconv.Itoa(status) {
		return code
	}
	if c.typed {
		return e.Type
	}
	return ""
}

// kindOf is what a status of the upstream means to the caller. A key that the
// upstream refuses is this server's, so 401 and 403 are not the caller's.
func kindOf(status int) fault.Kind {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return fault.Invalid
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict:
		return fault.Conflict
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case http.StatusTooManyRequests:
		return fault.RateLimited
	case http.StatusServiceUnavailable, statusOverloaded:
		return fault.Unavailable
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return fault.Timeout
	}
	return fault.Upstream
}

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

// readRefusal reads an error body in the shapes servers use: an error object or
// text under "error", the same in an array, or a bare message or detail. It
// returns nil for anything else.
func readRefusal(body []byte) *openai.Error {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var items []json.RawMessage
		if json.Unmarshal(body, &items) != nil || len(items) == 0 {
			return nil
		}
		body = items[0]
	}
	chunk, err := openai.ParseChunk(body)
	if err != nil {
		return nil
	}
	if chunk.Error != nil {
		return chunk.Error
	}
	var bare struct {
		Message any `json:"message"`
		Detail  any `json:"detail"`
		Code    any `json:"code"`
	}
	if json.Unmarshal(body, &bare) != nil {
		return nil
	}
	e := &openai.Error{Code: bare.Code}
	for _, words := range []any{bare.Message, bare.Detail} {
		if text, ok := words.(string); ok && e.Message == "" {
			e.Message = text
		}
	}
	return e
}

// retryAfter reads how long the upstream asks to be left alone: seconds or a
// date, or OpenAI's header in milliseconds.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return bounded(at.Sub(now).Seconds())
	}
	return 0
}

// bounded keeps a delay between none and a day.
func bounded(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}
