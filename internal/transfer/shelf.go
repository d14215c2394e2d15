package transfer

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// shelf are the elements of a list or of an object. Those of a conversation that is in memory
// are decoded at once. Of a large one, only the places are known, and an element is read
// whenever it is asked for.
type shelf[T any] struct {
	given bool // the conversation has the list, which may be empty
	items []item[T]

	// What a large conversation is read with, and its elements are called.
	in    *reading
	raw   *bulk
	where string
	path  string
	told  bool // of an element that is not as expected
}

// item is an element: its name in an object, and the element or its place.
type item[T any] struct {
	name     string
	value    *T
	at, size int64
}

// listOf is a list of which each element is read alone.
type listOf[T any] struct{ shelf[T] }

// UnmarshalJSON implements json.Unmarshaler.
func (l *listOf[T]) UnmarshalJSON(raw []byte) error {
	var all []*T
	err := json.Unmarshal(raw, &all)
	l.given = l.given || raw[0] == '['
	for _, v := range all {
		l.items = append(l.items, item[T]{value: v})
	}
	return err
}

func (l *listOf[T]) opens() jsontext.Kind { return '[' }

// mapOf is an object of which each member is read alone. Members that are null do not count.
// They are in the order of their names.
type mapOf[T any] struct{ shelf[T] }

// UnmarshalJSON implements json.Unmarshaler.
func (m *mapOf[T]) UnmarshalJSON(raw []byte) error {
	var all map[string]*T
	err := json.Unmarshal(raw, &all)
	m.given = m.given || raw[0] == '{'
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != nil {
			m.items = append(m.items, item[T]{name: name, value: all[name]})
		}
	}
	return err
}

func (m *mapOf[T]) opens() jsontext.Kind { return '{' }

func (s *shelf[T]) len() int { return len(s.items) }

// get is an element; nil for null.
func (s *shelf[T]) get(i int) (*T, error) {
	it := &s.items[i]
	if it.size == 0 {
		return it.value, nil
	}
	buf := s.in.room(it.size)
	if _, err := io.ReadFull(io.NewSectionReader(s.raw, it.at, it.size), buf); err != nil {
		return nil, err
	}
	v := new(T)
	odd, err := unmarshal(buf, v)
	if odd != nil && !s.told {
		s.told = true
		odd.Field = strings.TrimSuffix(s.path+"."+odd.Field, ".")
		s.in.odd(odd, s.where)
	}
	return v, err
}

// each calls take with each element; with a zero one for null.
func (s *shelf[T]) each(take func(i int, v *T) error) error {
	for i := range s.items {
		if err := s.give(i, take); err != nil {
			return err
		}
	}
	return nil
}

// give calls take with an element.
func (s *shelf[T]) give(i int, take func(i int, v *T) error) error {
	v, err := s.get(i)
	if err != nil {
		return err
	}
	if v == nil {
		v = new(T)
	}
	return take(i, v)
}

// those calls take with the elements that nodes of a tree stand for.
func (s *shelf[T]) those(nodes []node, take func(i int, v *T) error) error {
	for _, n := range nodes {
		if err := s.give(n.item, take); err != nil {
			return err
		}
	}
	return nil
}

// open makes the shelf ready for the places of a large conversation.
func (s *shelf[T]) open(in *reading, raw *bulk, path, where string) {
	s.in, s.raw, s.path, s.where, s.given = in, raw, path, where, true
}

// put notes the place of an element.
func (s *shelf[T]) put(name string, at int64, element []byte) {
	it := item[T]{name: name, at: at, size: int64(len(element))}
	switch {
	case !bytes.Equal(element, []byte("null")):
	case name != "":
		return
	default:
		it.size = 0
	}
	s.items = append(s.items, it)
}

// keep adds an element to those of a conversation that is read piece by piece. What is decoded
// stays in memory until the pieces are large.
func (s *shelf[T]) keep(v *T, piece []byte) error {
	it := item[T]{at: s.raw.size, size: int64(len(piece))}
	_, err := s.raw.Write(piece)
	if !s.raw.large() {
		it = item[T]{value: v}
	}
	s.items = append(s.items, it)
	return err
}

// close ends the putting. Of two members with one name, the second counts.
func (s *shelf[T]) close() {
	slices.SortStableFunc(s.items, func(a, b item[T]) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
}

// part is a list or an object, the elements of which are read alone.
type part interface {
	opens() jsontext.Kind
	open(in *reading, raw *bulk, path, where string)
	put(name string, at int64, element []byte)
	close()
}
