package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// statuses is the only place where a fault's kind becomes a status.
var statuses = map[fault.Kind]int{
	fault.Internal: 500, fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403,
	fault.NotFound: 404, fault.NotAllowed: 405, fault.Conflict: 409, fault.Stale: 412, fault.TooLarge: 413, fault.Misdirected: 421,
	fault.RateLimited: 429, fault.Upstream: 502, fault.Unavailable: 503, fault.Timeout: 504, fault.Canceled: 499,
}

// types are the error types of OpenAI's API by kind. All other kinds are
// "invalid_request_error".
var types = map[fault.Kind]string{
	fault.Internal: "server_error", fault.Upstream: "upstream_error", fault.Unavailable: "server_error",
	fault.Timeout: "server_error", fault.RateLimited: "rate_limit_error", fault.Unauthenticated: "authentication_error",
	fault.Forbidden: "permission_error",
}

// asFault makes a fault of any error. An unknown error is Internal, and its text is not
// sent.
func asFault(err error) *fault.Error {
	if p, ok := errors.AsType[*openai.Problem](err); ok {
		f := fault.New(fault.Invalid, p.Code, p.Msg)
		f.Param = p.Param
		return f
	}
	if p, ok := errors.AsType[*anthropic.Problem](err); ok {
		f := fault.New(fault.Invalid, "", p.Msg)
		f.Param = p.Param
		return f
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "body_too_large", "The request body is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes.")
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(fault.Internal, "internal_error", "Internal server error. The server's log has the details under this request's id.", err)
}

// status is the HTTP status of a fault: an upstream's own, or its kind's.
func status(f *fault.Error) int {
	if f.Status >= 400 && f.Status < 600 {
		return f.Status
	}
	return statuses[f.Kind]
}

// errorBody is the JSON of an error.
func errorBody(f *fault.Error) []byte {
	out, _ := json.Marshal(map[string]any{"error": errorOf(f)}) // strings only: cannot fail
	return out
}

// errorOf is a fault in OpenAI's form.
func errorOf(f *fault.Error) openai.Error {
	kind := types[f.Kind]
	if kind == "" {
		kind = "invalid_request_error"
	}
	body := openai.Error{Message: f.Msg, Type: kind}
	if f.Param != "" {
		body.Param = &f.Param
	}
	if f.Code != "" {
		body.Code = f.Code
	}
	return body
}

// fail renders an error as the response.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := asFault(callerLeft(r, err))
	code := status(f)
	if code >= 500 || f.Err != nil && f.Kind != fault.Canceled {
		s.Log.Log(r.Context(), levelOf(code), "request failed", "method", methodOf(r), "route", routeOf(r),
			"status", code, "code", f.Code, "err", err)
	}
	if refused, ok := errors.AsType[*run.Refused](err); ok {
		setSession(w.Header(), refused.SessionID, refused.RootID)
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", retryAfter(f.RetryAfter))
	}
	if f.Kind == fault.Unauthenticated { // an upstream's 401 is about this server's key, not the caller's
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if ofAnthropic(r) {
		setRequestID(w.Header())
		writeRaw(w, code, messageErrorBody(w.Header(), f, nil))
		return
	}
	writeRaw(w, code, errorBody(f))
}

// callerLeft turns the error of a request whose caller has left into one that says so: nothing failed
// here. A server that stops and a key that is revoked end requests for reasons of their own.
func callerLeft(r *http.Request, err error) error {
	_, known := errors.AsType[*fault.Error](err)
	if known || !errors.Is(err, context.Canceled) || !errors.Is(context.Cause(r.Context()), context.Canceled) {
		return err
	}
	return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
}

// retryAfter is a delay in whole seconds, rounded up.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

func methodNotAllowed(allow string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return fault.New(fault.NotAllowed, "method_not_allowed", "This path takes "+allow+" only.")
	}
}

// writeJSON renders a value.
func writeJSON(w http.ResponseWriter, code int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	writeRaw(w, code, body)
	return nil
}

// writeRaw writes encoded JSON. A write error is ignored: the client is gone.
func writeRaw(w http.ResponseWriter, code int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}
