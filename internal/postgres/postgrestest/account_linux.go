package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account returns what makes a command run under the right account. PostgreSQL refuses to
// run as root, so root runs it as the user of the distribution's package, who gets the
// directory.
func account(dir string) (func(*exec.Cmd), error) {
	attributes := syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, fmt.Errorf("find the user postgres: %w", errNotInstalled)
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			return nil, err
		}
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return func(cmd *exec.Cmd) { cmd.SysProcAttr = &attributes }, nil
}
