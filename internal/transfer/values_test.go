package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hermes-memory/hermes/internal/fault"
)

// cutIn shows the values of a text, with what is wrong with them.
func cutIn(r io.Reader) ([]string, error) {
	var got []string
	v := newValues(r, &bulk{most: inMemory})
	for {
		more, err := v.next()
		if !more || err != nil {
			return got, err
		}
		got = append(got, strings.TrimSpace(string(v.raw.mem)+" "+v.trouble))
	}
}

// TestValues: a value that is damaged ends where the next one begins.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
		code       string
	}{
		{"nothing", " \n", nil, ""},
		{"a list", `[{"a":"]}"}, [1] ,2, "x,\"]", null]`, []string{`{"a":"]}"}`, `[1]`, `2`, `"x,\"]"`, `null`}, ""},
		{"values without a list", "{\"a\":\n1}{}\n\n{}", []string{"{\"a\":\n1}", "{}", "{}"}, ""},
		{"two lists", `[{}][{"b":2}]`, []string{"{}", `{"b":2}`}, ""},
		{"a list and lines", "[{}]\n{}", []string{"{}", "{}"}, ""},
		{"a line that is no value", "{}\nnot, json\n{}\n", []string{"{}", "not, json", "{}"}, ""},
		{"a line that is cut off", "{}\n{\"a\":[\n{}\n", []string{"{}", `{"a":[ Its line ends before it does`, "{}"}, ""},
		{"a first line that is cut off in a text", "{\"a\":\"b\n{}\n", []string{`{"a":"b Its line ends before it does`, "{}"}, ""},
		{"a last line that is cut off", "{}\n{\"a\":", []string{"{}", `{"a": The file ends before it does`}, ""},
		{"an element that is no JSON", `[{"a":NaN},{}]`, []string{`{"a":NaN}`, `{}`}, ""},
		{"characters that are not escaped", "[{\"a\":\"b\tc\nd\"}]", []string{`{"a":"b\u0009c\u000ad"}`}, ""},
		{"a list that is cut off", `[{},`, []string{"{}"}, "import_cut"},
		{"an element that is cut off", `[{},{"a":`, []string{"{}"}, "import_cut"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text))} {
				got, err := cutIn(r)
				if !slices.Equal(got, tt.want) || fault.CodeOf(err) != tt.code || err != nil && tt.code == "" {
					t.Errorf("got %q, %v, want %q", got, err, tt.want)
				}
			}
		})
	}
}

// TestValuesEndWithTheirFile: an error of the file is not taken for its end.
func TestValuesEndWithTheirFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[{}`, `[{"a":`, "[", "tru", ""} {
		if _, err := cutIn(io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

// TestDamagedConversations: one conversation that is too large or damaged is told by its name,
// and those behind it are taken.
func TestDamagedConversations(t *testing.T) {
	t.Parallel()
	talk := func(id, text string) string {
		return fmt.Sprintf(`{"uuid":%q,"chat_messages":[{"uuid":"m","sender":"human","text":%s}]}`, id, text)
	}
	for name, damaged := range map[string]string{
		"64 MiB": talk("bad", `"`+strings.Repeat("a b ", maxConversation/4)+`"`), "is not JSON": talk("bad", "NaN"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "[" + talk("one", `"x"`) + ",\n" + damaged + "," + talk("two", `"y"`) + "]"
			report := NewReport(false)
			in := &Input{Files: []*File{memoryFile("c.json", []byte(text))}}
			err := Read(context.Background(), in, Options{From: "auto"}, report, func(Line) error { return nil })
			if err != nil || report.Conversations != 2 || report.Failed != 1 {
				t.Fatalf("got %+v, %v", report, err)
			}
			if p := report.Problems[0]; !strings.Contains(p.Message, name) || !strings.Contains(p.Where, "byte 76, conversation bad") {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// FuzzValues: the values of a JSON list are its elements, and any text comes to an end.
func FuzzValues(f *testing.F) {
	for _, text := range []string{`[{"a":"]}"}, [1] ,2, "x,\"]", null]`, "{}\nnot json\n{}\n", `[{},`, "[{\"a\":\"b\nc\"}]", `"\`, "]]["} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := cutIn(strings.NewReader(text))
		var want []json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
		for i := range want {
			if got[i] != string(want[i]) {
				t.Errorf("got %q, want %q", got[i], want[i])
			}
		}
	})
}

// TestLargeValuesLeaveLittle: a value that is too large costs no more memory than a small one.
func TestLargeValuesLeaveLittle(t *testing.T) {
	text := io.MultiReader(strings.NewReader(`["`), io.LimitReader(endless{}, maxConversation+1), strings.NewReader(`"]`))
	before, after := runtime.MemStats{}, runtime.MemStats{}
	runtime.ReadMemStats(&before)
	v := newValues(io.MultiReader(strings.NewReader("["), text, strings.NewReader("]")), &bulk{most: inMemory})
	defer func() { _ = v.raw.close() }()
	more, err := v.next()
	runtime.ReadMemStats(&after)
	if !more || err != nil || v.trouble == "" {
		t.Fatalf("got %t, %v, %q", more, err, v.trouble)
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 4 || cap(v.raw.mem) > inMemory {
		t.Errorf("it allocated %d MiB, and keeps %d bytes", used, cap(v.raw.mem))
	}
}

// endless is a text without an end.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestMarkWithin: files that were put one behind the other have a byte order mark before each.
func TestMarkWithin(t *testing.T) {
	t.Parallel()
	const mark = "\xef\xbb\xbf"
	for name, text := range map[string]string{
		"lines": mark + `{"session":"s","role":"user","content":"I like squash."}` + "\r\n" +
			mark + `{"session":"s","role":"assistant","content":"Good."}`,
		"lists": mark + tiny + "\n" + mark + strings.NewReplacer("tea", "squash", "u1", "u2").Replace(tiny),
	} {
		got, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(text))}}, Options{From: "auto"})
		if err != nil || !strings.Contains(got, "I like squash.") || strings.Contains(got, "failed") {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}
