package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hermes-memory/hermes/bench/served"
)

// server is a hermes on an empty home, with the upstream of the options.
type server struct {
	*served.Server
	dir string
}

func startServer(ctx context.Context, o *options) (*server, error) {
	dir, err := os.MkdirTemp("", "hermes-judge-")
	if err != nil {
		return nil, fmt.Errorf("make a place to work: %w", err)
	}
	s := &server{dir: dir}
	if err := s.start(ctx, o); err != nil {
		_ = os.RemoveAll(dir) // err says what went wrong
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
	var err error
	s.Server, err = served.Start(ctx, binary, filepath.Join(s.dir, "home"), o.upstream, "HERMES_UPSTREAM_KEY="+o.key, "HERMES_MODEL="+o.model,
		"HERMES_MEMORY_MODEL="+o.memoryModel, "HERMES_EMBEDDINGS_MODEL="+o.embeddings, "API_SERVER_KEY=", "HERMES_FALLBACK=off")
	return err
}

// stop ends the server and removes its home.
func (s *server) stop() {
	s.Stop()
	_ = os.RemoveAll(s.dir) // a temporary place
}
