package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Read reads a whole backup, and checks that it is complete and unchanged. put is given each
// file with its size, except the manifest; nil only checks. What put has stored counts only
// if Read returns no error.
func Read(in io.Reader, put func(name string, size int64, content io.Reader) error) (Manifest, error) {
	var found []File
	entries, known := tar.NewReader(in), make(map[string]bool)
	for {
		h, err := entries.Next()
		if err != nil {
			return Manifest{}, unreadable(err, len(found) > 0)
		}
		if err := checkEntry(h, known); err != nil {
			return Manifest{}, err
		}
		known[h.Name] = true
		if h.Name == manifestName {
			return readEnd(entries, h.Size, found)
		}
		f, err := readFile(entries, h, put)
		if err != nil {
			return Manifest{}, err
		}
		found = append(found, f)
	}
}

// unreadable says why the next file of a backup cannot be read.
func unreadable(err error, begun bool) error {
	switch {
	case !begun && (errors.Is(err, io.EOF) || errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return errNoBackup()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errDamaged("it is cut off")
	case errors.Is(err, tar.ErrHeader), errors.Is(err, tar.ErrFieldTooLong), errors.Is(err, tar.ErrInsecurePath):
		return errDamaged("the name of a file in it cannot be read")
	}
	return fmt.Errorf("read the backup: %w", err)
}

func errNoBackup() error {
	return fault.New(fault.Invalid, "not_a_backup", "This is no backup of hermes. One is made with: hermes backup FILE")
}

// checkEntry refuses what no backup holds.
func checkEntry(h *tar.Header, known map[string]bool) error {
	if len(known) == 0 && h.Name != databaseName {
		return errNoBackup()
	}
	if h.Typeflag != tar.TypeReg || h.Size < 0 {
		return errDamaged(fmt.Sprintf("%.100q in it is no file", h.Name))
	}
	if sparse(h) {
		return errDamaged(fmt.Sprintf("%.100q in it has holes", h.Name))
	}
	if known[h.Name] {
		return errDamaged(fmt.Sprintf("it holds %.100q twice", h.Name))
	}
	return checkName(h.Name)
}

// sparse reports whether a file has holes, which are read as zeros: a few bytes can claim to
// be a terabyte, and no backup has such files.
func sparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// readFile reads one file, and hashes it.
func readFile(in io.Reader, h *tar.Header, put func(string, int64, io.Reader) error) (File, error) {
	sum := sha256.New()
	content := io.TeeReader(in, sum)
	if put != nil {
		err := put(h.Name, h.Size, content)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return File{}, unreadable(err, true)
		}
		if err != nil {
			return File{}, err
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return File{}, unreadable(err, true)
	}
	return File{Name: h.Name, Size: h.Size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// readEnd reads the manifest and its hash, and compares it with the files that were found.
func readEnd(in *tar.Reader, size int64, found []File) (Manifest, error) {
	if size > maxManifest {
		return Manifest{}, errDamaged("its manifest is too large")
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return Manifest{}, unreadable(err, true)
	}
	if err := checkSum(in, text); err != nil {
		return Manifest{}, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return Manifest{}, err
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		return Manifest{}, errDamaged("something follows its manifest")
	}
	if len(m.Files) != len(found) {
		return Manifest{}, errDamaged(fmt.Sprintf("it holds %d files, and its manifest lists %d", len(found), len(m.Files)))
	}
	for i := range found {
		if m.Files[i] != found[i] {
			return Manifest{}, errDamaged(fmt.Sprintf("%.100q was changed after the backup was made", found[i].Name))
		}
	}
	return m, nil
}

// checkSum compares the manifest with the hash that follows it.
func checkSum(in *tar.Reader, manifest []byte) error {
	h, err := in.Next()
	if err != nil {
		return unreadable(err, true)
	}
	sum := sha256.Sum256(manifest)
	text, err := io.ReadAll(io.LimitReader(in, sha256.BlockSize+1))
	if err != nil {
		return unreadable(err, true)
	}
	if h.Name != sumName || string(text) != hex.EncodeToString(sum[:]) {
		return errDamaged("its manifest was changed after the backup was made")
	}
	return nil
}

// ReadManifest reads the manifest of a backup without checking the other files.
func ReadManifest(file string) (Manifest, error) {
	f, err := os.Open(file)
	if err != nil {
		return Manifest{}, fmt.Errorf("open the backup: %w", err)
	}
	defer func() { _ = f.Close() }()
	entries := tar.NewReader(f) // it seeks over what is not read
	for n := 0; ; n++ {
		h, err := entries.Next()
		if err != nil {
			return Manifest{}, unreadable(err, n > 0)
		}
		if n == 0 && h.Name != databaseName {
			return Manifest{}, errNoBackup()
		}
		if h.Name == manifestName && h.Size <= maxManifest {
			text, err := io.ReadAll(entries)
			if err != nil {
				return Manifest{}, unreadable(err, true)
			}
			return parseManifest(text)
		}
	}
}
