//go:build unix

package cli

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// otherAccount is the account that a file belongs to; "" if it is this one, or not known.
func otherAccount(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return accountOf(int(stat.Uid), os.Geteuid())
}

// accountOf is the name of the account with a number, or its number; "" for that of this process.
func accountOf(uid, me int) string {
	if uid == me {
		return ""
	}
	number := strconv.Itoa(uid)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return number
}
