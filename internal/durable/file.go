package durable

import (
	"errors"
	"os"
)

// SyncDir waits until the names in a directory are on the disk, where a system can do that.
func SyncDir(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(Sync(root, "."), root.Close())
}

// Write writes a file that was just opened, waits until it is on the disk, and closes it.
func Write(f *os.File, text []byte) error {
	_, err := f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
