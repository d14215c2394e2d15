//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// checksModes says that the modes of files mean something.
const checksModes = true

// isOurs reports whether a file belongs to this account or to root. Root itself works
// with homes of others, in containers for example.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	me := os.Geteuid()
	return !ok || me == 0 || stat.Uid == 0 || int(stat.Uid) == me
}

// writable reports whether another account can write a file. A group that has the
// number of its owner is, by custom, the owner's alone.
func writable(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Gid == stat.Uid {
		mode &^= 0o020
	}
	return mode&0o022 != 0
}
