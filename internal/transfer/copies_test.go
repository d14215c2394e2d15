package transfer

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestWrongChecksum: nothing of a file that was damaged on its way is taken, and the others are.
func TestWrongChecksum(t *testing.T) {
	t.Parallel()
	ours := `{"_lineage_root_id":"u1","id":"u1","messages":[]}`
	for name, packed := range map[string][]byte{
		"gzip": flipped(gzipped(t, tiny), -6), "gzip, own export": flipped(gzipped(t, ours), -6), "zstd": flipped(zstded(t, []byte(tiny)), -1),
		"zip": zipOfWrongSum(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := Open(fileOf(t, "packed", packed))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			alone := strings.HasSuffix(name, "own export")
			want := 0
			if !alone {
				in.Files = append(in.Files, memoryFile("other.json", []byte(strings.ReplaceAll(tiny, "u1", "u2"))))
				want = 1
			}
			report := NewReport(false)
			got := spooledText(t, in, report)
			if strings.Count(got, "\n") != want || strings.Contains(got, "u1") || report.Conversations != want || report.Failed != 1 {
				t.Errorf("got %s, %+v", got, report)
			}
			if len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Message, "checksum is wrong") {
				t.Errorf("got %+v", report.Problems)
			}
		})
	}
}

// flipped are bytes of which one, counted from the end, has another bit.
func flipped(b []byte, at int) []byte {
	b[len(b)+at] ^= 1
	return b
}

// zipOfWrongSum is a zip archive whose directory has another checksum than its file.
func zipOfWrongSum(t *testing.T) []byte {
	t.Helper()
	text := zipped(t, [2]string{"c.json", tiny})
	text[bytes.Index(text, []byte("PK\x01\x02"))+16] ^= 1
	return text
}

// spooledText are the lines of an input.
func spooledText(t *testing.T, in *Input, report *Report) string {
	t.Helper()
	spool, err := NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = spool.Close() }()
	if err := Read(t.Context(), in, Options{From: "auto"}, report, spool.Keep); err != nil {
		t.Fatal(err)
	}
	r, err := spool.Reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || int64(len(text)) != spool.Size() {
		t.Fatalf("got %s, %v; the size is %d", text, err, spool.Size())
	}
	return string(text)
}

// TestCopies: of a conversation that the input has several times, the newest copy is taken, in
// whichever order they stand.
func TestCopies(t *testing.T) {
	t.Parallel()
	older := tiny
	newer := strings.Replace(tiny, `]}]`, `,{"uuid":"m2","sender":"assistant","text":"Green or black?","created_at":"2024-05-01T10:00:09Z"}]}]`, 1)
	for name, files := range map[string][]string{
		"old, new": {older, newer}, "new, old": {newer, older}, "new twice, old": {newer, newer, older}, "old, new, new": {older, newer, newer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &Input{}
			for _, text := range files {
				in.Files = append(in.Files, memoryFile("conversations.json", []byte(text)))
			}
			report := NewReport(false)
			text := spooledText(t, in, report)
			if strings.Count(text, "\n") != 1 || !strings.Contains(text, "Green or black?") {
				t.Errorf("got %s", text)
			}
			if report.Conversations != 1 || report.Messages != 2 || len(report.Omitted) != 1 || report.Omitted[0].Count != len(files)-1 {
				t.Errorf("got %+v", report)
			}
		})
	}
}
