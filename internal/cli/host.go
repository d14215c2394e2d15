package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/terminal"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// moving is how long a chat waits for a server that is ending to come back.
const moving = 3 * time.Second

// connectChat is connect for a chat. If no server runs, the chat becomes one until it
// ends, with the model that a server would choose; other terminals and commands use it.
// If the chat that serves it ends, this chat takes over and says so. If a server ends,
// the chat waits for the server to come back: taking over would switch the model and
// keep the server from starting. The user did not start a server, so its log is shown
// only on request.
func (a *app) connectChat(ctx context.Context, f *chatFlags) (*client, error) {
	hush := f.question == "" || a.process.Getenv("HERMES_LOG_LEVEL") == ""
	if hushed := *a; hush {
		hushed.process.Stderr, hushed.err = io.Discard, terminal.NewWriter(io.Discard)
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
	c.hushed = hush
	c.again = func(ctx context.Context) (*client, error) {
		if c.through != nil && !c.through.Chat {
			return a.rejoin(ctx, cfg, c.through)
		}
		return a.reach(ctx, cfg)
	}
	return c, nil
}

// rejoin waits a moment for the server of the home to come back.
func (a *app) rejoin(ctx context.Context, cfg *config.Config, left *serverFile) (*client, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for end := time.Now().Add(moving); time.Now().Before(end); {
		if c, err := liveServer(ctx, cfg); c != nil || err != nil {
			return c, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fault.New(fault.Unavailable, serverGone, "The server at "+left.Address+
		" has ended. Start it again with `hermes serve`, and this chat goes on through it. To go on without one, leave and say: hermes -c")
}

// serverGone is the code of the error of a chat that has lost its server.
const serverGone = "server_gone"

// reach finds the server of the home directory or becomes it.
func (a *app) reach(ctx context.Context, cfg *config.Config) (*client, error) {
	c, err := a.connectWith(ctx, cfg, func() (upstream.Choice, error) { return choose(ctx, cfg, &listening{}) })
	if err != nil {
		return nil, err
	}
	if c.embedded != nil { // it serves turns, as a server does
		if err := c.embedded.external.Start(context.WithoutCancel(ctx)); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	a.host(ctx, cfg, c)
	return c, nil
}

// host serves other programs of this account while the home is open here. It is best
// effort.
func (a *app) host(ctx context.Context, cfg *config.Config, c *client) {
	if c.embedded == nil {
		return
	}
	at, err := open(ctx, net.JoinHostPort(config.DefaultHost, "0"))
	if err != nil {
		return
	}
	at.chat = true
	if err = at.openSocket(ctx, cfg.Home); err == nil {
		err = writeServerFile(cfg.Home, at, c.token)
	}
	if err != nil {
		at.close()
		return
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := recovery.Async(func() error { return c.embedded.serve(serving, at) })
	end := c.close
	c.close = func() error {
		stop()
		err := <-done
		at.closeSocket()
		return errors.Join(err, removeServerFile(cfg.Home), end())
	}
}

// idempotencyKey is the header for requests that may be sent twice.
const idempotencyKey = "Idempotency-Key"

// gone reports whether a server has ended. An ending server closes connections whose
// requests it has not read. The client cannot tell whether a request was read, so only
// a request that may be sent twice counts.
func gone(err error, twice bool) bool {
	if connectionRefused(err) {
		return true
	}
	return twice && (connectionReset(err) || errors.Is(err, io.EOF))
}

// newKey is a header with a new idempotency key.
func newKey() http.Header { return http.Header{idempotencyKey: {newToken()}} }
