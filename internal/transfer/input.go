package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// maxFiles bounds the files of an input.
const maxFiles = 1_000_000

// File is a file of an input. Its name is shown and compared; it is never opened by it
// outside of the input.
type File struct {
	Name     string
	Size     int64 // as far as it is known
	Modified time.Time
	open     func() (io.ReadCloser, error)
	// at opens the file to be read at any place, as it is packed; nil if it cannot be.
	at func() (readerAt, error)
}

// Base is the last part of the file's name.
func (f *File) Base() string { return path.Base(f.Name) }

// Input is what a person wants to import: a file, an archive, a directory or a pipe.
type Input struct {
	Files   []*File
	closers []io.Closer
	spooled int64 // bytes of temporary files
	// passed are what a directory has that is no file to read.
	passed []passed
}

// passed is something that is passed over, and what it is.
type passed struct{ name, kind string }

// Close closes the input.
func (in *Input) Close() (err error) {
	for _, c := range in.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Size is the size of all files.
func (in *Input) Size() (n int64) {
	for _, f := range in.Files {
		n += f.Size
	}
	return n
}

// OpenPipe makes an input of a stream, which can be read once. The input closes closers when it is closed.
func OpenPipe(r io.Reader, closers ...io.Closer) (*Input, error) {
	plain, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(plain, sampleSize)
	head, err := in.Peek(512)
	switch {
	case err == nil, errors.Is(err, io.EOF):
	case fault.KindOf(err) == fault.Invalid, fault.KindOf(err) == fault.TooLarge: // told where it is read again
	default:
		return nil, fmt.Errorf("read the input: %w", err)
	}
	if needsFile(head) {
		return nil, fault.New(fault.Invalid, "import_needs_file", "An archive or a database cannot be read from a pipe. Save it as a file, and name the file.")
	}
	again := decoded(in, sampleSize)
	open := func() (io.ReadCloser, error) { return &pipe{again}, nil }
	files := []*File{{Name: "standard input", open: open, Modified: time.Now().UTC()}}
	return &Input{Files: files, closers: closers}, nil
}

// needsFile reports whether a file that begins so is to be read at any place, and not from its beginning to its end.
func needsFile(head []byte) bool {
	return bytes.HasPrefix(head, []byte("SQLite format 3")) || slices.ContainsFunc(archives(), func(a archive) bool { return a.fits(head) })
}

// Text is a stream without its compression, in UTF-8.
func Text(r io.Reader) (*bufio.Reader, error) {
	plain, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	return decoded(plain, sampleSize), nil
}

// pipe is an input that is read once. Its beginning can be looked at first.
type pipe struct{ *bufio.Reader }

// Close implements io.Closer.
func (*pipe) Close() error { return nil }

// Open makes an input of a file or a directory.
func Open(name string) (*Input, error) {
	info, err := os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(name, err)
	}
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "file_not_found", "Cannot read "+name+". Is the name right?", err)
	}
	if info.IsDir() {
		return openDirectory(name)
	}
	in := &Input{}
	if err := in.add(diskFile(name, filepath.Base(name), info), 0); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if sqliteFile(in.Files) { // its log has the newest rows
		if log, err := os.Stat(name + "-wal"); err == nil {
			in.Files = append(in.Files, diskFile(name+"-wal", filepath.Base(name)+"-wal", log))
		}
	}
	return in, nil
}

func sqliteFile(files []*File) bool {
	if len(files) != 1 {
		return false
	}
	head, _ := begin(files[0], 16) // an error comes again when the file is read
	return strings.HasPrefix(string(head), "SQLite format 3")
}

func diskFile(name, label string, info fs.FileInfo) *File {
	open := func() (*os.File, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, unreadable(label, err)
		}
		return f, nil
	}
	at := func() (readerAt, error) { return open() }
	return &File{Name: label, Size: info.Size(), Modified: info.ModTime().UTC(), at: at, open: func() (io.ReadCloser, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		plain, err := unpacked(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return &closer{plain, f}, nil
	}}
}

// closer reads from one and closes another.
type closer struct {
	io.Reader
	io.Closer
}

// addedByMacOS is a directory that macOS adds to archives.
const addedByMacOS = "__MACOSX"

// Open opens a file without its compression, in UTF-8.
func (f *File) Open() (io.ReadCloser, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	if p, ok := r.(*pipe); ok {
		return p, nil
	}
	return &closer{decoded(r, 64<<10), r}, nil
}

// begin are the first bytes of a file; fewer if it is shorter, or a pipe that cannot be looked at that far.
func begin(f *File, size int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if p, ok := r.(*pipe); ok { // the bytes are read again
		got, err := p.Peek(min(size, p.Size()))
		return got, ended(err)
	}
	return io.ReadAll(io.LimitReader(r, int64(size)))
}
