//go:build !windows

// Package durable waits until files and the names in directories are on the disk. It also paces the
// writing of large files.
package durable

import "os"

// Sync waits until a file or a directory below root is on the disk. It fails with
// fs.ErrNotExist if there is none.
func Sync(root *os.Root, name string) error {
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return in.Sync()
}
