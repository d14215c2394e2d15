package migrate

import (
	"encoding/json"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
)

// mark is how far a copy has come. The target keeps it.
type mark struct {
	Source string   `json:"source"` // the identity of the source
	Done   []string `json:"done"`   // tables
	Table  string   `json:"table"`  // that is being copied; "" for none
	After  []part   `json:"after"`  // its newest row
	Rows   int64    `json:"rows"`
	Bytes  int64    `json:"bytes"`
}

// part is a number or a text of a place. A text need not be valid UTF-8.
type part struct {
	Number int64  `json:"n,omitempty"`
	Text   []byte `json:"t,omitempty"`
	IsText bool   `json:"s,omitempty"`
}

// partsOf is a place as the mark has it.
func partsOf(place []any) ([]part, error) {
	parts := make([]part, len(place))
	for i, v := range place {
		switch v := v.(type) {
		case int64:
			parts[i].Number = v
		case string:
			parts[i].Text, parts[i].IsText = []byte(v), true
		default:
			return nil, fmt.Errorf("a place with a %T", v)
		}
	}
	return parts, nil
}

// place is the inverse of partsOf.
func place(parts []part) []any {
	out := make([]any, len(parts))
	for i, p := range parts {
		if p.IsText {
			out[i] = string(p.Text)
		} else {
			out[i] = p.Number
		}
	}
	return out
}

// text is the mark as the target keeps it.
func (m *mark) text() (string, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("encode the mark: %w", err)
	}
	return string(text), nil
}

// readMark reads the mark of an earlier run.
func readMark(text string) (mark, error) {
	var m mark
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.Rows < 0 || m.Source == "" {
		return mark{}, fault.New(fault.Invalid, "damaged_mark",
			"The target holds an unfinished copy, but how far it has come cannot be read. Empty the target and begin again.")
	}
	return m, nil
}
