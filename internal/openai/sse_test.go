package openai

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type seen struct{ Name, Data string }

func read(r io.Reader, limit int) (events []seen, err error) {
	for ev, err := range Events(r, limit) {
		if err != nil {
			return events, err
		}
		events = append(events, seen{ev.Name, string(ev.Data)})
	}
	return events, nil
}

func TestEvents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	for _, tt := range []struct {
		name, text string
		want       []seen
		err        error
	}{
		{"nothing", "", nil, nil},
		{"one", "data: a\n\n", []seen{{"", "a"}}, nil},
		{"no space", "data:a\n\n", []seen{{"", "a"}}, nil},
		{"only one space goes", "data:  a \n\n", []seen{{"", " a "}}, nil},
		{"CRLF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []seen{{"x", "a"}, {"", "b"}}, nil},
		{"several lines", "data: a\ndata: b\ndata\ndata: c\n\n", []seen{{"", "a\nb\n\nc"}}, nil},
		{"empty data", "data:\n\n", []seen{{"", ""}}, nil},
		{"named", "event: message_start\ndata: {}\n\n", []seen{{"message_start", "{}"}}, nil},
		{"a name does not last", "event: a\ndata: 1\n\ndata: 2\n\n", []seen{{"a", "1"}, {"", "2"}}, nil},
		{"a name without data is no event", "event: a\n\ndata: 1\n\n", []seen{{"", "1"}}, nil},
		{"comments, ids, retries, blank lines", ": hi\n\n\n:\nid: 7\nretry: 10\n\ndata: a\n: in between\nid\n\n", []seen{{"", "a"}}, nil},
		{"colon in data", "data: {\"a\":1}\n\n", []seen{{"", `{"a":1}`}}, nil},
		{"long", "data: " + long + "\n\ndata: b\n\n", []seen{{"", long}, {"", "b"}}, nil},
		{"cut in a line", "data: a\n\ndata: b", []seen{{"", "a"}}, io.ErrUnexpectedEOF},
		{"cut after a line", "data: a\n\ndata: b\n", []seen{{"", "a"}}, io.ErrUnexpectedEOF},
		{"ended after a comment", "data: a\n\n: bye\n", []seen{{"", "a"}}, nil},
		{"too long", "data: a\n\ndata: " + strings.Repeat(long, 3) + "\n\n", []seen{{"", "a"}}, ErrEventTooLong},
		{"too long in lines", strings.Repeat("data: "+long+"\n", 3) + "\n", nil, ErrEventTooLong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text)), "with the end": iotest.DataErrReader(strings.NewReader(tt.text)),
			} {
				got, err := read(r, 20_000)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s: events (-want +got):\n%s", name, diff)
				}
				if !errors.Is(err, tt.err) || tt.err == nil && err != nil {
					t.Errorf("%s: got %v, want %v", name, err, tt.err)
				}
			}
		})
	}
	t.Run("a reader that fails", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("broken")
		got, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), 100)
		if len(got) != 1 || !errors.Is(err, broken) {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("left", func(t *testing.T) {
		t.Parallel()
		for range Events(strings.NewReader("data: a\n\ndata: b\n\n"), 100) {
			break
		}
	})
}

// FuzzEvents: how a text is cut into reads does not change its events, and
// events written again are read as the same.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "event: x\r\ndata: 1\r\ndata: 2\r\n\r\n", ": c\n\ndata:\n\n", "data: a\ndata: b", "id: 1\nretry: 2\nevent\n\n", "data: " + strings.Repeat("y", 500) + "\n\n", "\r\n\r\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const limit = 300
		events, err := read(bytes.NewReader(text), limit)
		again, errAgain := read(iotest.HalfReader(bytes.NewReader(text)), limit)
		if diff := cmp.Diff(events, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Fatalf("%q read in pieces: %v and %v\n%s", text, err, errAgain, diff)
		}
		var out bytes.Buffer
		for _, ev := range events {
			if len(ev.Data) > limit {
				t.Errorf("%q: an event of %d bytes", text, len(ev.Data))
			}
			if strings.ContainsAny(ev.Name, "\r\n") {
				return
			}
			if ev.Name != "" {
				out.WriteString("event: " + ev.Name + "\n")
			}
			for line := range strings.SplitSeq(ev.Data, "\n") {
				if strings.HasSuffix(line, "\r") || strings.HasSuffix(ev.Name, "\r") {
					return
				}
				out.WriteString("data: " + line + "\n")
			}
			out.WriteString("\n")
		}
		if got, err := read(&out, 10*limit); err != nil || cmp.Diff(events, got) != "" {
			t.Errorf("%q written again: %v\n%s", text, err, cmp.Diff(events, got))
		}
	})
}
