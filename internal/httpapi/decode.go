package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// decode reads a JSON object; an empty body is an empty object.
func decode(r *http.Request, into any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return nil
	}
	return unmarshal(body, into)
}

// decodeSome is decode for a request that says nothing without a body.
func decodeSome(r *http.Request, into any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return invalidJSON(errors.New("the body is empty"))
	}
	return unmarshal(body, into)
}

func unmarshal(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return invalidJSON(err)
	}
	return nil
}

// otherJSON is a value of another type than the documented one, in words: the log has no types of this program, and no values.
type otherJSON struct{ *json.UnmarshalTypeError }

func (e otherJSON) Error() string {
	kind, _, _ := strings.Cut(e.Value, " ") // a number stands behind the word
	if e.Field == "" {
		return "the body is a JSON " + kind
	}
	return fmt.Sprintf("%s is a JSON %s", e.Field, kind)
}

func (e otherJSON) Unwrap() error { return e.UnmarshalTypeError }

// invalidJSON is the fault for a body that is not an object of the expected form.
func invalidJSON(err error) error {
	if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = otherJSON{other}
	}
	return fault.Wrap(fault.Invalid, "invalid_json", "The request body is not a JSON object with the documented fields.", err)
}
