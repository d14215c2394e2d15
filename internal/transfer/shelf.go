package transfer

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
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
	told  int // the first elements, whose odd members were told
}

// item is an element: its name in an object, and the element or its place.
type item[T any] struct {
	name     string
	value    *T
	at, size int64
	null     bool
}

// element is an element of a list. value is nil for null, and for one that does not fit, which is told when it is read.
type element[T any] struct {
	value *T
	null  bool
}

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (e *element[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	e.null = dec.PeekKind() == 'n'
	return jsonv2.UnmarshalDecode(dec, &e.value)
}

// listOf is a list of which each element is read alone.
type listOf[T any] struct{ shelf[T] }

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (l *listOf[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	l.given = l.given || dec.PeekKind() == l.opens()
	var all []element[T]
	err := jsonv2.UnmarshalDecode(dec, &all)
	for _, e := range all {
		l.items = append(l.items, item[T]{value: e.value, null: e.null})
	}
	return err
}

func (l *listOf[T]) opens() jsontext.Kind { return '[' }

// mapOf is an object of which each member is read alone. Members that are null do not count.
// They are in the order of their names.
type mapOf[T any] struct{ shelf[T] }

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (m *mapOf[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	m.given = m.given || dec.PeekKind() == m.opens()
	var all map[string]*T
	err := jsonv2.UnmarshalDecode(dec, &all)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != nil {
			m.items = append(m.items, item[T]{name: name, value: all[name]})
		}
	}
	return err
}

func (m *mapOf[T]) opens() jsontext.Kind { return '{' }

func (s *shelf[T]) len() int { return len(s.items) }

// present is the number of elements that there is something of.
func (s *shelf[T]) present() (n int) {
	for i := range s.items {
		if s.items[i].value != nil || s.items[i].size > 0 {
			n++
		}
	}
	return n
}

// nulls is the number of elements that are null.
func (s *shelf[T]) nulls() (n int) {
	for i := range s.items {
		if s.items[i].null {
			n++
		}
	}
	return n
}

// get is an element; nil for null, and for one that does not fit.
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
	err := decode(buf, v, func(o odd) { s.odd(i, o) })
	s.told = max(s.told, i+1)
	return v, err
}

// odd tells an odd member of an element when the element is read for the first time.
func (s *shelf[T]) odd(i int, o odd) {
	if i < s.told {
		return
	}
	o.member = strings.Trim(s.path+"."+o.member, ".")
	place := cmp.Or(s.items[i].name, strconv.Itoa(i))
	o.at = "/" + strings.ReplaceAll(s.path, ".", "/") + "/" + place + o.at
	s.in.odd(o, s.where)
}

// each calls take with each element that there is something of.
func (s *shelf[T]) each(take func(i int, v *T) error) error {
	for i := range s.items {
		if err := s.give(i, take); err != nil {
			return err
		}
	}
	return nil
}

// give calls take with an element, unless there is nothing of it.
func (s *shelf[T]) give(i int, take func(i int, v *T) error) error {
	v, err := s.get(i)
	if err != nil || v == nil {
		return err
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
	kind := jsontext.Value(element).Kind()
	it := item[T]{name: name, at: at, size: int64(len(element)), null: kind == 'n'}
	if kind != 'n' && kind != wantedKind(reflect.TypeFor[T]()) {
		s.in.odd(odd{
			value: kindName(kind), member: s.path, at: "/" + strings.ReplaceAll(s.path, ".", "/") + "/" + cmp.Or(name, strconv.Itoa(len(s.items))),
		}, s.where)
		kind = 'n'
	}
	switch {
	case kind != 'n':
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
	s.told = len(s.items) // who decoded it did
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
	nulls() int
}
