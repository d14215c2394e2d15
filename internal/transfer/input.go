package transfer

import (
	"archive/zip"
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
}

// Base is the last part of the file's name.
func (f *File) Base() string { return path.Base(f.Name) }

// Input is what a person wants to import: a file, an archive, a directory or a pipe.
type Input struct {
	Files []*File
	close func() error
}

// Close closes the input.
func (in *Input) Close() error {
	if in.close == nil {
		return nil
	}
	return in.close()
}

// Size is the size of all files.
func (in *Input) Size() (n int64) {
	for _, f := range in.Files {
		n += f.Size
	}
	return n
}

// OpenPipe makes an input of a stream, which can be read once.
func OpenPipe(r io.Reader) (*Input, error) {
	in := bufio.NewReaderSize(r, sampleSize)
	begin, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	if bytes.HasPrefix(begin, []byte("PK\x03\x04")) || bytes.HasPrefix(begin, []byte("SQLi")) {
		return nil, fault.New(fault.Invalid, "import_needs_file", "A zip archive or a database cannot be read from a pipe. Save it as a file, and name the file.")
	}
	plain, err := unpacked(in)
	if err != nil {
		return nil, err
	}
	again := bufio.NewReaderSize(plain, sampleSize)
	if mark, _ := again.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = again.Discard(3) // these bytes are buffered
	}
	open := func() (io.ReadCloser, error) { return &pipe{again}, nil }
	return &Input{Files: []*File{{Name: "standard input", open: open, Modified: time.Now().UTC()}}}, nil
}

// pipe is an input that is read once. Its beginning can be looked at first.
type pipe struct{ *bufio.Reader }

// Close implements io.Closer.
func (*pipe) Close() error { return nil }

// Open makes an input of a file or a directory.
func Open(name string) (*Input, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "file_not_found", "Cannot read "+name+". Is the name right?", err)
	}
	if info.IsDir() {
		return openDirectory(name)
	}
	in := &Input{}
	if err := in.add(name, filepath.Base(name), info); err != nil {
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
	return len(files) == 1 && strings.HasPrefix(string(begin(files[0], 16)), "SQLite format 3")
}

// openDirectory makes an input of all regular files below a directory. Links are not
// followed.
func openDirectory(name string) (*Input, error) {
	in := &Input{}
	err := filepath.WalkDir(name, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fault.Wrap(fault.Invalid, "import_unreadable", "Cannot read "+at+".", err)
		}
		if entry.IsDir() && entry.Name() == addedByMacOS {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return fault.Wrap(fault.Invalid, "import_unreadable", "Cannot read "+at+".", err)
		}
		label, err := filepath.Rel(name, at)
		if err != nil {
			return err
		}
		return in.add(at, filepath.ToSlash(label), info)
	})
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// add adds a file on disk, or the files of an archive.
func (in *Input) add(name, label string, info fs.FileInfo) error {
	if len(in.Files) >= maxFiles {
		return fault.New(fault.TooLarge, "import_too_large", fmt.Sprintf("The input has more than %d files.", maxFiles))
	}
	f := diskFile(name, label, info)
	if !bytes.Equal(begin(f, 4), []byte("PK\x03\x04")) {
		in.Files = append(in.Files, f)
		return nil
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return fault.Wrap(fault.Invalid, "import_unreadable", label+" is a damaged zip archive. Get the export again.", err)
	}
	before := in.close
	in.close = func() error {
		if before == nil {
			return archive.Close()
		}
		return errors.Join(before(), archive.Close())
	}
	return in.unzip(label, &archive.Reader)
}

func diskFile(name, label string, info fs.FileInfo) *File {
	return &File{Name: label, Size: info.Size(), Modified: info.ModTime().UTC(), open: func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, "import_unreadable", "Cannot read "+label+".", err)
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

// unzip adds the files of an archive. Directories and the files that macOS adds are passed
// over.
func (in *Input) unzip(archive string, z *zip.Reader) error {
	for _, e := range z.File {
		name := strings.ToValidUTF8(e.Name, "�")
		switch {
		case strings.HasSuffix(name, "/"), slices.Contains(strings.Split(name, "/"), addedByMacOS):
			continue
		case len(in.Files) >= maxFiles:
			return fault.New(fault.TooLarge, "import_too_large", fmt.Sprintf("The input has more than %d files.", maxFiles))
		}
		in.Files = append(in.Files, &File{
			Name: archive + ":" + name, Size: int64(min(e.UncompressedSize64, maxUnpacked)), Modified: e.Modified.UTC(),
			open: func() (io.ReadCloser, error) {
				r, err := e.Open()
				if err != nil {
					return nil, fault.Wrap(fault.Invalid, "import_unreadable", "Cannot read "+name+" of the archive.", err)
				}
				packed := int64(min(e.CompressedSize64, maxUnpacked))
				plain, err := unpacked(&bounded{r: r, packed: func() int64 { return packed }})
				if err != nil {
					return nil, errors.Join(err, r.Close())
				}
				return &closer{plain, r}, nil
			},
		})
	}
	return nil
}

// Open opens a file. Its compression, and a byte order mark, are removed.
func (f *File) Open() (io.ReadCloser, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	if p, ok := r.(*pipe); ok {
		return p, nil
	}
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3) // these bytes are buffered
	}
	return &closer{in, r}, nil
}

// begin are the first bytes of a file; fewer if it is shorter or cannot be read.
func begin(f *File, size int) []byte {
	r, err := f.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }()
	if p, ok := r.(*pipe); ok { // the bytes are read again
		got, _ := p.Peek(size)
		return got
	}
	got, _ := io.ReadAll(io.LimitReader(r, int64(size))) // what cannot be read is not looked at
	return got
}
