package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Shape is the form of the answer that a client asks for.
type Shape struct {
	// MaxTokens bounds the answer; 0 if the request does not.
	MaxTokens int
	// JSON says that the answer must be JSON.
	JSON bool
}

// read takes the shape from one member of a request. A value of another type is ignored:
// the member is passed on.
func (s *Shape) read(member string, value []byte) {
	switch member {
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		if n, err := strconv.Atoi(string(value)); err == nil {
			s.MaxTokens = n
		}
	case "response_format":
		s.JSON = isJSON(value)
	case "text":
		var text struct {
			Format json.RawMessage `json:"format"`
		}
		_ = json.Unmarshal(value, &text)
		s.JSON = isJSON(text.Format)
	}
}

// isJSON reports whether the format of an answer is a form of JSON.
func isJSON(format []byte) bool {
	var f struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(format, &f)
	return f.Type == "json_object" || f.Type == "json_schema"
}

// Several reports whether an array has more than one element. It does not read the others.
func Several(array []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(array))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return false
	}
	var first json.RawMessage
	return dec.Decode(&first) == nil && dec.More()
}
