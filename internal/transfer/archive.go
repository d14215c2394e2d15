package transfer

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	// maxNested bounds how many archives stand within one another.
	maxNested = 4
	// maxSpooled bounds what archives within archives take in temporary files, in bytes.
	maxSpooled = 8 << 30
)

// archive is a kind of files that hold other files.
type archive struct {
	name string
	fits func(head []byte) bool
	// list adds the files of an archive. Their names begin with that of the archive.
	list func(in *Input, f *File, r io.ReaderAt, size int64, depth int) error
}

// archives are the kinds of archives that are read.
func archives() []archive {
	return []archive{
		{"zip", func(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }, (*Input).unzip},
		{"tar", func(head []byte) bool { return len(head) > 262 && string(head[257:262]) == "ustar" }, (*Input).untar},
	}
}

// add adds a file, or the files of an archive. An archive that cannot be read is a file that
// cannot: the others of a directory are read.
func (in *Input) add(f *File, depth int) error {
	if litter(f.Name) {
		return nil
	}
	if len(in.Files) >= maxFiles {
		return fault.New(fault.TooLarge, tooMany, fmt.Sprintf("The input has more than %d files.", maxFiles))
	}
	head, _ := begin(f, 512) // an error comes again when the file is read
	i := slices.IndexFunc(archives(), func(a archive) bool { return a.fits(head) })
	if i < 0 || depth == maxNested {
		in.Files = append(in.Files, f)
		return nil
	}
	err := in.expand(f, archives()[i], depth)
	if err == nil || fault.CodeOf(err) == tooMany || fault.KindOf(err) == fault.Unavailable {
		return err
	}
	in.Files = append(in.Files, &File{Name: f.Name, Modified: f.Modified, open: func() (io.ReadCloser, error) { return nil, err }})
	return nil
}

// tooMany is the code of the fault of an input with too many files.
const tooMany = "import_too_many"

// expand adds the files of an archive. If its packing was cut off, a tar archive has the files before the cut;
// a zip archive has none, because its list stands at the end.
func (in *Input) expand(f *File, a archive, depth int) error {
	r, size, err := in.whole(f, a)
	cut := err
	if r != nil && (err == nil || a.name == "tar") {
		err = a.list(in, f, r, size, depth)
	}
	if cut != nil && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		err = cut // says more than that the archive has no end
	}
	if _, known := errors.AsType[*fault.Error](err); known || err == nil {
		return err
	}
	return fault.Wrap(fault.Invalid, "import_unreadable", "It is a damaged "+a.name+" archive. Get the export again.", err)
}

// whole makes an archive readable at any place: as it is, or as a copy without its packing. With an error, the
// copy is what stands before the place where its packing was cut off, or nil.
func (in *Input) whole(f *File, a archive) (io.ReaderAt, int64, error) {
	if f.at != nil {
		r, err := f.at()
		if err != nil {
			return nil, 0, err
		}
		in.closers = append(in.closers, r)
		head := make([]byte, 512)
		n, _ := r.ReadAt(head, 0) // what is missing does not fit
		if a.fits(head[:n]) {
			return r, f.Size, nil
		}
	}
	packed, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = packed.Close() }()
	temp, err := newTemporary()
	if err != nil {
		return nil, 0, err
	}
	in.closers = append(in.closers, temp)
	size, err := io.Copy(intoTemporary{temp}, io.LimitReader(packed, maxSpooled-in.spooled+1))
	in.spooled += size
	if in.spooled > maxSpooled {
		return nil, 0, fault.New(fault.TooLarge, "import_too_large",
			"The archives within the input have more than 8 GiB with this one. Unpack it, and name its directory.")
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, 0, err
	}
	return temp, size, err
}

// litter reports whether a file is one that systems leave in directories and archives.
func litter(name string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '/' || r == '\\' || r == ':' })
	base := parts[max(0, len(parts)-1):]
	return slices.Contains(parts, strings.ToLower(addedByMacOS)) || len(base) == 0 || strings.HasPrefix(base[0], "._") ||
		slices.Contains([]string{".ds_store", "thumbs.db", "desktop.ini"}, base[0])
}

// unzip adds the files of a zip archive.
func (in *Input) unzip(f *File, r io.ReaderAt, size int64, depth int) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return err
	}
	for _, e := range z.File {
		name := strings.ReplaceAll(strings.ToValidUTF8(e.Name, "�"), `\`, "/") // some programs of Windows write these
		if strings.HasSuffix(name, "/") {
			continue
		}
		err := in.add(&File{
			Name: f.Name + ":" + name, Size: int64(min(e.UncompressedSize64, maxUnpacked)), Modified: e.Modified.UTC(),
			open: func() (io.ReadCloser, error) { return openZipped(e) },
		}, depth+1)
		if err != nil {
			return err
		}
	}
	return nil
}

// encrypted is the flag of a file that has a password.
const encrypted = 1

// openZipped opens a file of a zip archive.
func openZipped(e *zip.File) (io.ReadCloser, error) {
	if e.Flags&encrypted != 0 {
		return nil, fault.New(fault.Invalid, "import_encrypted", "It is encrypted. Unpack the archive with its password, and name the directory.")
	}
	r, err := e.Open()
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "import_unreadable",
			fmt.Sprintf("It cannot be unpacked (method %d: %s). Unpack the archive with another program, and name the directory.", e.Method, reason(err)), err)
	}
	packed := func() int64 { return int64(min(e.CompressedSize64, maxUnpacked)) }
	plain, err := unpacked(&bounded{r: &sound{r, packing{name: "zip"}}, packed: packed})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &closer{&bounded{r: plain, packed: packed}, r}, nil // the bound counts for what is packed within, too
}

// untar adds the files of a tar archive.
func (in *Input) untar(f *File, r io.ReaderAt, size int64, depth int) error {
	all := io.NewSectionReader(r, 0, size)
	t := tar.NewReader(all)
	for {
		h, err := t.Next()
		if err != nil {
			return ended(err)
		}
		at, err := all.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content := io.NewSectionReader(r, at, h.Size)
		err = in.add(&File{
			Name: f.Name + ":" + path.Clean(strings.ToValidUTF8(h.Name, "�")), Size: h.Size, Modified: h.ModTime.UTC(),
			at: func() (readerAt, error) { return nopCloserAt{content}, nil },
			open: func() (io.ReadCloser, error) {
				plain, err := unpacked(io.NewSectionReader(content, 0, content.Size()))
				return &closer{plain, io.NopCloser(nil)}, err
			},
		}, depth+1)
		if err != nil {
			return err
		}
	}
}

// readerAt is a file that can be read at any place.
type readerAt interface {
	io.ReaderAt
	io.Closer
}

// nopCloserAt is a part of a file that another one closes.
type nopCloserAt struct{ io.ReaderAt }

// Close implements io.Closer.
func (nopCloserAt) Close() error { return nil }
