package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hermes-memory/hermes/bench/served"
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

// startServer starts hermes on a home of its own, or on one that is given.
func (b *bench) startServer(ctx context.Context, home string) (*served.Server, error) {
	if home == "" {
		var err error
		if home, err = os.MkdirTemp(b.dir, "home-"); err != nil {
			return nil, fmt.Errorf("make home: %w", err)
		}
	}
	return served.Start(ctx, b.binary, home, b.upstream.server.URL, "HERMES_MODEL=scripted-model")
}
