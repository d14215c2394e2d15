package httpapi

import (
	"encoding/json"
	"errors"
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
