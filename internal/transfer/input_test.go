package transfer

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/hermes-memory/hermes/internal/fault"
)

const tiny = `[{"uuid":"u1","name":"Tea","chat_messages":[{"uuid":"m1","sender":"human","text":"I like tea.","created_at":"2024-05-01T10:00:01Z"}]}]`

// zipped are files as a zip archive.
func zipped(t testing.TB, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err == nil {
			_, err = io.WriteString(w, f[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarred is a file as a tar archive.
func tarred(t testing.TB, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Name: "directory/", Typeflag: tar.TypeDir})
	if err == nil {
		err = w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600})
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// utf16 is a text as Windows saves it.
func utf16(text string, order unicode.Endianness, mark unicode.BOMPolicy) []byte {
	b, _ := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte(text)) // valid text: cannot fail
	return b
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fileOf writes a file to a directory of its own.
func fileOf(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPacked reads the same export in every packing.
func TestPacked(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (*Input, error){
		"file":      func() (*Input, error) { return Open(fileOf(t, "c.json", []byte(tiny))) },
		"mark":      func() (*Input, error) { return Open(fileOf(t, "c.json", []byte("\xef\xbb\xbf"+tiny))) },
		"gzip":      func() (*Input, error) { return Open(fileOf(t, "c.json.gz", gzipped(t, tiny))) },
		"zip":       func() (*Input, error) { return Open(fileOf(t, "c.zip", zipped(t, [2]string{"a/c.json", tiny}))) },
		"pipe":      func() (*Input, error) { return OpenPipe(strings.NewReader(tiny)) },
		"mark pipe": func() (*Input, error) { return OpenPipe(strings.NewReader("\xef\xbb\xbf" + tiny)) },
		"zstd":      func() (*Input, error) { return Open(fileOf(t, "c.json.zst", zstded(t, []byte(tiny)))) },
		"zstd pipe": func() (*Input, error) { return OpenPipe(bytes.NewReader(zstded(t, []byte(tiny)))) },
		"zstd in zip": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"c.json.zst", string(zstded(t, []byte(tiny)))})))
		},
		"gzip pipe": func() (*Input, error) { return OpenPipe(bytes.NewReader(gzipped(t, tiny))) },
		"gzip in gzip": func() (*Input, error) {
			return Open(fileOf(t, "c.gz", gzipped(t, string(gzipped(t, tiny)))))
		},
		"zip in zstd in gzip": func() (*Input, error) {
			return Open(fileOf(t, "c.gz", gzipped(t, string(zstded(t, zipped(t, [2]string{"c.json", tiny}))))))
		},
		"zip in zip": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"parts/c.zip", string(zipped(t, [2]string{"c.json", tiny}))})))
		},
		"zip in gzip": func() (*Input, error) {
			return Open(fileOf(t, "c.zip.gz", gzipped(t, string(zipped(t, [2]string{"c.json", tiny})))))
		},
		"tar": func() (*Input, error) { return Open(fileOf(t, "c.tar", tarred(t, "a/c.json", tiny))) },
		"tar in gzip": func() (*Input, error) {
			return Open(fileOf(t, "c.tgz", gzipped(t, string(tarred(t, "./c.json", tiny)))))
		},
		"zip in tar": func() (*Input, error) {
			return Open(fileOf(t, "c.tar", tarred(t, "c.zip", string(zipped(t, [2]string{"c.json", tiny})))))
		},
		"UTF-16": func() (*Input, error) {
			return Open(fileOf(t, "c.json", utf16(tiny, unicode.LittleEndian, unicode.UseBOM)))
		},
		"UTF-16, big": func() (*Input, error) {
			return Open(fileOf(t, "c.json", utf16(tiny, unicode.BigEndian, unicode.UseBOM)))
		},
		"UTF-16, bare, behind a line end": func() (*Input, error) {
			return Open(fileOf(t, "c.json", utf16("\r\n"+tiny, unicode.BigEndian, unicode.IgnoreBOM)))
		},
		"UTF-16, bare": func() (*Input, error) {
			return Open(fileOf(t, "c.json", utf16(tiny, unicode.LittleEndian, unicode.IgnoreBOM)))
		},
		"UTF-16 pipe": func() (*Input, error) {
			return OpenPipe(bytes.NewReader(utf16(tiny, unicode.BigEndian, unicode.IgnoreBOM)))
		},
		"UTF-16 in gzip": func() (*Input, error) {
			return Open(fileOf(t, "c.gz", gzipped(t, string(utf16(tiny, unicode.LittleEndian, unicode.UseBOM)))))
		},
		"backslashes": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{`__MACOSX\._c.json`, "x"}, [2]string{`a\c.json`, tiny})))
		},
		"litter": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"a/.DS_Store", "x"}, [2]string{"Thumbs.db", "x"}, [2]string{"a/c.json", tiny})))
		},
		"macOS": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"__MACOSX/._c.json", "x"}, [2]string{"c.json", tiny})))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(t, in, Options{From: "auto"})
			if err != nil || !strings.Contains(got, "I like tea.") || strings.Contains(got, "not understood") {
				t.Errorf("got %s, %v", got, err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBombs: what unpacks to more than any export does is refused, and soon.
func TestBombs(t *testing.T) {
	t.Parallel()
	zeros := "[" + strings.Repeat(" ", 40<<20) + "]"
	for name, open := range map[string]func() (*Input, error){
		"zip": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"conversations.json", zeros})))
		},
		"gzip":         func() (*Input, error) { return Open(fileOf(t, "c.gz", gzipped(t, zeros))) },
		"pipe":         func() (*Input, error) { return OpenPipe(bytes.NewReader(gzipped(t, zeros))) },
		"zstd":         func() (*Input, error) { return Open(fileOf(t, "c.zst", zstded(t, []byte(zeros)))) },
		"gzip in gzip": func() (*Input, error) { return Open(fileOf(t, "c.gz", gzipped(t, string(gzipped(t, zeros))))) },
		"zstd in zip": func() (*Input, error) {
			return Open(fileOf(t, "c.zip", zipped(t, [2]string{"c.zst", string(zstded(t, []byte(zeros)))})))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			r, err := in.Files[0].Open()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			n, err := io.Copy(io.Discard, r)
			if fault.CodeOf(err) != "import_bomb" || n > 39<<20 {
				t.Errorf("got %d bytes and %v", n, err)
			}
		})
	}
}

// TestNamesAreNoPaths: names that lead out of an archive lead nowhere.
func TestNamesAreNoPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "c.zip")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := zipped(t, [2]string{"../../out.json", tiny}, [2]string{"/tmp/out.db", "SQLite format 3\x00"}, [2]string{"..\\x.json", "{}"})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	in, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	got, err := readAll(t, in, Options{From: "auto"})
	if err != nil || !strings.Contains(got, "I like tea.") {
		t.Errorf("got %s, %v", got, err)
	}
	if after := snapshot(t, dir); len(after) != len(before) {
		t.Errorf("got %d files, want %d", len(after), len(before))
	}
}

// TestLargeConversation: a conversation that is too large ends its file, and is told.
func TestLargeConversation(t *testing.T) {
	t.Parallel()
	text := `[` + tiny[1:len(tiny)-1] + `,{"uuid":"u2","chat_messages":[{"uuid":"m","sender":"human","text":"` + strings.Repeat("a b ", maxConversation/4) + `"}]}]`
	in, err := OpenPipe(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	report := NewReport(false)
	err = Read(context.Background(), in, Options{From: "auto"}, report, func(Line) error { return nil })
	if err != nil || report.Conversations != 1 || report.Failed != 1 || !strings.Contains(report.Problems[0].Message, "64 MiB") {
		t.Errorf("got %+v, %v", report, err)
	}
}

// TestSpoolOrder: lines come out oldest first, and those of one time in their order.
func TestSpoolOrder(t *testing.T) {
	t.Parallel()
	s, err := NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for i, line := range []string{"c\n", "a\n", "b\n", "d\n"} {
		if err := s.Keep(Line{Text: []byte(line), Started: time.Unix([]int64{3, 1, 1, 9}[i], 0), Replaces: -1}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Reader()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "a\nb\nc\nd\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestArchiveInAPipe: what has to be read at any place is refused in a pipe, whatever it is packed with.
func TestArchiveInAPipe(t *testing.T) {
	t.Parallel()
	archive, zip := tarred(t, "c.json", tiny), zipped(t, [2]string{"c.json", tiny})
	for name, text := range map[string][]byte{
		"zip": zip, "zip in zstd": zstded(t, zip), "tar": archive, "tar in gzip": gzipped(t, string(archive)),
		"database": []byte("SQLite format 3\x00"), "database in gzip": gzipped(t, "SQLite format 3\x00"),
	} {
		_, err := OpenPipe(bytes.NewReader(text))
		if want := "An archive or a database cannot be read from a pipe. Save it as a file, and name the file."; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// TestCutTar: of a tar archive within a packing that was cut off, what stands before the cut is taken, and the
// cut is told.
func TestCutTar(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // text that does not get much smaller
	for i := range 2000 {
		fmt.Fprintf(&text, `{"id":"c%d","messages":[{"role":"user","content":"%x%x","timestamp":1700000000}]}`+"\n", i, random.Uint64(), random.Uint64())
	}
	archive := tarred(t, "c.jsonl", text.String())
	for name, packed := range map[string][]byte{"gzip": gzipped(t, string(archive)), "zstd": zstded(t, archive)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := Open(fileOf(t, "c.tar.packed", packed[:len(packed)*3/4]))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			got, err := readAll(t, in, Options{From: "auto"})
			if err != nil || !strings.Contains(got, "jsonl:c500 ") || strings.Contains(got, "jsonl:c1999 ") {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
			if want := "failed: c.tar.packed: The file is packed with " + name + ", and ends before it can be unpacked whole: it was cut off. Get the export again."; !strings.Contains(got, want) {
				t.Errorf("the cut is not told: %s", got[max(0, len(got)-1000):])
			}
		})
	}
}

// TestPackedTooOften: a file that is packed too many times over is said to be.
func TestPackedTooOften(t *testing.T) {
	t.Parallel()
	text := tiny
	for range maxNested + 1 {
		text = string(gzipped(t, text))
	}
	in, err := Open(fileOf(t, "c.gz", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if _, err := readAll(t, in, Options{From: "auto"}); err == nil || !strings.Contains(err.Error(), "packed more than 4 times over") {
		t.Errorf("got %v", err)
	}
}

// TestLongBeginningOfPipe: a pipe cannot be looked at that far, and the error says what to do.
func TestLongBeginningOfPipe(t *testing.T) {
	t.Parallel()
	in, err := OpenPipe(strings.NewReader(`[{"title":"` + strings.Repeat("x", 400_000) + `","mapping":{}}]`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = readAll(t, in, Options{From: "auto"})
	if got := fault.MessageOf(err); !strings.Contains(got, "standard input is a pipe with JSON of which the first 256 KiB do not tell the program. Save it as a file, and name the file.") {
		t.Errorf("got %q", got)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// TestLongBeginning: the format is told where a long title stands before the messages, and where it stands in the first
// of several conversations.
func TestLongBeginning(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("😀", 100_000)
	message := `{"m":{"message":{"id":"m","author":{"role":"user"},"create_time":1717200000,"content":{"content_type":"text","parts":["I row."]}}}}`
	for name, text := range map[string]string{
		"chatgpt":    `[{"id":"a","title":"` + long + `","mapping":` + message + `},{"id":"b","title":"b","mapping":` + message + `}]`,
		"claude":     `[{"uuid":"a","name":"` + long + `","chat_messages":[{"uuid":"m","sender":"human","text":"I row.","created_at":"2024-06-01T00:00:00Z"}]}]`,
		"mem0":       `{"note":"` + long + `","results":[{"id":"1","memory":"Rows.","created_at":"2024-06-01T00:00:00Z"}]}`,
		"letta":      `{"name":"` + long + `","agents":[{"id":"agent-a","messages":[{"id":"m","role":"user","content":"I row."}]}],"blocks":[]}`,
		"jsonl":      `{"title":"` + long + `","messages":[{"role":"user","content":"I row."}]}`,
		"librechat":  `{"conversationId":"c","title":"` + long + `","messages":[{"messageId":"1","isCreatedByUser":true,"text":"I row.","createdAt":"2024-06-01T00:00:00Z"}]}`,
		"openwebui":  `[{"id":"a","title":"` + long + `","chat":{"history":{"currentId":"m","messages":{"m":{"id":"m","role":"user","content":"I row."}}}}}]`,
		"no program": `[{"title":"` + long + `","text":"I row."}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "export.json")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := Open(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(t, in, Options{From: "auto"})
			if known := strings.Contains(got, "From "+name+":"); known == (name == "no program") || known != (err == nil) {
				t.Errorf("got %.200q, %v", got, err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
