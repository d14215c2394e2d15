package attachment

import (
	"context"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// IsText reports whether bytes are a text that can be read as it is.
func IsText(data []byte) bool {
	if !utf8.Valid(data) {
		return false
	}
	for _, c := range data {
		if c < ' ' && !isSpace(c) || c == 0x7f {
			return false
		}
	}
	return true
}

// isSpace reports whether a control character is one of texts.
func isSpace(c byte) bool { return '\t' <= c && c <= '\r' }

// Forget erases the files of an owner whose text names a thing, and all bytes without a row.
// It returns how many files it erased. With dryRun it only counts.
func (f *Files) Forget(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (int, error) {
	list, err := f.store.Files(ctx, o)
	if err != nil {
		return 0, err
	}
	var named []session.FileID
	for i := range list {
		data, err := f.Read(ctx, o, &list[i])
		switch {
		case fault.KindOf(err) == fault.NotFound: // the bytes are gone already
		case err != nil:
			return 0, err
		case names(about, data):
			named = append(named, list[i].ID)
		}
	}
	if dryRun {
		return len(named), nil
	}
	if len(named) > 0 {
		if err := f.store.DropFiles(ctx, o, named); err != nil {
			return 0, fmt.Errorf("erase files: %w", err)
		}
	}
	return len(named), f.Tidy(ctx, o)
}

// names reports whether bytes are a text that names a thing.
func names(about *mention.Thing, data []byte) bool { return IsText(data) && about.In(string(data)) }

// Left searches the directory of an owner. hits counts the files that should not be there:
// those without a row, and texts that name the thing. bytes is the size of all files.
func (f *Files) Left(ctx context.Context, o owner.Owner, about *mention.Thing) (bytes int64, hits int, err error) {
	f.tidying.Lock()
	defer f.tidying.Unlock()
	list, err := f.store.Files(ctx, o)
	if err != nil {
		return 0, 0, err
	}
	kept := make(map[string]bool)
	for i := range list {
		kept[list[i].Hash.String()] = true
	}
	d, err := openDir(f.home, dirOf(o))
	if isNone(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, failure(err)
	}
	defer d.close()
	err = d.each(func(e fs.DirEntry) error {
		data, err := d.ReadFile(e.Name())
		if isNone(err) { // a file that is being written got its name
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a file: %w", err)
		}
		bytes += int64(len(data))
		if isHash(e.Name()) && !kept[e.Name()] || names(about, data) {
			hits++
		}
		return nil
	})
	return bytes, hits, failure(err)
}
