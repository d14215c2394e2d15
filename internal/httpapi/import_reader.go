package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// unreadable is the fault of text that is not a JSON object.
func (a *archiveReader) unreadable(err error) error {
	a.lost = true
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(fault.Invalid, "invalid_json", "The line is not a JSON object. This line and all later lines were not imported.", err)
}

// archiveReader reads an export value by value.
type archiveReader struct {
	body   *passage
	dec    *jsontext.Decoder
	left   int  // bytes that may still be read for the next value
	list   bool // the decoder stands in the list of messages
	told   bool // at least one message has been read
	behind []byte
	// grown says that the decoder has read a large value.
	grown bool
	lost  bool // the start of the next line is unknown
}

// next discards the value just read and begins another.
func (a *archiveReader) next() {
	a.left = maxImportValue
	a.shrink()
	a.body.next()
}

// shrink replaces a decoder that has read a large value, because the decoder keeps a
// buffer of that size. The new decoder is brought to the same position: between lines,
// or in the list of messages, at its beginning or after an element.
func (a *archiveReader) shrink() {
	a.grown = a.grown || a.body.room != nil
	between := a.list || a.dec.StackDepth() == 0
	if !a.grown || !between {
		return
	}
	place := ""
	if a.list {
		place = `{"":[`
		if a.told {
			place += `""`
		}
	}
	a.grown = false
	a.behind = slices.Concat([]byte(place), a.dec.UnreadBuffer(), a.behind)
	a.decode()
	for a.dec.InputOffset() < int64(len(place)) {
		if _, err := a.dec.ReadToken(); err != nil {
			return // the next read returns the error
		}
	}
}

// decode begins to read the next value. Duplicate names are allowed, because values are
// only cut out here and judged later.
func (a *archiveReader) decode() { a.dec = jsontext.NewDecoder(a, jsontext.AllowDuplicateNames(true)) }

// Read implements io.Reader for the decoder.
func (a *archiveReader) Read(p []byte) (int, error) {
	if len(a.behind) > 0 {
		n := copy(p, a.behind)
		a.behind = a.behind[n:]
		return n, nil
	}
	if a.left <= 0 {
		return 0, fault.New(fault.TooLarge, "message_too_large", "A message of the import is larger than 40,000,000 bytes.")
	}
	n, err := a.body.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// head reads a line up to its messages. io.EOF says that there is none.
func (a *archiveReader) head() (*archiveHead, error) {
	head := &archiveHead{}
	a.list = false
	if a.dec.PeekKind() == 0 {
		_, err := a.dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return head, io.EOF
		}
		return head, a.unreadable(err)
	}
	if a.dec.PeekKind() != '{' {
		return head, a.unreadable(errors.New("no object"))
	}
	if _, err := a.dec.ReadToken(); err != nil {
		return head, a.unreadable(err)
	}
	fields := make(map[string]json.RawMessage)
	for a.dec.PeekKind() != '}' {
		name, err := a.dec.ReadToken()
		if err != nil {
			return head, a.unreadable(err)
		}
		if key := name.String(); key != "messages" {
			value, err := a.dec.ReadValue()
			if err != nil {
				return head, a.unreadable(err)
			}
			fields[key] = json.RawMessage(value.Clone())
			continue
		}
		if a.dec.PeekKind() != '[' {
			return head, fault.New(fault.Invalid, "invalid_export", "\"messages\" of a line must be a list.")
		}
		if _, err := a.dec.ReadToken(); err != nil {
			return head, a.unreadable(err)
		}
		a.list, a.told = true, false
		break
	}
	return head, fill(head, fields)
}

// fill decodes the fields of a line.
func fill(head *archiveHead, fields map[string]json.RawMessage) error {
	if raw, broken := fields["error"]; broken && len(fields) == 1 {
		return fault.New(fault.Invalid, "broken_export", "The export broke off here: "+string(raw))
	}
	for _, name := range []string{"started_at", "ended_at", "last_active"} { // times as other programs write them
		raw, is := fields[name]
		if !is {
			continue
		}
		var at when
		if json.Unmarshal(raw, &at) != nil {
			return fault.New(fault.Invalid, "invalid_export", "\""+name+"\" of a line must be "+bound.Allowed+".")
		}
		fields[name] = []byte("null")
		if !at.IsZero() {
			fields[name], _ = json.Marshal(at.Time) // a time that was just read
		}
	}
	whole, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(whole, head)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, "invalid_export", "The line does not have the fields of an export.", err)
	}
	return nil
}

// message reads the next message of the line; io.EOF at the end of the list.
func (a *archiveReader) message(fallback *session.Session) (session.Message, error) {
	if !a.list {
		return session.Message{}, io.EOF
	}
	a.next()
	if a.dec.PeekKind() == ']' {
		a.list = false
		return session.Message{}, a.end()
	}
	a.told = true
	value, err := a.dec.ReadValue()
	if err != nil {
		return session.Message{}, a.unreadable(err)
	}
	var m archiveMessage
	if err := json.Unmarshal(value, &m); err != nil {
		return session.Message{}, fault.Wrap(fault.Invalid, "invalid_export", "A message does not have the fields of an export.", err)
	}
	a.shrink() // frees memory before the message is stored
	a.body.parsed()
	return m.message(fallback)
}

// end reads the end of the messages. It returns io.EOF, or a fault if anything follows
// them, because the session is already being stored and would lose it.
func (a *archiveReader) end() error {
	if _, err := a.dec.ReadToken(); err != nil {
		return a.unreadable(err)
	}
	if a.dec.PeekKind() != '"' {
		return io.EOF
	}
	name, err := a.dec.ReadToken()
	if err != nil {
		return a.unreadable(err)
	}
	return fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("%q stands behind the messages, which must come last in a line.", name.String()))
}

// rest reads the remainder of the line.
func (a *archiveReader) rest() error {
	a.list = false // the position is unknown
	for a.dec.StackDepth() > 0 {
		a.next()
		if _, err := a.dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}
