package transfer

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// word is an id or a name. Some programs, and most scripts, write a number for one.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(raw []byte) error {
	var number json.Number
	switch {
	case bytes.Equal(raw, []byte("null")):
		return nil
	case raw[0] == '"':
		return readSimple(raw, (*string)(w))
	case json.Unmarshal(raw, &number) == nil:
		*w = word(number)
		return nil
	}
	return &json.UnmarshalTypeError{Value: kindOf(raw), Type: reflect.TypeFor[word]()}
}

// kindOf names the kind of a JSON value.
func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "bool"
}
