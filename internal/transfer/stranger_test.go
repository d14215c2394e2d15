package transfer

import (
	"bytes"
	"strings"
	"testing"
)

// lockedZip is a zip archive whose file has a password.
func lockedZip(t *testing.T) string {
	t.Helper()
	text := zipped(t, [2]string{"conversations.json", tiny})
	for _, header := range []struct {
		mark string
		flag int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		text[bytes.Index(text, []byte(header.mark))+header.flag] |= encrypted
	}
	return string(text)
}

// TestStrangers: what is no export is named, with what to do next.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"x.7z", "7z\xbc\xaf\x27\x1c\x00", "x.7z is a 7z archive. Unpack it, and name the directory."},
		{"x.rar", "Rar!\x1a\x07", "is a RAR archive. Unpack it"},
		{"x.xz", "\xfd7zXZ\x00", "is packed with xz. Unpack it first."},
		{"x.bz2", "BZh9", "is packed with bzip2. Unpack it first."},
		{"x.pdf", "%PDF-1.7", "is a PDF. Name the export's JSON file."},
		{"chat.html", "\n<!DOCTYPE html>", "is a web page. Name the export's JSON file."},
		{"x.json", " \r\n", "is empty. Get the export again."},
		{"x.json", strings.Repeat("\x00", 600), "is all zeros. Get the export again"},
		{"x.json", "[]\n", "is an empty list. The export has no conversations."},
		{"manifest-1.json", `{"files":[{"url":"https://example.com/a/data-000.zip?x=1"}]}`, "Download the parts to a directory"},
		{"users.json", `[{"uuid":"a","full_name":"A","email_address":"a@example.com"}]`, "is the account of Claude. The conversations are in"},
		{"p.json", `{"uuid":"a","prompt_template":"","docs":[]}`, "is the projects of Claude."},
		{"MyActivity.json", `[{"header":"Gemini Apps","title":"Prompted x","products":["Gemini Apps"]}]`, "is Google's log of activity."},
		{"s.jsonl", `{"type":"user","sessionId":"s","message":{"role":"user","content":"x"}}`, "is a transcript of Claude Code."},
		{"m.json", `[{"role":"user","content":"x"}]`, `is a list of messages. Put it into an object`},
		{"x.json", `{"results":[]}`, "is an object around an empty list. The export has no conversations and no memories."},
		{"x.json", `{"total":0,"data":[ ],"relations":[]}`, "is an object around an empty list."},
		{"x.json", `{"data":[],"more":{"a":1}}`, "x.json is of no known kind."},
		{"x.json", `{"a":1}`, "x.json is of no known kind. docs/import.md says"},
		{"locked.zip", lockedZip(t), "locked.zip:conversations.json: It is encrypted. Unpack the archive with its password"},
		{"cut.zip", "PK\x03\x04", "cut.zip: It is a damaged zip archive. Get the export again."},
		{"folders.zip", string(zipped(t, [2]string{"a/", ""})), "The input has no files. Name a file of the export, or its directory."},
		{"part.zip", "PK\x07\x08", "is a damaged, divided or deeply nested zip archive."},
		{"empty.zip", "PK\x05\x06" + strings.Repeat("\x00", 18), "is an empty zip archive. Get the export again."},
		{"blanks.json", "[" + strings.Repeat(" ", sampleSize) + "{}]", "blanks.json is of no known kind."},
		{"deep.json", strings.Repeat("[", sampleSize+1), "deep.json is of no known kind."},
	} {
		t.Run(tt.name+" "+tt.want[:12], func(t *testing.T) {
			t.Parallel()
			in, err := Open(fileOf(t, tt.name, []byte(tt.text)))
			if err == nil {
				defer func() { _ = in.Close() }()
				_, err = readAll(t, in, Options{From: "auto"})
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestUnreadableAmongOthers: a file that cannot be read is told, and the others are read.
func TestUnreadableAmongOthers(t *testing.T) {
	t.Parallel()
	path := fileOf(t, "all.zip", zipped(t, [2]string{"locked.zip", lockedZip(t)}, [2]string{"cut.zip", "PK\x03\x04"}, [2]string{"c.json", tiny}, [2]string{"x.7z", "7z\xbc\xaf\x27\x1c"}))
	in, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	got, err := readAll(t, in, Options{From: "auto"})
	for _, want := range []string{
		"I like tea.", "failed: all.zip:cut.zip: It is a damaged zip archive.", "failed: all.zip:locked.zip:conversations.json: It is encrypted.", "1 × file that is a 7z archive, first in all.zip:x.7z",
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %q", got, err, want)
		}
	}
}

// TestOddElementsFirst: elements that say nothing at the beginning of an export do not hide its format.
func TestOddElementsFirst(t *testing.T) {
	t.Parallel()
	in := &Input{Files: []*File{memoryFile("c.json", []byte(`[null,{"id":"shell","title":"New chat"},{"create_time":NaN},`+tiny[1:]))}}
	got, err := readAll(t, in, Options{From: "auto"})
	if err != nil || !strings.Contains(got, "From claude") || !strings.Contains(got, "I like tea.") {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestOtherFormat: a file of another program than the one that was named is told by its own.
func TestOtherFormat(t *testing.T) {
	t.Parallel()
	_, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(tiny))}}, Options{From: "chatgpt"})
	if want := "c.json is one of claude: leave out --from, or say --from claude."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
