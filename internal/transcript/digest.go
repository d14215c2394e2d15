package transcript

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// digest is a hash of the names, sizes and times of all files of the mirror, and of no other
// files. size is how many bytes they have. The content is not read.
func (f *files) digest() (sum string, size int64, err error) {
	d := &digest{files: f}
	if err := d.add("."); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(d.sum[:16]), d.size, nil
}

// digest adds up the hashes of single files: directories list their files in any order.
type digest struct {
	files *files
	sum   [sha256.Size]byte
	size  int64
}

// add adds the files of a directory, and of those of owners in it.
func (d *digest) add(dir string) error {
	return d.files.each(dir, func(e fs.DirEntry) error {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if dir != "." || !strings.HasPrefix(e.Name(), ownerPrefix) {
				return nil
			}
			return d.add(name)
		}
		if e.Name() != indexName && !strings.HasSuffix(name, extension) {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", name, err)
		}
		line := fmt.Sprintf("%q %v %d %d", name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		one := sha256.Sum256([]byte(line))
		subtle.XORBytes(d.sum[:], d.sum[:], one[:])
		d.size += info.Size()
		return nil
	})
}
