// Package served starts the built server for measurements from outside, and
// reads what it costs.
package served

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Clients share a pool wide enough for every measurement.
var Clients = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true}}

// Server is a running hermes.
type Server struct {
	Base string
	Home string
	Took time.Duration // from exec to the first healthy answer

	cmd *exec.Cmd
}

// Start starts hermes on a home, before an upstream (a base URL, with its /v1),
// with further variables of its environment, and waits until it is healthy.
func Start(ctx context.Context, binary, home, upstream string, env ...string) (*Server, error) {
	addr, err := FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{Base: "http://" + addr, Home: home}
	s.cmd = exec.CommandContext(ctx, binary, "serve", "--addr", addr)
	s.cmd.Env = append(append(os.Environ(), "HERMES_HOME="+home, "HERMES_UPSTREAM_URL="+upstream, "HERMES_LOG_LEVEL=warn"), env...)
	s.cmd.Stderr = os.Stderr
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start hermes: %w", err)
	}
	for ctx.Err() == nil && time.Since(begun) < 20*time.Second {
		if res, err := get(ctx, s.Base+"/health"); err == nil && res == http.StatusOK {
			s.Took = time.Since(begun)
			return s, nil
		}
		<-time.After(time.Millisecond)
	}
	s.Stop()
	return nil, errors.New("hermes did not become healthy in 20 s")
}

func get(ctx context.Context, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	res, err := Clients.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// FreeAddr is an address of this machine on which no process listens.
func FreeAddr(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

// Stop ends the server as an operator does, and waits for it.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // the figures are taken already
}

// CPU is the processor time the server has used.
func (s *Server) CPU() time.Duration { return CPU(s.cmd.Process.Pid) }

// CPU is the processor time a process has used; 0 if it is gone.
func CPU(pid int) time.Duration { return statOf(pid).used }

// FamilyCPU is the processor time of a process and its children, those that have ended
// included.
func FamilyCPU(pid int) time.Duration {
	own := statOf(pid)
	sum := own.used + own.ended
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range all {
		child, _ := strconv.Atoi(filepath.Base(dir)) // digits, by the pattern
		if s := statOf(child); s.parent == pid {
			sum += s.used
		}
	}
	return sum
}

// stat is what the kernel says of a process.
type stat struct {
	parent      int
	used, ended time.Duration // processor time of the process, and of its children that have ended
}

// statOf reads the state of a process; nothing if it is gone.
func statOf(pid int) stat {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}
	}
	// Fields after the command's closing parenthesis: the parent is the 2nd, utime the 12th, stime
	// the 13th, both of ended children the next two, in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 15 {
		return stat{}
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	ticks := func(i int) time.Duration { return time.Duration(number(i)+number(i+1)) * 10 * time.Millisecond }
	return stat{parent: number(1), used: ticks(11), ended: ticks(13)}
}

// Memory is the resident size of the server, in MiB.
func (s *Server) Memory() float64 { return Memory(s.cmd.Process.Pid) }

// Memory is the resident size of a process, in MiB; 0 if it is gone.
func Memory(pid int) float64 { return status(pid, "VmRSS:") }

// Peak is the largest resident size that the server has had, in MiB; 0 if it is gone.
func (s *Server) Peak() float64 { return status(s.cmd.Process.Pid, "VmHWM:") }

// Reserved is the server's address space, in MiB; 0 if it is gone.
func (s *Server) Reserved() float64 { return status(s.cmd.Process.Pid, "VmSize:") }

// status reads a size of a process, in MiB; 0 if it is gone.
func status(pid int, field string) float64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}

// BytesRead is how much the server has read from files and sockets, in MiB. Reads that the page cache serves count.
func (s *Server) BytesRead() (float64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "io"))
	if err != nil {
		return 0, fmt.Errorf("read what the server has read: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "rchar: "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return float64(n) / (1 << 20), err
		}
	}
	return 0, errors.New("the kernel does not count reads")
}

// Quiet waits until the server's background work has ended; see the function of that name.
func (s *Server) Quiet(ctx context.Context) error { return Quiet(ctx, s.cmd.Process.Pid) }

// Quiet waits until a process has used at most 10 ms of processor time in each of four successive half seconds. It gives up
// after ten minutes.
func Quiet(ctx context.Context, pid int) error {
	ticks := time.NewTicker(500 * time.Millisecond)
	defer ticks.Stop()
	before, still := CPU(pid), 0
	for range 1200 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
		now := CPU(pid)
		if now-before > 10*time.Millisecond {
			still = 0
		} else if still++; still == 4 {
			return nil
		}
		before = now
	}
	return errors.New("the server's background work did not end in ten minutes")
}
