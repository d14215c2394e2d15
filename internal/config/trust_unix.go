//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// checksModes says that file modes are meaningful.
const checksModes = true

// isOurs reports whether a file belongs to this account or to root. Root may use homes
// of other accounts, for example in containers.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	me := os.Geteuid()
	return !ok || me == 0 || stat.Uid == 0 || int(stat.Uid) == me
}

// writable reports whether another account can write a file. By convention, a group
// with the same number as the owner has only the owner as a member.
func writable(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Gid == stat.Uid {
		mode &^= 0o020
	}
	return mode&0o022 != 0
}
