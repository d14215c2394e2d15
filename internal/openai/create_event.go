package openai

import (
	"encoding/json"
)

// CreateEvent is an event of a WebSocket client that asks for a response.
type CreateEvent struct {
	Request *ResponseRequest
	// Previous is the response to continue; "" for none.
	Previous string
	// Input are the items of the input.
	Input []json.RawMessage
	// Warms says that no model is to be asked ("generate": false).
	Warms bool

	body []byte
}

// ParseCreate reads an event of type response.create. Its errors have type *Problem.
func ParseCreate(frame []byte) (*CreateEvent, error) {
	in := struct {
		Type     string
		Generate bool
		Input    json.RawMessage
	}{Generate: true}
	_ = json.Unmarshal(frame, &in) // parseResponse says what is wrong
	if len(in.Input) > 0 && !in.Generate && emptyList(in.Input) {
		if without, err := Splice(frame, Set{Name: "input"}); err == nil {
			frame = without
		}
	}
	req, err := parseResponse(frame)
	if err != nil {
		return nil, err
	}
	if in.Type != "response.create" {
		return nil, &Problem{Param: "type", Code: "invalid_event", Msg: "The event must have the type response.create."}
	}
	if req.Background {
		return nil, &Problem{Param: "background", Code: "unsupported_parameter", Msg: "A response over WebSocket cannot run in the background."}
	}
	e := &CreateEvent{Request: req, Previous: req.Previous, Warms: !in.Generate, body: frame}
	if req.hasInput {
		e.Input = rawItems(in.Input)
	} else if in.Generate {
		return nil, errMissing("input")
	}
	return e, nil
}

// rawItems are the items of an input that was read before.
func rawItems(input json.RawMessage) (items []json.RawMessage) {
	if input[0] == '"' {
		return []json.RawMessage{append(append([]byte(`{"type":"message","role":"user","content":`), input...), '}')}
	}
	_ = json.Unmarshal(input, &items)
	return items
}

// Body is the event as the body of a request for a stream. With items of the response
// that it continues, these stand before the input, and no response is named.
func (e *CreateEvent) Body(before []json.RawMessage) ([]byte, error) {
	sets := []Set{{Name: "type"}, {Name: "generate"}, {Name: "background"}, {Name: "stream", Value: []byte("true")}}
	if before != nil {
		input, err := json.Marshal(append(before, e.Input...))
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{Name: "previous_response_id"}, Set{Name: "input", Value: input})
	}
	return Splice(e.body, sets...)
}
