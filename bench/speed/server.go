package main

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

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// upstream is the scripted model server, in this process.
type upstream struct {
	server *upstreamtest.Server
}

func startUpstream() (*upstream, error) {
	s, err := upstreamtest.Start(upstreamtest.Options{
		Quiet: true,
		Default: func(*upstreamtest.Request) upstreamtest.Step {
			return upstreamtest.Step{Chunks: []string{"Understood", ", that ", "is ", "kept."}, Usage: &upstreamtest.Usage{Input: 100, Output: 5}}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("start upstream: %w", err)
	}
	return &upstream{server: s}, nil
}

func (u *upstream) close() { u.server.Close() }

// server is a running hermes.
type server struct {
	cmd  *exec.Cmd
	base string
	home string
	took time.Duration // from exec to the first healthy answer
}

// clients share a pool wide enough for every measurement here.
var clients = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true}}

// startServer starts hermes on a home of its own, or on one that is given.
func (b *bench) startServer(ctx context.Context, home string) (*server, error) {
	if home == "" {
		var err error
		if home, err = os.MkdirTemp(b.dir, "home-"); err != nil {
			return nil, fmt.Errorf("make home: %w", err)
		}
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{base: "http://" + addr, home: home}
	s.cmd = exec.CommandContext(ctx, b.binary, "serve", "--addr", addr)
	s.cmd.Env = append(os.Environ(), "HERMES_HOME="+home, "HERMES_UPSTREAM_URL="+b.upstream.server.URL+"/v1",
		"HERMES_MODEL=scripted-model", "HERMES_LOG_LEVEL=warn")
	s.cmd.Stderr = os.Stderr
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start hermes: %w", err)
	}
	for time.Since(begun) < 20*time.Second {
		res, err := get(ctx, s.base+"/health")
		if err == nil && res == http.StatusOK {
			s.took = time.Since(begun)
			return s, nil
		}
		pause := time.NewTimer(time.Millisecond)
		<-pause.C
	}
	s.stop()
	return nil, errors.New("hermes did not become healthy in 20 s")
}

func get(ctx context.Context, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	res, err := clients.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

func freeAddr(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // the figures are taken already
}

// cpu is the processor time the server has used.
func (s *server) cpu() time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0
	}
	// Fields after the command's closing parenthesis: utime is the 12th, stime
	// the 13th, in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is the resident size of the server, in MiB.
func (s *server) memory() float64 {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kb) / 1024
		}
	}
	return 0
}
