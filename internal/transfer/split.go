package transfer

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// splitter takes a large conversation apart: the elements of its parts are left where they
// are, and all else is kept.
type splitter struct {
	dec   *jsontext.Decoder
	in    *reading
	raw   *bulk
	where string
	parts map[string]part // by path, such as "chat.history.messages"
	rest  []byte
	from  int64 // where it begins
}

// split notes where the elements of the parts of a conversation are, and returns all else. The
// conversation stands at a place in raw.
func (in *reading) split(raw *bulk, at, size int64, where string, parts map[string]part) ([]byte, error) {
	if err := raw.flush(); err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(io.NewSectionReader(raw, at, size), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	s := &splitter{dec: dec, in: in, raw: raw, where: where, parts: parts, from: at}
	if err := s.value(""); err != nil {
		return nil, noJSON(err)
	}
	return s.rest, nil
}

// value reads the value that is at a path.
func (s *splitter) value(path string) error {
	p, kind := s.parts[path], s.dec.PeekKind()
	switch {
	case p != nil && kind == p.opens():
		s.rest = append(s.rest, "null"...)
		p.open(s.in, s.raw, path, s.where)
		defer p.close()
		return s.children(kind, func(name jsontext.Value) error { return s.element(p, name) })
	case kind != '{':
		v, err := s.dec.ReadValue()
		s.rest = append(s.rest, v...)
		return err
	}
	return s.object(path)
}

// object reads an object that may have parts.
func (s *splitter) object(path string) error {
	opening := "{"
	err := s.children('{', func(name jsontext.Value) error {
		s.rest = append(append(append(s.rest, opening...), name...), ':')
		opening = ","
		plain, err := jsontext.AppendUnquote(nil, name)
		if err != nil && len(plain) == 0 {
			return err
		}
		if path != "" {
			return s.value(path + "." + string(plain))
		}
		return s.value(string(plain))
	})
	if opening == "{" {
		s.rest = append(s.rest, opening...)
	}
	s.rest = append(s.rest, '}')
	return err
}

// children calls take before each element of a list, or behind the name of each member of an
// object. The name is valid until something else is read.
func (s *splitter) children(kind jsontext.Kind, take func(name jsontext.Value) error) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for {
		var name jsontext.Value
		var err error
		switch s.dec.PeekKind() {
		case '}', ']':
			_, err = s.dec.ReadToken()
			return err
		case 0:
			_, err = s.dec.ReadToken() // says why
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if kind == '{' {
			if name, err = s.dec.ReadValue(); err != nil {
				return err
			}
		}
		if err := take(name); err != nil {
			return err
		}
	}
}

// element notes where an element of a part is.
func (s *splitter) element(p part, name jsontext.Value) error {
	plain := ""
	if name != nil {
		text, err := jsontext.AppendUnquote(nil, name)
		if err != nil && len(text) == 0 {
			return err
		}
		plain = string(text)
	}
	v, err := s.dec.ReadValue()
	if err == nil {
		p.put(plain, s.from+s.dec.InputOffset()-int64(len(v)), v)
	}
	return err
}
