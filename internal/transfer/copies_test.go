package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWrongChecksum: nothing of a file that was damaged on its way is taken, and the others are.
func TestWrongChecksum(t *testing.T) {
	t.Parallel()
	ours := `{"_lineage_root_id":"u1","id":"u1","messages":[]}`
	for name, packed := range map[string][]byte{
		"gzip": flipped(gzipped(t, tiny), -6), "gzip, own export": flipped(gzipped(t, ours), -6), "zstd": flipped(zstded(t, []byte(tiny)), -1),
		"zip": zipOfWrongSum(t, tiny),
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
func zipOfWrongSum(t *testing.T, text string) []byte {
	t.Helper()
	packed := zipped(t, [2]string{"c.json", text})
	packed[bytes.Index(packed, []byte("PK\x01\x02"))+16] ^= 1
	return packed
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
	r, err := spool.Reader()
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

// TestCopiesOfMemories: of several memories with one id, the one that was changed last is taken, in
// whichever order they are read.
func TestCopiesOfMemories(t *testing.T) {
	t.Parallel()
	const older = `{"id":"1","memory":"Drinks tea.","user_id":"ada","created_at":"2024-05-01T10:00:00Z","updated_at":"2024-05-01T10:00:00Z"}`
	const newer = `{"id":"1","memory":"Drinks coffee.","user_id":"ada","created_at":"2024-05-01T10:00:00Z","updated_at":"2024-06-01T10:00:00Z"}`
	const other = `{"id":"2","memory":"Lives in Bern.","user_id":"ada","created_at":"2024-05-02T10:00:00Z"}`
	for name, files := range map[string][]string{
		"old, new": {"[" + older + "," + other + "]", "[" + newer + "]"}, "new, old": {"[" + newer + "]", "[" + older + "," + other + "]"},
		"one file": {"[" + older + "," + newer + "," + other + "]"}, "twice": {"[" + newer + "," + other + "]", "[" + newer + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := &Input{}
			for _, text := range files {
				in.Files = append(in.Files, memoryFile("memories.json", []byte(text)))
			}
			report := NewReport(false)
			got := spooledText(t, in, report)
			if strings.Contains(got, "tea") || strings.Count(got, "coffee") != 1 || strings.Count(got, "Bern") != 1 {
				t.Errorf("got %s", got)
			}
			if report.Messages != 2 || len(report.Omitted) != 1 || report.Omitted[0].Count != 1 {
				t.Errorf("got %+v", report)
			}
		})
	}
}

// TestMarksOfAnEditedMemory: an edit changes the mark of a memory, and not the mark of its id.
func TestMarksOfAnEditedMemory(t *testing.T) {
	t.Parallel()
	const memory = `[{"id":"1","memory":%q,"user_id":"ada","created_at":"2024-05-01T10:00:00Z","updated_at":"2024-06-01T10:00:00Z"}]`
	var heads []lineHead
	for _, text := range []string{"Lives in Rome.", "Lives in Paris."} {
		in := &Input{Files: []*File{memoryFile("memories.json", fmt.Appendf(nil, memory, text))}}
		var head lineHead
		if err := json.Unmarshal([]byte(spooledText(t, in, NewReport(false))), &head); err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head)
	}
	rome, paris := heads[0].Origin, heads[1].Origin
	if bytes.Equal(rome.Marks, paris.Marks) || len(rome.Texts) != markSize || !bytes.Equal(rome.Texts, paris.Texts) {
		t.Errorf("got %+v and %+v", rome, paris)
	}
	if want := time.Date(2024, time.June, 1, 10, 0, 0, 0, time.UTC); !rome.ChangedAt.Equal(want) {
		t.Errorf("got changed at %v, want %v", rome.ChangedAt, want)
	}
}

// TestNewerCopyIsDamaged: a newer copy in a damaged file does not replace a sound one, in
// whichever order they are read, and however they are packed.
func TestNewerCopyIsDamaged(t *testing.T) {
	t.Parallel()
	older, newer, newest := tiny, grownTiny("Green or black?", 9), grownTiny("Earl Grey?", 19)
	damaged := map[string][]byte{
		"gzip, checksum": flipped(gzipped(t, newest), -6), "gzip, cut off": cutOff(gzipped(t, newest), 40),
		"zstd, checksum": flipped(zstded(t, []byte(newest)), -1), "zstd, cut off": cutOff(zstded(t, []byte(newest)), 30),
		"zip, checksum":           zipOfWrongSum(t, newest),
		"tar in gzip, checksum":   flipped(gzipped(t, string(tarred(t, "c.json", newest))), -6),
		"tar in gzip, cut off":    cutOff(gzipped(t, string(tarred(t, "c.json", newest))), 60),
		"gzip in tar, checksum":   tarred(t, "c.json.gz", string(flipped(gzipped(t, newest), -6))),
		"gzip in zip, one damage": zipped(t, [2]string{"c.json.gz", string(flipped(gzipped(t, newest), -6))}),
	}
	for name, packed := range damaged {
		for order, files := range map[string][3][]byte{
			"first": {packed, []byte(older)}, "last": {[]byte(older), packed}, "between, sound": {packed, []byte(newer), []byte(older)},
			"sound between": {[]byte(older), []byte(newer), packed}, "before both": {packed, []byte(older), []byte(newer)}, "alone in the middle": {[]byte(newer), packed, []byte(older)},
		} {
			t.Run(name+", "+order, func(t *testing.T) {
				t.Parallel()
				want := "I like tea."
				if files[2] != nil {
					want = "Green or black?"
				}
				report := NewReport(false)
				got := spooledText(t, directoryOf(t, files[:]), report)
				if strings.Count(got, "\n") != 1 || !strings.Contains(got, want) || strings.Contains(got, "Earl Grey") {
					t.Errorf("got %s", got)
				}
				failed := 1
				if name == "tar in gzip, cut off" {
					failed = 2 // the archive, and the file in it
				}
				if report.Conversations != 1 || report.Messages != strings.Count(got, `"role"`) || report.Failed != failed {
					t.Errorf("got %+v", report)
				}
			})
		}
	}
}

// grownTiny is the conversation of tiny with another message.
func grownTiny(text string, second int) string {
	return strings.Replace(tiny, `]}]`, fmt.Sprintf(`,{"uuid":"m2","sender":"assistant","text":%q,"created_at":"2024-05-01T10:00:%02dZ"}]}]`, text, second), 1)
}

// cutOff are bytes without the last ones.
func cutOff(b []byte, n int) []byte { return b[:len(b)-n] }

// directoryOf is an input of files, which are read in this order.
func directoryOf(t *testing.T, files [][]byte) *Input {
	t.Helper()
	dir := t.TempDir()
	for i, text := range files {
		if text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	return in
}

// TestDamagedFileLeavesNothing: what formats gather over their files has nothing of a file
// that was damaged.
func TestDamagedFileLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ damaged, sound string }{
		"mem0": {
			`[{"id":"1","memory":"Likes wrong.","user_id":"ada"},{"id":"2","memory":"Likes wronger.","user_id":"bob"}]`,
			`[{"id":"3","memory":"Likes right.","user_id":"ada"}]`,
		},
		"chatgpt": {
			`[{"id":"a","mapping":{"x":{"message":{"id":"x","author":{"role":"user"},"content":{"content_type":"user_editable_context","user_profile":"wrong"}}}}}]`,
			`[{"id":"b","mapping":{"x":{"message":{"id":"x","author":{"role":"user"},"content":{"content_type":"text","parts":["right"]}}}}}]`,
		},
		"jsonl": {`{"session":"a","role":"user","content":"wrong"}`, `{"session":"a","role":"user","content":"right"}`},
		"jsonl, several": {
			`{"session":"a","role":"user","content":"wrong"}` + "\n" + `{"session":"b","role":"user","content":"wrong"}`,
			`{"session":"a","role":"user","content":"right"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := NewReport(false)
			got := spooledText(t, directoryOf(t, [][]byte{flipped(gzipped(t, tt.damaged), -6), []byte(tt.sound)}), report)
			if strings.Contains(got, "wrong") || !strings.Contains(got, "right") || report.Conversations != 1 || report.Failed != 1 {
				t.Errorf("got %s, %+v", got, report)
			}
		})
	}
}

// TestDamagedIndex: transcripts are read although the list of their keys is damaged.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	said := `{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hello."}}`
	report := NewReport(false)
	in := &Input{Files: []*File{
		memoryFile("sessions/s.jsonl", []byte(said)), {
			Name: "sessions/sessions.json", open: func() (io.ReadCloser, error) {
				plain, err := unpacked(bytes.NewReader(flipped(gzipped(t, `{"main":{"sessionId":"s"}}`), -6)))
				return io.NopCloser(plain), err
			},
		},
	}}
	if got := spooledText(t, in, report); strings.Count(got, "\n") != 1 || report.Failed != 1 {
		t.Errorf("got %s, %+v", got, report)
	}
}
