//go:build !windows

package attachment

import "os"

// durable waits until a file or a directory is on the disk.
func durable(root *os.Root, name string) error {
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return in.Sync()
}
