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

// ErrEventTooLong says that an event exceeds the reader's bound.
var ErrEventTooLong = errors.New("server-sent event is too long")

// Events reads a stream of server-sent events from r. An event is at most limit
// bytes. The sequence ends at the end of r, without an error if that falls
// between two events, with io.ErrUnexpectedEOF if it cuts one off. Comments,
// ids and retry hints are skipped: nothing here acts on them. Data is valid
// until the next event.
func Events(r io.Reader, limit int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := bufio.NewReaderSize(r, 4096)
		var ev Event
		var data []byte
		begun := false
		for {
			line, err := readLine(in, limit-len(data))
			if err != nil {
				if errors.Is(err, io.EOF) {
					if begun {
						yield(Event{}, io.ErrUnexpectedEOF)
					}
					return
				}
				yield(Event{}, err)
				return
			}
			if len(line) == 0 {
				if begun {
					ev.Data = data
					if !yield(ev, nil) {
						return
					}
				}
				ev, data, begun = Event{}, data[:0], false
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
}

// readLine returns the next line without its end, valid until the next call.
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
