package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/hermes-memory/hermes/bench/served"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// upstream is the scripted model server, in this process.
type upstream struct {
	server *upstreamtest.Server
}

// slowly begins a message that is answered token by token, at the speed of a model.
const slowly = "Slowly: "

func startUpstream() (*upstream, error) {
	slow := append([]string{"Understood"}, slices.Repeat([]string{" and"}, streamTokens-1)...)
	s, err := upstreamtest.Start(upstreamtest.Options{
		Quiet: true,
		Default: func(r *upstreamtest.Request) upstreamtest.Step {
			if r.Streaming && bytes.Contains(r.Body, []byte(slowly)) {
				return upstreamtest.Step{Chunks: slow, Between: streamBeat}
			}
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
	return served.Start(ctx, b.binary, home, b.upstream.server.URL+"/v1", "HERMES_MODEL=scripted-model")
}
