package transfer

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/unicode"
)

// fuzzFormat gives a format any bytes. A line that comes out is a whole line of an import,
// with a mark for each message and times that rise.
func fuzzFormat(f *testing.F, from string) {
	names, _ := filepath.Glob("testdata/" + from + "*.txtar")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.HasPrefix(file.Name, "in/") {
				f.Add(file.Name, file.Data)
			}
		}
	}
	for _, none := range []string{"null", "null0", "[null]", "[[null]]", `{"data":[null]}`, `"text"`, "0", "true"} { // no object where one is expected
		f.Add("chat.json", []byte(none))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if strings.HasPrefix(string(text), "SQLi") {
			t.Skip() // the driver has tests of its own
		}
		i := slices.IndexFunc(formats(), func(f format) bool { return f.name == from })
		for _, inMemory := range []int{inMemory, 1} { // also as if it were large
			fuzzRead(t, formats()[i], memoryFile(name, text), Options{From: from, inMemory: inMemory})
		}
	})
}

func fuzzRead(t *testing.T, format format, file *File, opt Options) {
	in := &reading{opt: opt, report: NewReport(true), now: written(), copies: newCopies(), keep: func(line Line) error {
		checkLine(t, wholeLine(t, line))
		return nil
	}}
	format.fits(sampleOf(file))
	_ = format.read(context.Background(), in, []*File{file}) // an error is a refusal
	for _, b := range in.bulks {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
}

// checkLine checks what every line must be.
func checkLine(t *testing.T, line []byte) {
	if strings.Count(string(line), "\n") != 1 || !json.Valid(line) {
		t.Fatalf("got the line %q", line)
	}
	var ours struct {
		Root string `json:"_lineage_root_id"`
	}
	if json.Unmarshal(line, &ours) == nil && ours.Root != "" {
		return // an export of this program is passed on
	}
	shownLine(t, line)
}

// memoryFile is a file of bytes.
func memoryFile(name string, text []byte) *File {
	return &File{Name: name, Modified: written(), open: openBytes(text)}
}

func FuzzJSONL(f *testing.F)     { fuzzFormat(f, "jsonl") }
func FuzzChatGPT(f *testing.F)   { fuzzFormat(f, "chatgpt") }
func FuzzClaude(f *testing.F)    { fuzzFormat(f, "claude") }
func FuzzOpenWebUI(f *testing.F) { fuzzFormat(f, "openwebui") }
func FuzzLibreChat(f *testing.F) { fuzzFormat(f, "librechat") }
func FuzzMem0(f *testing.F)      { fuzzFormat(f, "mem0") }
func FuzzLetta(f *testing.F)     { fuzzFormat(f, "letta") }
func FuzzOpenClaw(f *testing.F)  { fuzzFormat(f, "openclaw") }
func FuzzHermes(f *testing.F)    { fuzzFormat(f, "hermes") }

// FuzzStamp: every time that is read can be written and read again.
func FuzzStamp(f *testing.F) {
	for _, text := range []string{"1717232400.5", "1717232400000", "1717232400000000000", "2024-06-01T09:00:00Z", "2024-06-01", "-1", "1e400", "nan"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := (&reading{}).within(parseStamp(text))
		if b, err := at.MarshalJSON(); err != nil {
			t.Errorf("%q: got %s, %v", text, b, err)
		}
	})
}

// FuzzInput: any bytes as a file, packed or not, are read or refused.
func FuzzInput(f *testing.F) {
	f.Add([]byte(tiny))
	f.Add([]byte("PK\x03\x04 broken"))
	f.Add(zipped(f, [2]string{"a.zip", string(zipped(f, [2]string{"c.json", tiny}))}))
	f.Add(tarred(f, "c.json", tiny))
	f.Add(utf16(tiny, unicode.LittleEndian, unicode.UseBOM))
	f.Add([]byte("\x1f\x8b broken"))
	f.Add([]byte("\x28\xb5\x2f\xfd broken"))
	f.Add(zstded(f, []byte(tiny)))
	f.Add(wrongSum(zstded(f, []byte(tiny))))
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.HasPrefix(string(text), "SQLi") {
			t.Skip()
		}
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Open(path)
		if err != nil {
			return
		}
		defer func() { _ = in.Close() }()
		var given []bool // whether each line is still in the import
		_ = Read(context.Background(), in, Options{From: "auto"}, NewReport(true), func(line Line) error {
			if r := line.Replaces; r >= 0 {
				checkReplaced(t, given, r)
				given[r] = false
			}
			text := wholeLine(t, line)
			given = append(given, len(text) > 0)
			if len(text) > 0 || line.Replaces < 0 {
				checkLine(t, text)
			}
			return nil
		})
	})
}

// checkReplaced checks that a line which is replaced or taken back is in the import.
func checkReplaced(t *testing.T, given []bool, replaced int) {
	t.Helper()
	if replaced >= len(given) || !given[replaced] {
		t.Fatalf("line %d replaces line %d, which is not in the import", len(given), replaced)
	}
}

// wrongSum is a packed file whose checksum, its last byte, is wrong: the line that was read
// from it is taken back.
func wrongSum(packed []byte) []byte {
	packed = slices.Clone(packed)
	packed[len(packed)-1] ^= 1
	return packed
}

// FuzzPacked: a message is read back as it was written, and any bytes are a message or an error.
func FuzzPacked(f *testing.F) {
	m := Message{ID: "a", Role: roleUser, Text: "Tea.", Calls: []Call{{"c", "look", "{}", "{ }"}}}
	f.Add(m.pack(nil))
	f.Add([]byte("\xff\xff"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		m, err := unpackMessage(string(packed))
		if err != nil {
			return
		}
		if again, err := unpackMessage(string(m.pack(nil))); err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("got %+v, %v, want %+v", again, err, m)
		}
	})
}
