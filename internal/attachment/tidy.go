package attachment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Tidy erases the bytes of an owner that no row has any more. They are gone when it returns
// without an error.
func (f *Files) Tidy(ctx context.Context, o owner.Owner) error {
	f.tidying.Lock()
	defer f.tidying.Unlock()
	return failure(f.tidy(ctx, dirOf(o), &o))
}

// tidy is Tidy of a directory; o is nil if no owner of it has files.
func (f *Files) tidy(ctx context.Context, name string, o *owner.Owner) error {
	kept := make(map[string]bool)
	if o != nil {
		list, err := f.store.Files(ctx, *o)
		if err != nil {
			return err
		}
		for i := range list {
			kept[list[i].Hash.String()] = true
		}
	}
	return f.remove(name, func(name string) bool { return isHash(name) && !kept[name] })
}

// remove removes files of a directory.
func (f *Files) remove(name string, gone func(name string) bool) error {
	d, err := openDir(f.home, name)
	if isNone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.close()
	removed := false
	err = d.each(func(e fs.DirEntry) error {
		if !gone(e.Name()) {
			return nil
		}
		removed = true
		if err := d.Remove(e.Name()); err != nil {
			return fmt.Errorf("remove a file: %w", err)
		}
		return nil
	})
	if removed {
		err = errors.Join(err, d.sync())
	}
	return err
}

// Mend removes what an earlier process has left: files that it was writing, and bytes without
// a row. No file may be kept meanwhile.
func (f *Files) Mend(ctx context.Context) error {
	return failure(f.all(ctx, func(name string, o *owner.Owner) error {
		err := f.remove(name, func(name string) bool { return strings.HasPrefix(name, partPrefix) })
		if err != nil {
			return err
		}
		return f.tidy(ctx, name, o)
	}))
}

// unsaid is how long a file is kept whose message is not stored. A turn ends within hours.
const unsaid = 24 * time.Hour

// Sweep erases the files that were kept for longer than a time, and those that have no
// message.
func (f *Files) Sweep(ctx context.Context, keep time.Duration) error {
	now := f.now()
	if err := f.store.SweepFiles(ctx, now.Add(-keep), now.Add(-unsaid)); err != nil {
		return err
	}
	return failure(f.all(ctx, func(name string, o *owner.Owner) error { return f.tidy(ctx, name, o) }))
}

// all calls do for the directories of all owners. The owner is nil if none of the store's is
// the directory's.
func (f *Files) all(ctx context.Context, do func(name string, o *owner.Owner) error) error {
	f.tidying.Lock()
	defer f.tidying.Unlock()
	owners, err := f.store.FileOwners(ctx)
	if err != nil {
		return err
	}
	of := make(map[string]*owner.Owner)
	for i := range owners {
		of[dirOf(owners[i])] = &owners[i]
	}
	d, err := openDir(f.home, "")
	if isNone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.close()
	return d.each(func(e fs.DirEntry) error {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), ownerPrefix) {
			return nil
		}
		return do(e.Name(), of[e.Name()])
	})
}
