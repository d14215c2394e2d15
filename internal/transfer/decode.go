package transfer

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decode reads a value of an export. A member of another type than expected counts as missing
// and is told, and the rest is read.
func (in *reading) decode(raw []byte, into any, where string) error {
	return decode(raw, into, func(o odd) { in.odd(o, where+named(raw)) })
}

// decodeParts reads a conversation. If it is large, the elements of its parts, which are named
// by their paths, are left where they are.
func (in *reading) decodeParts(raw *bulk, into any, where string, parts map[string]part) error {
	defer in.nulls(raw, where, parts)
	if !raw.large() {
		return in.decode(raw.mem, into, where)
	}
	where += named(raw.head())
	rest, err := in.split(raw, 0, raw.size, where, parts)
	if err != nil {
		return err
	}
	return decode(rest, into, func(o odd) { in.odd(o, where) })
}

// nulls counts the elements of the parts of a conversation that are null.
func (in *reading) nulls(raw *bulk, where string, parts map[string]part) {
	for path, p := range parts {
		for range p.nulls() {
			in.report.unknown("a null as "+path, where+named(raw.head()))
		}
	}
}

// odd is a member of another type than expected.
type odd struct {
	// value is what it is, such as "array"; member is its path without the keys of maps and the
	// numbers of elements, and at is its whole path.
	value, member, at string
}

// odd counts a member of another type than expected.
func (in *reading) odd(o odd, where string) {
	if o.member == "" { // the whole value: where it is says no more
		in.report.unknown(article(o.value)+" as a conversation", where)
		return
	}
	in.report.unknown(article(o.value)+" as "+o.member, where+", at "+o.at)
}

// decode reads a value of JSON, and calls tell with each member of another type than expected,
// which is left as if it were missing. The decoder by itself stops at the first one.
func decode(raw []byte, into any, tell func(o odd)) error {
	d := &lenient{tell: tell, wanted: make(map[reflect.Type]jsontext.Kind)}
	err := jsonv2.Unmarshal(raw, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
		jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(d.value)))
	if err != nil {
		return noJSON(err)
	}
	return nil
}

// lenient passes over what does not fit the type that it is read into.
type lenient struct {
	tell func(o odd)
	// fixed says by depth whether the names of the members are those of a struct.
	fixed []bool
	// wanted are the kinds that types are read from.
	wanted map[reflect.Type]jsontext.Kind
}

// value is called with each value before it is read into v, which is a pointer.
func (d *lenient) value(dec *jsontext.Decoder, v any) error {
	t := reflect.TypeOf(v).Elem()
	wanted, known := d.wanted[t]
	if !known {
		wanted = wantedKind(t)
		d.wanted[t] = wanted
	}
	kind := dec.PeekKind()
	switch {
	case kind == 'n' || kind == jsontext.KindInvalid:
		return errors.ErrUnsupported // the decoder reads it
	case wanted == 0:
		return d.simple(dec, v)
	case wanted == itsOwn:
		return errors.ErrUnsupported
	case wanted == kind:
		d.enter(dec.StackDepth(), t.Kind() == reflect.Struct)
		return errors.ErrUnsupported
	}
	if err := dec.SkipValue(); err != nil {
		return err
	}
	d.note(dec, kind)
	return nil
}

// itsOwn stands for the kinds of a type that takes several, and looks at them itself.
const itsOwn = jsontext.Kind('*')

// wantedKind is '{' or '[' for a type that is read from an object or a list; 0 for one that is
// read at once.
func wantedKind(t reflect.Type) jsontext.Kind {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p, ok := reflect.New(t).Interface().(interface{ opens() jsontext.Kind }); ok {
		return p.opens()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[jsonv2.UnmarshalerFrom]()) {
		return itsOwn
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return 0
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return '{'
	case reflect.Slice, reflect.Array:
		return '['
	}
	return 0
}

// enter notes what kind of names the members of an object have.
func (d *lenient) enter(depth int, fixed bool) {
	d.fixed = append(d.fixed[:min(depth, len(d.fixed))], make([]bool, max(0, depth-len(d.fixed)))...)
	d.fixed = append(d.fixed, fixed)
}

// simple reads a text, a number, a truth value, or what has a method for it.
func (d *lenient) simple(dec *jsontext.Decoder, v any) error {
	kind := dec.PeekKind()
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if readSimple(raw, v) != nil {
		reflect.ValueOf(v).Elem().SetZero()
		d.note(dec, kind)
	}
	return nil
}

// readSimple reads a value, most of which are texts, or read themselves. encoding/json looks through each value twice,
// and replaces what is no UTF-8 in a text.
func readSimple(raw []byte, v any) error {
	switch v := v.(type) {
	case json.Unmarshaler:
		return v.UnmarshalJSON(raw)
	case *string:
		if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
			*v = string(text)
			return nil
		}
	}
	return json.Unmarshal(raw, v)
}

// note tells the value that was read last.
func (d *lenient) note(dec *jsontext.Decoder, kind jsontext.Kind) {
	at := dec.StackPointer()
	names := slices.Collect(at.Tokens())
	var member []string
	for i, name := range names {
		if i < len(d.fixed) && d.fixed[i] {
			member = append(member, name)
		}
	}
	d.tell(odd{value: kindName(kind), member: strings.Join(member, "."), at: string(at)})
}

// kindName names a kind of JSON values.
func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	}
	return "bool"
}

// wellFormed is the error of a value that is damaged; nil for JSON.
func wellFormed(raw []byte) error {
	var v jsontext.Value
	return decode(raw, &v, func(odd) {})
}

// article puts an article before the name of a kind of values.
func article(kind string) string {
	if strings.ContainsAny(kind[:min(1, len(kind))], "ao") {
		return "an " + kind
	}
	return "a " + kind
}

// parsed reads a value as decode does, and reports whether it is JSON. One that is not is told
// by its name, such as "line".
func (in *reading) parsed(raw []byte, into any, name, where string) bool {
	err := decode(raw, into, func(o odd) { in.odd(o, where) })
	if err != nil {
		in.report.unknown(name+" that is no JSON", where)
	}
	return err == nil
}

// parsed reads JSON into a value, and reports whether it could.
func parsed(raw []byte, into any) bool { return json.Unmarshal(raw, into) == nil }
