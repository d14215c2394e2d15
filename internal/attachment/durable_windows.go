package attachment

import "os"

// durable waits until a file is on the disk. Windows flushes a file only for those who
// may write to it, and no directory: the journal of NTFS keeps the names.
func durable(root *os.Root, name string) error {
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
