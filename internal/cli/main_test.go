package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes room for the binary that the tests run, and clears it away. Where hangups are ignored, as under nohup,
// the programs that the tests start would ignore them, too; a signal that is caught is none of those.
func TestMain(m *testing.M) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	dir, err := os.MkdirTemp("", "hermes-cli-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = sync.OnceValues(func() (string, error) { return build(dir) })
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// binary builds the program once and returns its path.
var binary func() (string, error)

// build builds the program the way it is shipped: static, without cgo.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "hermes")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", path, "github.com/hermes-memory/hermes/cmd/hermes")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(err, fmt.Errorf("build hermes: %s", out))
	}
	return path, nil
}

// hermes is the path of the program.
func hermes(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
