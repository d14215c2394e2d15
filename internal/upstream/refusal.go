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

// refusal is the fault for a response with an error status. It keeps the upstream's
// status, code, parameter and Retry-After.
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
		f.Foreign = f.Msg != ""
		f.Code = c.scrub.message(c.codeOf(e, status))
		if e.Param != nil {
			f.Param = c.scrub.message(*e.Param)
		}
	}
	switch {
	case status == http.StatusUnauthorized:
		// The upstream's text quotes the key, and reads as if the caller's key were
		// meant.
		f.Msg, f.Foreign = "The upstream model server refused the API key that this server uses for it.", false
		f.Code = cmp.Or(f.Code, "upstream_unauthorized")
	case status == http.StatusForbidden:
		f.Msg = strings.TrimSpace("The upstream model server refused this server access. " + f.Msg)
		f.Code = cmp.Or(f.Code, "upstream_forbidden")
	case status == http.StatusNotFound && (e == nil || e.Message == ""):
		f.Kind = fault.Upstream
		f.Msg = "The upstream does not know this path. Check its base URL."
	case 300 <= status && status < 400:
		f.Status, f.Code = 0, "upstream_redirect"
		f.Msg, f.Foreign = "The upstream answered with a redirect, which is not followed.", false
	}
	if f.Msg == "" {
		f.Msg = "The upstream model server answered with status " + strconv.Itoa(status) + "."
	}
	if f.Code == "" && f.Kind == fault.Upstream {
		f.Code = codeError
	}
	return f
}

// codeOf is the stable name of an error. A number that only repeats the status is not
// used.
func (c *client) codeOf(e *openai.Error, status int) string {
	if code := e.CodeText(); code != "" && code != strconv.Itoa(status) {
		return code
	}
	if c.typed {
		return e.Type
	}
	return ""
}

// kindOf is the meaning of an upstream's status for the caller. 401 and 403 refuse the
// key of this server, so they are not the caller's fault.
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

// statusOverloaded is a status that only Anthropic uses.
const statusOverloaded = 529

// readRefusal reads an error body in any of the usual shapes: an error object or text
// under "error", the same in an array, or a bare message or detail. Any other shape
// gives nil.
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

// retryAfter reads the delay that the upstream asks for: seconds, a date, or OpenAI's
// header in milliseconds.
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

// bounded keeps a delay between zero and a day.
func bounded(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}
