package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/fault"
)

// eachValue calls take with each element of a file's list, or with each value of a file that
// has no list. A value that is damaged or too large is told, and left out.
func (in *reading) eachValue(f *File, take func(raw *bulk) error) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if in.raw == nil {
		in.raw = in.newBulk()
	}
	v := newValues(r, in.raw)
	v.entire = in.entire
	for {
		more, err := v.next()
		if !more || err != nil {
			return err
		}
		if err := in.give(v, f, take); err != nil {
			return err
		}
	}
}

// whole takes a value that is read at once.
func whole(take func(raw []byte) error) func(raw *bulk) error {
	return func(raw *bulk) error {
		text, err := raw.whole()
		if err != nil {
			return err
		}
		return take(text)
	}
}

// give gives a value to take, or tells why it is left out.
func (in *reading) give(v *values, f *File, take func(raw *bulk) error) error {
	where := f.Name + ", " + v.where()
	in.began = in.report.tally()
	if v.trouble != "" {
		in.report.Fail(where+named(v.raw.head()), v.trouble+andTheRest)
		return nil
	}
	switch bad, err := v.raw.notUTF8(); {
	case err != nil:
		return err
	case bad >= 0:
		in.report.unknown("bytes that are no UTF-8, shown as �", f.Name+", "+v.placeOf(bad))
	}
	return in.alone(where+named(v.raw.head()), take(v.raw))
}

// alone tells the fault of a damaged conversation, which fails alone. Other errors stay.
func (in *reading) alone(where string, err error) error {
	if fault.CodeOf(err) == notJSON && in.report.blame(where, err) {
		return nil
	}
	return err
}

// named is the conversation that a damaged or large value begins with; "" if that does not say.
func named(raw []byte) string {
	head := bytes.NewReader(raw[:min(len(raw), sampleSize)])
	dec := jsontext.NewDecoder(head, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	for {
		token, err := dec.ReadToken()
		if err != nil || token.Kind() != '"' {
			return ""
		}
		known := slices.Contains([]string{"id", "uuid", "conversation_id", "conversationId", "title", "name", "session"}, token.String())
		if known && dec.PeekKind() == '"' {
			text, _ := dec.ReadToken() // cut off, it is empty
			return ", conversation " + oneLine(text.String(), 80)
		}
		if dec.SkipValue() != nil {
			return ""
		}
	}
}

// eachLine calls take with each line of a file that is not empty. A line that is too large is
// told, and left out.
func (in *reading) eachLine(f *File, take func(n int, line []byte) error) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for n := 1; ; n++ {
		var size int64
		if line, size, err = readLine(lines, line[:0]); err != nil {
			return ended(err)
		}
		if size > maxConversation {
			in.report.Fail(fmt.Sprintf("%s, line %d", f.Name, n), tooLarge(size)+andTheRest)
			continue
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if err := take(n, text); err != nil {
				return err
			}
		}
	}
}

// readLine reads a line, of which it keeps as much as a conversation may have, and its size.
func readLine(in *bufio.Reader, line []byte) ([]byte, int64, error) {
	var size int64
	for {
		part, err := in.ReadSlice('\n')
		if size += int64(len(part)); size <= maxConversation {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && size > 0:
			err = nil
		}
		return line, size, err
	}
}

// notJSON is the code of the fault of a value that is damaged, and andTheRest says what
// becomes of it and of the others.
const (
	notJSON    = "invalid_json"
	andTheRest = ". It was left out; what stands behind it was read."
)

// tooLarge says that a conversation is too large.
func tooLarge(size int64) string {
	return fmt.Sprintf("It has %d MiB, and a conversation may have 64 MiB. Ask the other program for it in parts, or without its files", size>>20)
}
