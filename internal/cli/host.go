package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// moving is how long a chat waits for a home that another program is just
// opening or leaving, and look how often it looks.
const (
	moving = 3 * time.Second
	look   = 50 * time.Millisecond
)

// connectChat is connect for a chat. Where no server runs it becomes one for as
// long as it lasts, of the model a server would choose: other terminals and
// commands go through it. If the server it went through ends, it takes over.
// Nobody asked for a server, so its log is shown only to those who ask for that.
func (a *app) connectChat(ctx context.Context, f *chatFlags) (*client, error) {
	if hushed := *a; f.question == "" || a.process.Getenv("HERMES_LOG_LEVEL") == "" {
		hushed.process.Stderr = io.Discard
		a = &hushed
	}
	if f.model != "" {
		a.flags["upstream.model"] = f.model
	}
	cfg, err := a.load()
	if err != nil {
		return nil, err
	}
	c, err := a.reach(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c.again = func(ctx context.Context) (*client, error) { return a.reach(ctx, cfg) }
	return c, nil
}

// reach finds the server of the home or becomes it. Who has the lock may not be
// reached yet, or not any more: then it tries again for a moment.
func (a *app) reach(ctx context.Context, cfg *config.Config) (*client, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for end := time.Now().Add(moving); ; {
		c, err := a.connectWith(ctx, cfg, func() (upstream.Choice, error) { return choose(ctx, cfg, &listening{}) })
		if err == nil {
			a.host(ctx, cfg, c)
			return c, nil
		}
		if fault.CodeOf(err) != "database_in_use" || time.Now().After(end) {
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// host lets other programs of this person in while the home is open here. If it
// cannot, the chat does without.
func (a *app) host(ctx context.Context, cfg *config.Config, c *client) {
	if c.embedded == nil {
		return
	}
	at, err := open(ctx, net.JoinHostPort(config.DefaultHost, "0"))
	if err != nil {
		return
	}
	if err := writeServerFile(cfg.Home, at.addr, c.token); err != nil {
		at.close()
		return
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- c.embedded.serve(serving, at) }()
	end := c.close
	c.close = func() error {
		stop()
		return errors.Join(<-done, removeServerFile(cfg.Home), end())
	}
}

// idempotencyKey is the header of a request that may be sent twice.
const idempotencyKey = "Idempotency-Key"

// gone reports whether a server has ended. One that ends breaks off connections
// it has not looked at; whether it had looked cannot be seen, so that only tells
// for a request that may be sent twice.
func gone(err error, twice bool) bool {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return true
	}
	return twice && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF))
}

// newKey is the header with a key for one request.
func newKey() http.Header { return http.Header{idempotencyKey: {newToken()}} }
