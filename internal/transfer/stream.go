package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
)

// values reads the values of a file one after another: the elements of a list, or the
// values that stand one behind the other. Each is at most as large as a conversation.
type values struct {
	r    io.Reader
	dec  *jsontext.Decoder
	left int // bytes that may still be read for the next value
}

// newValues begins to read values.
func newValues(r io.Reader) *values {
	v := &values{r: r, left: maxConversation}
	v.dec = jsontext.NewDecoder(v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return v
}

// Read implements io.Reader for the decoder.
func (v *values) Read(p []byte) (int, error) {
	if v.left <= 0 {
		return 0, errTooLarge()
	}
	n, err := v.r.Read(p[:min(len(p), v.left)])
	v.left -= n
	return n, err
}

// enter goes into a list; false if the file has none.
func (v *values) enter() (bool, error) {
	if v.dec.PeekKind() != '[' {
		return false, nil
	}
	_, err := v.dec.ReadToken()
	return true, v.wrong(err)
}

// next is the next value, valid until the one after it; nil at the end.
func (v *values) next() ([]byte, error) {
	v.left = maxConversation
	if kind := v.dec.PeekKind(); kind == ']' {
		return nil, nil
	}
	raw, err := v.dec.ReadValue()
	if errors.Is(err, io.EOF) && v.dec.StackDepth() == 0 {
		return nil, nil
	}
	return raw, v.wrong(err)
}

// wrong is the fault of a file that is no JSON.
func (v *values) wrong(err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(fault.Invalid, "invalid_json", fmt.Sprintf("The file is not JSON from byte %d on. What stands behind that was not read.", v.dec.InputOffset()), err)
}

// eachValue calls take with each element of a file's list, or with each value of a file that
// has no list.
func eachValue(f *File, take func(raw []byte) error) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	v := newValues(r)
	if _, err := v.enter(); err != nil {
		return err
	}
	for {
		raw, err := v.next()
		if raw == nil || err != nil {
			return err
		}
		if err := take(raw); err != nil {
			return err
		}
	}
}

// eachLine calls take with each line of a file that is not empty. A line is at most as large
// as a conversation.
func eachLine(f *File, take func(n int, line []byte) error) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxConversation)
	for n := 1; in.Scan(); n++ {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			if err := take(n, line); err != nil {
				return err
			}
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return errTooLarge()
	}
	return in.Err()
}

// decode reads a value of an export. A member of another type than expected is counted, and
// the rest is read.
func (in *reading) decode(raw []byte, into any, where string) error {
	err := json.Unmarshal(raw, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		in.report.unknown("a "+wrong.Value+" as "+wrong.Field, where)
		return nil
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, "invalid_json", "The conversation is not readable JSON.", err)
	}
	return nil
}

// parsed reads JSON into a value, and reports whether it could.
func parsed(raw []byte, into any) bool { return json.Unmarshal(raw, into) == nil }

// picture stands for a picture of which nothing is known.
const picture = "[image]"

// texts are the texts of a value that is a text, a list of texts, or a list of objects with
// a text. A picture among them is named as one.
func texts(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var out []string
	for _, e := range list {
		var one struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(e, &text) != nil {
			_ = json.Unmarshal(e, &one) // what has no text is left out
			if text = one.Text; text == "" && strings.Contains(one.Type, "image") {
				text = picture
			}
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}
