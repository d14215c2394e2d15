package httpapi

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
)

// The routes of Anthropic's API. Its clients send their key in a header of their own, and
// expect errors in the form of that API, also from the checks before a handler.
const (
	messagesPath = "/v1/messages"
	countPath    = "/v1/messages/count_tokens"
	modelsPath   = "/v1/models"

	apiKeyHeader     = "X-Api-Key"
	versionHeader    = "Anthropic-Version"
	anthropicRequest = "Request-Id"
)

// ofAnthropic reports whether a request is one of Anthropic's API. The list of models has
// the same path in both APIs; the header of the version tells them apart.
func ofAnthropic(r *http.Request) bool {
	path := r.URL.EscapedPath()
	if _, rest, ok := cutKey(path); ok {
		path = rest
	}
	switch {
	case path == messagesPath || path == countPath:
		return true
	case path == modelsPath || strings.HasPrefix(path, modelsPath+"/"):
		return r.Header.Get(versionHeader) != ""
	}
	return false
}

// tokenOf is the key of a request; "" for none.
func tokenOf(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) > 1 {
		return "", fault.New(fault.Invalid, "duplicate_authorization", "Send one Authorization header only.")
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	if !ofAnthropic(r) {
		return token, nil
	}
	values := r.Header.Values(apiKeyHeader)
	if len(values) > 1 {
		return "", fault.New(fault.Invalid, "duplicate_authorization", "Send one x-api-key header only.")
	}
	key := strings.TrimSpace(r.Header.Get(apiKeyHeader))
	switch {
	case key == "":
		return token, nil
	case token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(key)) != 1:
		return "", fault.New(fault.Unauthenticated, "invalid_api_key", "The headers Authorization and x-api-key have different keys. Send one of them.")
	}
	return key, nil
}

// errNoKey refuses a request without a key.
func errNoKey(r *http.Request) error {
	how := "Authorization: Bearer <key>"
	if ofAnthropic(r) {
		how = "x-api-key: <key>"
	}
	return fault.New(fault.Unauthenticated, "invalid_api_key", "No API key. Send it as: "+how)
}

// setRequestID repeats the id of a request in the header that Anthropic's clients read.
func setRequestID(h http.Header) { h.Set(anthropicRequest, h.Get(requestIDHeader)) }

// messageErrorBody is a fault in the form of Anthropic's API. h are the headers of the
// answer, hermes is the member of the same name.
func messageErrorBody(h http.Header, f *fault.Error, hermes []byte) []byte {
	message := f.Msg
	if f.Code == tooLong {
		message = tooLongBegins + message
	}
	return anthropic.ErrorBody(anthropic.Error{
		Type: anthropic.ErrorType(status(f)), Message: message, Param: f.Param, Code: f.Code,
	}, h.Get(requestIDHeader), hermes)
}

// tooLong is the code of a request that exceeds the window of its model. Anthropic's API
// has no codes: its clients know the error by the beginning of its message, and then
// shorten their conversation.
const tooLong, tooLongBegins = "context_length_exceeded", "prompt is too long: "
