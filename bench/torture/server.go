package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// subject is the server that is tortured.
type subject struct {
	hermes, home, upstream string
	env, args              []string
	under                  []string // a command that runs it, such as strace

	addr, admin string
	cmd         *exec.Cmd
	log         *record
	earlier     []*record     // the logs of its earlier lives
	died        chan struct{} // closed when the process is gone
	took        time.Duration // from exec until it was ready
}

// serve starts the program on a new home, in front of an upstream, with further
// variables of its environment.
func (b *bench) serve(ctx context.Context, upstream string, env ...string) (*subject, error) {
	s, err := b.subject(upstream, env...)
	if err != nil {
		return nil, err
	}
	return s, s.start(ctx)
}

// subject is what serve starts, not started yet.
func (b *bench) subject(upstream string, env ...string) (*subject, error) {
	home, err := b.home()
	if err != nil {
		return nil, err
	}
	return &subject{hermes: b.hermes, home: home, upstream: upstream, env: env}, nil
}

// record keeps what a server says.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// errNotReady says that a server did not come up.
var errNotReady = errors.New("the server did not become ready")

// start starts the server and waits until it is ready.
func (s *subject) start(ctx context.Context) error {
	if err := s.launch(ctx); err != nil {
		return err
	}
	began := time.Now()
	for time.Since(began) < 20*time.Second {
		if status, _, err := call(ctx, s.addr, "GET", "/readyz", "", nil); err == nil && status == 200 {
			s.took = time.Since(began)
			return nil
		}
		select {
		case <-s.died:
			return fmt.Errorf("%w: %s", errNotReady, s.log.String())
		default:
			pause(ctx, 3*time.Millisecond)
		}
	}
	s.kill()
	return fmt.Errorf("%w in 20 s: %s", errNotReady, s.log.String())
}

// launch starts the process.
func (s *subject) launch(ctx context.Context) error {
	var err error
	if s.addr, err = served.FreeAddr(ctx); err != nil {
		return err
	}
	if s.admin, err = served.FreeAddr(ctx); err != nil {
		return err
	}
	line := append(append(append([]string{}, s.under...), s.hermes, "serve", "--addr", s.addr), s.args...)
	s.cmd = exec.CommandContext(ctx, line[0], line[1:]...)
	s.cmd.Env = append([]string{
		"HERMES_HOME=" + s.home, "HOME=" + s.home, "HERMES_PROBE=false", "HERMES_UPSTREAM_URL=" + s.upstream,
		"HERMES_MODEL=m", "TZ=UTC", "HERMES_ADMIN_ADDR=" + s.admin, "HERMES_LOG_LEVEL=warn",
	}, s.env...)
	if s.log != nil {
		s.earlier = append(s.earlier, s.log)
	}
	s.log = &record{}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that a signal reaches what runs under another program
	s.cmd.WaitDelay = 5 * time.Second
	if err := s.cmd.Start(); err != nil {
		return err
	}
	cmd, died := s.cmd, make(chan struct{})
	s.died = died
	go func() {
		_ = cmd.Wait() // how it ended is in its ProcessState
		close(died)
	}()
	return nil
}

// kill ends it as a power cut would.
func (s *subject) kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // it may be gone
	<-s.died
}

// stop asks it to end, and returns its exit code.
func (s *subject) stop() int {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM) // it may be gone
	return s.wait(60 * time.Second)
}

// wait waits until it has ended, kills it when that takes too long, and returns
// its exit code.
func (s *subject) wait(patience time.Duration) int {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.died:
	case <-timer.C:
		s.kill()
	}
	return s.cmd.ProcessState.ExitCode()
}

// metric reads one figure without labels from the server's metrics.
func (s *subject) metric(ctx context.Context, name string) (float64, error) {
	status, body, err := call(ctx, s.admin, "GET", "/metrics", "", nil)
	if err != nil || status != 200 {
		return 0, fmt.Errorf("metrics: status %d, %w", status, err)
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

// memory is the server's resident size in MiB.
func (s *subject) memory() float64 { return served.Memory(s.cmd.Process.Pid) }

// cpu is what the server has worked so far.
func (s *subject) cpu() time.Duration { return served.CPU(s.cmd.Process.Pid) }

// file is the server's database.
func (s *subject) file() string { return filepath.Join(s.home, "state.db") }

// pause waits for a while, or the end.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
