package anthropic

import (
	"encoding/json"
	"net/http"
)

// Error is an error of the API.
type Error struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	// Param and Code are additions: the wrong part of the request, and a stable name.
	Param string `json:"param,omitempty"`
	Code  string `json:"code,omitempty"`
}

// errorTypes are the types of errors by status. All other statuses from 500 on are
// "api_error", and all others "invalid_request_error".
var errorTypes = map[int]string{
	http.StatusUnauthorized:          "authentication_error",
	http.StatusPaymentRequired:       "billing_error",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	http.StatusServiceUnavailable:    "overloaded_error",
	http.StatusGatewayTimeout:        "timeout_error",
	Overloaded:                       "overloaded_error",
}

// Overloaded is the status by which Anthropic's servers say that they are overloaded.
const Overloaded = 529

// ErrorType is the type of an error with a status.
func ErrorType(status int) string {
	if kind := errorTypes[status]; kind != "" {
		return kind
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

// ErrorBody is the JSON of an error, which is also the data of the event "error". hermes
// is the value of the member "hermes"; nil for none.
func ErrorBody(e Error, requestID string, hermes []byte) []byte {
	out, _ := json.Marshal(struct { // texts and valid JSON only: cannot fail
		Type      string   `json:"type"`
		Error     Error    `json:"error"`
		RequestID string   `json:"request_id"`
		Hermes    rawValue `json:"hermes,omitempty"`
	}{"error", e, requestID, hermes})
	return out
}
