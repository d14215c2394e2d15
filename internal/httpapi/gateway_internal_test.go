package httpapi

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestWrongField: a field of a bridge's event that has another type is named.
func TestWrongField(t *testing.T) {
	t.Parallel()
	for body, field := range map[string]string{`{"event_id":5}`: "event_id", `{"admin":"yes"}`: "admin", `{"event_id":`: ""} {
		var in struct {
			EventID string `json:"event_id"`
			Admin   bool   `json:"admin"`
		}
		err := wrongField(invalidJSON(json.Unmarshal([]byte(body), &in)))
		code := "invalid_event"
		if field == "" {
			code = "invalid_json"
		}
		if got, ok := errors.AsType[*fault.Error](err); !ok || got.Code != code || got.Param != field {
			t.Errorf("%s: got %v, want %s of %q", body, err, code, field)
		}
	}
}

// TestBodiesOfBridges: a body without an event is no event without a platform, and the log names no type of this program.
func TestBodiesOfBridges(t *testing.T) {
	t.Parallel()
	for body, logged := range map[string]string{
		"": "the body is empty", "[]": "the body is a JSON array", `"hi"`: "the body is a JSON string", "5": "the body is a JSON number",
		"true": "the body is a JSON bool", `{"event_id":5}`: "event_id is a JSON number", `{"event_id":`: "unexpected end of JSON input", " ": "unexpected end",
	} {
		var in struct {
			EventID string `json:"event_id"`
		}
		err := decodeSome(httptest.NewRequestWithContext(t.Context(), "POST", "/gateway/webhook", strings.NewReader(body)), &in)
		if fault.CodeOf(err) != "invalid_json" || !strings.Contains(err.Error(), logged) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%q: got %v, want %s in the log", body, err, logged)
		}
	}
}
