package transfer

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hermes-memory/hermes/internal/fault"
)

// directory makes an input of the files below a directory.
type directory struct {
	*Input

	// root is the directory without links in its path.
	root string
}

// openDirectory makes an input of all regular files below a directory. The directory itself may be a
// link. A link within it is followed if it leads to a file within it. What cannot be read is told,
// and the rest is read.
func openDirectory(name string) (*Input, error) {
	root, err := filepath.EvalSymlinks(name)
	if err == nil {
		_, err = os.ReadDir(root)
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	d := &directory{&Input{}, root}
	if err := filepath.WalkDir(root, d.visit); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d.Input, nil
}

// visit adds an entry of the directory.
func (d *directory) visit(at string, entry fs.DirEntry, err error) error {
	label, relErr := filepath.Rel(d.root, at)
	if relErr != nil {
		return relErr
	}
	label = filepath.ToSlash(label)
	if err == nil && entry.IsDir() {
		if entry.Name() == addedByMacOS {
			return fs.SkipDir
		}
		return nil
	}
	if err != nil {
		d.lock(label, err)
		return nil
	}
	file, info, kind, err := d.followed(at, entry)
	switch {
	case err != nil:
		d.lock(label, err)
		return nil
	case kind != "":
		d.passed = append(d.passed, passed{label, kind})
		return nil
	}
	return d.add(diskFile(file, label, info), 0)
}

// lock adds what cannot be read, which is told when it is looked at.
func (d *directory) lock(label string, err error) {
	err = unreadable(label, err)
	d.Files = append(d.Files, &File{Name: label, open: func() (io.ReadCloser, error) { return nil, err }})
}

// followed is the file that an entry is, or that it leads to as a link; kind says what else it is.
func (d *directory) followed(at string, entry fs.DirEntry) (file string, info fs.FileInfo, kind string, err error) {
	if entry.Type()&fs.ModeSymlink == 0 {
		info, err = entry.Info()
		return at, info, unlessFile(info, "pipe, socket or device"), err
	}
	file, err = filepath.EvalSymlinks(at)
	if err != nil {
		return at, nil, "link that leads nowhere", nil //nolint:nilerr // the kind says it
	}
	within, err := filepath.Rel(d.root, file)
	if err != nil || !filepath.IsLocal(within) {
		return at, nil, "link that leads out of the directory", nil //nolint:nilerr // the kind says it
	}
	info, err = os.Stat(file)
	return file, info, unlessFile(info, "link to what is no file"), err
}

// unlessFile is a kind, or "" for a regular file and for one of which nothing is known.
func unlessFile(info fs.FileInfo, kind string) string {
	if info == nil || info.Mode().IsRegular() {
		return ""
	}
	return kind
}

// unreadable is the fault of a file or a directory that the system does not let us read.
func unreadable(name string, err error) error {
	return fault.Wrap(fault.Invalid, "import_unreadable",
		"Cannot read "+name+": "+reasonOf(err).Error()+". Make it readable for your user, and run the import again.", err)
}

// reasonOf is what the system says of a file, without the file's name.
func reasonOf(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
