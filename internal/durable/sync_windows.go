// Package durable waits until files and the names in directories are on the disk. It also paces the
// writing of large files.
package durable

import "os"

// Sync waits until a file below root is on the disk. It fails with fs.ErrNotExist if there is
// none. Windows flushes a file only for those who may write to it, and no directory: the journal
// of NTFS keeps the names.
func Sync(root *os.Root, name string) error {
	info, err := root.Stat(name)
	if err != nil || info.IsDir() {
		return err
	}
	out, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	return out.Sync()
}
