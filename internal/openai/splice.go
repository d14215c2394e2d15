package openai

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object, with the position of its value in the object's
// text.
type member struct {
	name       string
	start, end int // the value's bytes
	nameStart  int // the opening quote of the name
}

// errNotObject says that a text is valid JSON but not an object.
var errNotObject = errors.New("the body must be a JSON object")

// errNotArray says that a text is not a JSON array.
var errNotArray = errors.New("the text must be a JSON array")

// members lists the top-level members of a JSON object. It refuses duplicate
// names at every depth, invalid UTF-8, and anything after the object.
func members(text []byte) ([]member, error) { return new(objectReader).members(text) }

// objectReader lists the members of many objects with the memory of one.
type objectReader struct {
	dec jsontext.Decoder
	out []member
}

// members is [members]. Its result is valid until the next call.
func (s *objectReader) members(text []byte) ([]member, error) {
	dec := &s.dec
	dec.Reset(bytes.NewBuffer(text))
	if dec.PeekKind() != '{' {
		if _, err := dec.ReadValue(); err != nil {
			return nil, err
		}
		return nil, errNotObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	out := s.out[:0]
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		m.nameStart = nameStart(text, int(dec.InputOffset()))
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		m.end = int(dec.InputOffset())
		m.start = m.end - len(value)
		out = append(out, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more text after the JSON object")
	}
	s.out = out
	return out, nil
}

// Elements lists the elements of a JSON array as slices of the text. It fails if the
// text is not an array.
func Elements(text []byte) ([][]byte, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	if dec.PeekKind() != '[' {
		return nil, errNotArray
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var out [][]byte
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		out = append(out, text[end-len(value):end:end])
	}
	_, err := dec.ReadToken()
	return out, err
}

// List is the list that a JSON object has under a name, as slices of the text; nil if
// the member is absent or null. It fails if the text is not an object or the member is
// not a list.
func List(object []byte, name string) ([][]byte, error) {
	if len(bytes.TrimSpace(object)) == 0 {
		return nil, nil
	}
	ms, err := bodyMembers(object)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if value := object[m.start:m.end]; m.name == name && string(value) != "null" {
			return Elements(value)
		}
	}
	return nil, nil
}

// nameStart finds the opening quote of the name that ends at offset end.
func nameStart(text []byte, end int) int {
	for i := end - 2; i >= 0; i-- {
		if text[i] != '"' {
			continue
		}
		slashes := 0
		for j := i - 1; j >= 0 && text[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return 0
}

// Set is a member to put into a JSON object. A nil Value removes the member.
type Set struct {
	Name  string
	Value []byte
}

// Splice returns the JSON object with the given members replaced, or added at the end.
// All other bytes stay unchanged, so that members of a client or an upstream pass
// through in their order and spelling.
func Splice(text []byte, sets ...Set) ([]byte, error) {
	ms, err := members(text)
	if err != nil {
		return nil, err
	}
	size := len(text)
	for _, s := range sets {
		size += len(s.Name) + len(s.Value) + 4
	}
	out := make([]byte, 0, size)
	out = append(out, '{')
	done := make([]bool, len(sets))
	first := true
	emit := func(raw []byte) {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, raw...)
	}
	for _, m := range ms {
		i := indexSet(sets, m.name)
		if i < 0 {
			emit(text[m.nameStart:m.end])
			continue
		}
		done[i] = true
		if sets[i].Value == nil {
			continue
		}
		emit(text[m.nameStart:m.start])
		out = append(out, sets[i].Value...)
	}
	for i, s := range sets {
		if done[i] || s.Value == nil {
			continue
		}
		name, err := jsontext.AppendQuote(nil, s.Name)
		if err != nil {
			return nil, err
		}
		emit(append(name, ':'))
		out = append(out, s.Value...)
	}
	return append(out, '}'), nil
}

// WithMember returns a valid JSON object with one more member at the end. An existing
// member of that name is replaced.
func WithMember(object []byte, name string, value []byte) ([]byte, error) {
	body := bytes.TrimRight(object, " \t\r\n")
	if len(body) < 2 || body[len(body)-1] != '}' || bytes.Contains(body, []byte(`"`+name+`"`)) {
		return Splice(object, Set{Name: name, Value: value})
	}
	out := make([]byte, 0, len(body)+len(name)+len(value)+4)
	out = append(out, body[:len(body)-1]...)
	if inner := bytes.TrimRight(out, " \t\r\n"); inner[len(inner)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(append(append(out, '"'), name...), '"', ':'), value...)
	return append(out, '}'), nil
}

func indexSet(sets []Set, name string) int {
	for i, s := range sets {
		if s.Name == name {
			return i
		}
	}
	return -1
}
