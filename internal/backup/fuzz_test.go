package backup_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/fault"
)

// block is the unit of a tar, in bytes.
const block = 512

// entry is an entry of a tar as nobody's program writes it: with a right sum, and any kind,
// name and size.
func entry(kind byte, name, size string, content []byte) []byte {
	h := make([]byte, block)
	copy(h[:100], name)
	copy(h[100:], "0000600\x000000000\x000000000\x00")
	copy(h[124:136], size)
	copy(h[136:], "00000000000\x00        ")
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(append(h, content...), make([]byte, (block-len(content)%block)%block)...)
}

// file is an entry of a file.
func file(name string, content []byte) []byte { return entry('0', name, octal(content), content) }

func octal(content []byte) string { return fmt.Sprintf("%011o", len(content)) }

// archive is a backup with an entry between its database and its manifest. The sum of the
// manifest is right.
func archive(between, manifest []byte) []byte {
	sum := sha256.Sum256(manifest)
	return bytes.Join([][]byte{
		file("state.db", []byte("x")), between, file("manifest.json", manifest),
		file("manifest.sha256", []byte(hex.EncodeToString(sum[:]))), make([]byte, 2*block),
	}, nil)
}

// manifestOf is the manifest of a backup with a file next to the database.
func manifestOf(name string, content []byte) []byte {
	db, sum := sha256.Sum256([]byte("x")), sha256.Sum256(content)
	return fmt.Appendf(nil, `{"format":1,"files":[{"name":"state.db","size":1,"sha256":"%x"},{"name":%q,"size":%d,"sha256":"%x"}]}`,
		db, name, len(content), sum)
}

// sparse are the records of a file that claims to be large and holds nothing.
func sparse(name string) []byte {
	var out strings.Builder
	for _, pair := range [][2]string{
		{"GNU.sparse.major", "1"}, {"GNU.sparse.minor", "0"}, {"GNU.sparse.name", name}, {"GNU.sparse.realsize", "1000000000"},
	} {
		text := " " + pair[0] + "=" + pair[1] + "\n"
		n := len(text) + 2
		fmt.Fprintf(&out, "%d%s", n, text)
	}
	return []byte(out.String())
}

// TestSparse: a file that claims to be large and holds nothing is refused before it is read.
func TestSparse(t *testing.T) {
	t.Parallel()
	records := sparse("skills/a/SKILL.md")
	hole := append([]byte("0\n"), make([]byte, block-2)...)
	text := archive(append(entry('x', "p", octal(records), records), file("skills/a/SKILL.md", hole)...), []byte("{}"))
	if _, err := backup.Read(bytes.NewReader(text), nil); fault.CodeOf(err) != "damaged_backup" || !strings.Contains(err.Error(), "holes") {
		t.Errorf("got %v", err)
	}
}

// FuzzRead: whatever is read as a backup, only names of a backup's files come out. The input
// is what differs between archives, and not a whole one: go test would spend its time on
// making archives of 10 KB smaller.
func FuzzRead(f *testing.F) {
	skill := []byte("How to make tea")
	good := manifestOf("skills/a/SKILL.md", skill)
	f.Add(byte('0'), "skills/a/SKILL.md", octal(skill), skill, good)
	f.Add(byte('0'), "skills/../../x", octal(skill), skill, good)
	f.Add(byte('0'), "skills/a", "77777777777", skill, []byte("null"))
	f.Add(byte('0'), "skills/a", "\x80\xff\xff\xff\xff\xff\xff\xff", skill, []byte(`{"files":[{}]}`))
	for _, kind := range []byte("12567SLKgx") {
		f.Add(kind, "files/a", octal(skill), skill, []byte("{}"))
	}
	f.Add(byte('x'), "p", octal(sparse("files/a")), sparse("files/a"), good)
	if _, err := backup.Read(bytes.NewReader(archive(file("skills/a/SKILL.md", skill), good)), nil); err != nil {
		f.Fatalf("a good archive: %v", err)
	}
	f.Fuzz(func(t *testing.T, kind byte, name, size string, content, manifest []byte) {
		first := true
		_, err := backup.Read(bytes.NewReader(archive(entry(kind, name, size, content), manifest)), func(name string, size int64, in io.Reader) error {
			if first && name != "state.db" || !filepath.IsLocal(name) || size < 0 {
				t.Errorf("got the name %q with %d bytes", name, size)
			}
			first = false
			_, err := io.Copy(io.Discard, io.LimitReader(in, 10))
			return err
		})
		if err != nil && fault.KindOf(err) != fault.Invalid && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", err)
		}
	})
}
