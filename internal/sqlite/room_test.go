package sqlite

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// TestNoRoom: the lock of a database does not fit on a full disk either.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	if !noRoom(fmt.Errorf("sign the lock: %w", &os.PathError{Op: "write", Path: "state.db.lock", Err: syscall.ENOSPC})) {
		t.Error("a full disk is not told")
	}
	if noRoom(os.ErrPermission) {
		t.Error("a missing permission is called a full disk")
	}
}
