package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// server is a hermes on an empty home, with the upstream of the options.
type server struct {
	cmd  *exec.Cmd
	base string
	dir  string
}

func startServer(ctx context.Context, o *options) (*server, error) {
	dir, err := os.MkdirTemp("", "hermes-judge-")
	if err != nil {
		return nil, fmt.Errorf("make a place to work: %w", err)
	}
	s := &server{dir: dir}
	if err := s.start(ctx, o); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) start(ctx context.Context, o *options) error {
	binary := o.hermesBinary
	if binary == "" {
		binary = filepath.Join(s.dir, "hermes")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./cmd/hermes")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build hermes: %w\n%s", err, out)
		}
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	s.base = "http://" + addr
	s.cmd = exec.CommandContext(ctx, binary, "serve", "--addr", addr)
	s.cmd.Env = append(os.Environ(), "HERMES_HOME="+filepath.Join(s.dir, "home"), "HERMES_UPSTREAM_URL="+o.upstream, "HERMES_UPSTREAM_KEY="+o.key,
		"HERMES_MODEL="+o.model, "HERMES_MEMORY_MODEL="+o.memoryModel, "HERMES_EMBEDDINGS_MODEL="+o.embeddings,
		"HERMES_LOG_LEVEL=warn", "API_SERVER_KEY=", "HERMES_FALLBACK=off")
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return fmt.Errorf("start hermes: %w", err)
	}
	return s.healthy(ctx)
}

// healthy waits for the first healthy answer.
func (s *server) healthy(ctx context.Context) error {
	for begun := time.Now(); time.Since(begun) < 20*time.Second; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/health", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("hermes did not become healthy in 20 s")
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

// stop ends the server and removes its home.
func (s *server) stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait() // the figures are taken already
	}
	_ = os.RemoveAll(s.dir)
}
