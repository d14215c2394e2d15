package sqlite

import "golang.org/x/sys/windows"

// spaceOf is the free space for this process on a directory's file system, and the size
// of the file system, in bytes. Quotas count.
func spaceOf(dir string) (free, total uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	return free, total, err == nil
}
