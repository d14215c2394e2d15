package sqlite

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/transcript"
)

// replacedForm is the form of the names that a restoring gives to what it replaces.
var replacedForm = regexp.MustCompile(`^[^.].*\.before-\d{8}T\d{6}Z`)

// IsCopy reports whether a name in the home is that of an earlier state of the data: a copy
// from before a migration, what a restored backup has replaced, or a copy that is being made.
// They are backups, so that no erasure changes them. What an interrupted restoring has left is none:
// nothing tells of it.
func IsCopy(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return strings.HasPrefix(first, "state.db.v") || strings.HasPrefix(first, ".backup-") || replacedForm.MatchString(first)
}

// IsBackup reports whether a file in a home is a backup, whatever its name is: a person wrote it there. The database's own
// files are not opened, because closing them would drop SQLite's locks.
func IsBackup(home, file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if own, err := os.Stat(filepath.Join(home, "state.db"+end)); err == nil && os.SameFile(own, info) {
			return false
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return isBackup(f)
}

// isBackup reports whether a file begins as a backup does: with the database, in a tar archive.
func isBackup(f io.ReaderAt) bool {
	const magicAt, magic = 257, "ustar"
	head := make([]byte, magicAt+len(magic))
	_, err := f.ReadAt(head, 0)
	return err == nil && bytes.HasPrefix(head, []byte("state.db\x00")) && bytes.HasSuffix(head, []byte(magic))
}

// wrote reports whether this program writes a file of the home, so that an erasure erases in it. Other files are a
// person's, and stay as they are.
func (db *DB) wrote(name string) bool {
	if strings.HasPrefix(name, filepath.Base(db.opt.Path)) || transcript.Has(name) {
		return true
	}
	first, _, inside := strings.Cut(filepath.ToSlash(name), "/")
	if inside {
		return first == "files" || strings.HasPrefix(first, ".")
	}
	return first == "chat_history" || db.keepsNoWords(name)
}

// keepsNoWords reports whether a file of the home has only what this program writes for itself: hashes, times, counts,
// page numbers and addresses. No user said any of it, and an erasure leaves it as it is. A mention in such a file is a part of
// its format, as "Ash" in "hash" is.
func (db *DB) keepsNoWords(name string) bool {
	database := filepath.Base(db.opt.Path)
	return slices.Contains([]string{
		database + "-shm", database + ".lock", "erasures.jsonl", "node.id", "server.json", "backup.json", "restore.json",
	}, name)
}
