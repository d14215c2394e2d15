package openai

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Event is one server-sent event.
type Event struct {
	Name string // the "event:" field; "" on chat completion streams
	Data []byte // the "data:" lines joined by newlines
}

// ErrEventTooLong says that an event exceeds the size limit.
var ErrEventTooLong = errors.New("server-sent event is too long")

// Events reads server-sent events from r. An event has at most limit bytes. The
// sequence ends at the end of r: without an error between two events, with
// io.ErrUnexpectedEOF within an event. Comments, ids and retry hints are skipped. Data
// is valid until the next event.
func Events(r io.Reader, limit int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		e := eventReader{in: bufio.NewReaderSize(r, 4096), limit: limit}
		for {
			ev, err := e.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// eventReader reads events into one buffer.
type eventReader struct {
	in    *bufio.Reader
	limit int
	data  []byte
}

// next reads an event. The error is io.EOF after the last event, and
// io.ErrUnexpectedEOF within one.
func (e *eventReader) next() (Event, error) {
	var ev Event
	data, begun := e.data[:0], false
	for {
		line, err := readLine(e.in, e.limit-len(data))
		switch {
		case errors.Is(err, io.EOF) && begun:
			return Event{}, io.ErrUnexpectedEOF
		case err != nil:
			return Event{}, err
		case len(line) == 0 && begun:
			ev.Data, e.data = data, data
			return ev, nil
		case len(line) == 0:
			ev = Event{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			ev.Name = string(value)
		case "data":
			if begun {
				data = append(data, '\n')
			}
			begun = true
			data = append(data, value...)
		}
	}
}

// readLine returns the next line without its line break. The line is valid until the
// next call.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err == nil && len(line) <= limit {
		return bytes.TrimRight(line, "\r\n"), nil
	}
	long := append([]byte(nil), line...)
	for errors.Is(err, bufio.ErrBufferFull) && len(long) <= limit {
		line, err = in.ReadSlice('\n')
		long = append(long, line...)
	}
	if len(long) > limit {
		return nil, fmt.Errorf("%w: over %d bytes", ErrEventTooLong, limit)
	}
	if err != nil && len(long) > 0 && errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(long, "\r\n"), err
}

// Done is the event that ends a chat completion stream.
var Done = []byte("[DONE]")
