package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// process is a program that runs until it is stopped.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the program has ended
}

// begin starts a program. It ends with this process, too: the signal for that belongs to the
// thread that starts the program.
func begin(cmd *exec.Cmd) (*process, error) {
	began, p := make(chan error, 1), &process{cmd, make(chan struct{})}
	go recovery.Func(func() {
		defer close(p.ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		began <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}, func(error) {})()
	return p, <-began
}

// stopPatience is how long a program may take to stop.
const stopPatience = 10 * time.Second

// stop stops the program, and kills it if that takes too long.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt) // PostgreSQL: a fast shutdown
	select {
	case <-p.ended:
	case <-time.After(stopPatience):
		p.end(os.Kill)
	}
}

// end sends the program a signal that ends it, and waits for the end.
func (p *process) end(by os.Signal) {
	_ = p.cmd.Process.Signal(by)
	<-p.ended
}

// startPatience is how long a program may take to start.
const startPatience = 30 * time.Second

// await returns once the program takes connections at an address.
func (p *process) await(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	name := filepath.Base(p.cmd.Path)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-p.ended:
			return errors.New(name + " ended while it started")
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", name, err)
		}
	}
}
