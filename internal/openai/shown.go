package openai

import (
	"bytes"
	"slices"
)

// The tables below are what a transcript shows of a message: its role, its text, its
// calls and its media. A member that is in no table, such as the reasoning of an answer,
// is sent to the model and shown to no person.
var (
	// partMembers are the members of a content part, by the type of the part.
	partMembers = map[string][]string{
		"text": {"type", "text"}, "input_text": {"type", "text"}, "output_text": {"type", "text"},
		"image_url": {"type", "image_url"}, "input_image": {"type", "image_url", "detail"},
		"file": {"type", "file"}, "input_file": {"type", "filename", "file_data", "file_id"},
		"input_audio": {"type", "input_audio"},
	}
	// objectMembers are the members of the objects in a message and in its parts, by the
	// name of the object.
	objectMembers = map[string][]string{
		"image_url": {"url", "detail"}, "file": {"filename", "file_data", "file_id"}, "input_audio": {"data", "format"},
		"function_call": {"name", "arguments"},
	}
)

// Shown is a message without the members and content parts that no transcript shows. It
// is raw itself if nothing is left out.
func Shown(raw []byte) ([]byte, error) {
	return filter(raw, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "role", "name", "tool_call_id", "tool_calls":
			return value, nil
		case "function_call":
			return shownValue(name, value)
		case "content":
			if value[0] == '[' {
				return shownParts(value)
			}
			return value, nil
		}
		return nil, nil
	})
}

// shownParts is a list of content parts without the parts of other types.
func shownParts(list []byte) ([]byte, error) {
	parts, err := Elements(list)
	if err != nil {
		return nil, err
	}
	var kept [][]byte
	changed := false
	for _, part := range parts {
		kind, _ := readPart(part)
		names, known := partMembers[kind]
		if !known {
			changed = true
			continue
		}
		shown, err := filter(part, func(name string, value []byte) ([]byte, error) {
			if !slices.Contains(names, name) {
				return nil, nil
			}
			return shownValue(name, value)
		})
		if err != nil {
			return nil, err
		}
		kept = append(kept, shown)
		changed = changed || len(shown) != len(part)
	}
	if !changed {
		return list, nil
	}
	return append(append([]byte{'['}, bytes.Join(kept, []byte{','})...), ']'), nil
}

// shownValue is a text or null, or an object of texts that has a table; nil for others.
func shownValue(name string, value []byte) ([]byte, error) {
	switch names, known := objectMembers[name]; {
	case value[0] == '"', value[0] == 'n':
		return value, nil
	case value[0] == '{' && known:
		return filter(value, func(name string, value []byte) ([]byte, error) {
			if slices.Contains(names, name) && (value[0] == '"' || value[0] == 'n') {
				return value, nil
			}
			return nil, nil
		})
	}
	return nil, nil
}

// filter is a JSON object with the value that keep returns for each member, and without
// the members for which keep returns nil. It is the text itself if nothing changes.
func filter(text []byte, keep func(name string, value []byte) ([]byte, error)) ([]byte, error) {
	ms, err := members(text)
	if err != nil {
		return nil, err
	}
	var sets []Set
	for _, m := range ms {
		value := text[m.start:m.end]
		kept, err := keep(m.name, value)
		if err != nil {
			return nil, err
		}
		if len(kept) != len(value) { // what is left out makes it shorter
			sets = append(sets, Set{Name: m.name, Value: kept})
		}
	}
	if sets == nil {
		return text, nil
	}
	return Splice(text, sets...)
}
