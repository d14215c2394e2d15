package openai

import (
	"bytes"
	"encoding/json"
)

// WithID returns a chunk with another id. All chunks of a stream must share one id,
// because clients that assemble an answer refuse another one. id must need no escaping.
func WithID(chunk []byte, id string) ([]byte, error) {
	const start = `{"id":"`
	if rest, ok := bytes.CutPrefix(chunk, []byte(start)); ok {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			out := make([]byte, 0, len(chunk)-end+len(id))
			out = append(append(out, start...), id...)
			return append(out, rest[end:]...), nil
		}
	}
	return Splice(chunk, Set{Name: "id", Value: appendString(nil, id)})
}

// WithoutRole returns a chunk whose deltas name no role. Clients join the deltas of a
// stream, so only the first may name the role.
func WithoutRole(chunk []byte) ([]byte, error) {
	if !bytes.Contains(chunk, []byte(`"role"`)) {
		return chunk, nil
	}
	var whole struct {
		Choices []map[string]json.RawMessage `json:"choices"`
	}
	if err := json.Unmarshal(chunk, &whole); err != nil {
		return nil, err
	}
	for _, choice := range whole.Choices {
		delta, ok := choice["delta"]
		if !ok || len(delta) == 0 || delta[0] != '{' {
			continue
		}
		without, err := Splice(delta, Set{Name: "role"})
		if err != nil {
			return nil, err
		}
		choice["delta"] = without
	}
	choices, err := json.Marshal(whole.Choices)
	if err != nil {
		return nil, err
	}
	return Splice(chunk, Set{Name: "choices", Value: choices})
}
