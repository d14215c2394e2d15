package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/telemetry"
	"github.com/hermes-memory/hermes/internal/upstream"
)

func (a *app) serveCommand() *cobra.Command {
	var noCopy bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server. Nothing has to be configured: it listens on this machine only,
keeps its data in ~/.hermes (or HERMES_HOME), uses the model it finds, and
answers from memory alone when there is none.

Every flag is also a setting: see ` + "`hermes config show`" + `.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runServe(c.Context(), noCopy) },
	}
	c.Flags().BoolVar(&noCopy, "no-copy", false, "upgrade the database without keeping a copy from before")
	a.settingFlags(c)
	return c
}

// runServe opens the data, prints the banner, serves, and drains.
func (a *app) runServe(ctx context.Context, noCopy bool) error {
	cfg, err := a.load()
	if err != nil {
		return err
	}
	if a.process.Getenv("GOGC") == "" {
		setHeadroom()
	}
	log := a.newLogger(cfg)
	limitMemory(cfg, a.process.Getenv, os.DirFS("/"), log)
	at, err := listen(ctx, cfg)
	if err != nil {
		return err
	}
	if at.admin, err = listenAdmin(ctx, cfg.Server.AdminAddr); err != nil {
		at.close()
		return err
	}
	measures := telemetry.New(Version())
	if err := measures.Trace(ctx, telemetry.Tracing{
		Endpoint: cfg.Telemetry.Endpoint, Traces: cfg.Telemetry.Traces, Headers: cfg.Telemetry.Headers,
		Conversations: cfg.Telemetry.Conversations, Log: log,
	}); err != nil {
		at.close()
		return err
	}
	defer measures.Close(ctx)
	at.transport = measures.Transport(upstream.NewTransport())
	s, err := assembleSoon(ctx, assembly{
		cfg: cfg, log: log, public: at.public, measures: measures,
		choose: func() (upstream.Choice, error) { return choose(ctx, cfg, at) }, getenv: a.process.Getenv, doctor: a.examine, noCopy: noCopy,
	})
	if err != nil {
		at.close()
		return err
	}
	if err := s.mayListen(ctx, at); err != nil {
		at.close()
		return errors.Join(err, s.close())
	}
	if err = errors.Join(s.external.Start(context.WithoutCancel(ctx)), at.openSocket(ctx, cfg.Home)); err == nil {
		err = writeServerFile(cfg.Home, at, s.token)
	}
	if err != nil {
		at.close()
		return errors.Join(err, s.close())
	}
	defer at.closeSocket()
	// A stop during the start is still an orderly stop.
	development, err := s.keyring.Development(context.WithoutCancel(ctx))
	if err == nil {
		a.banner(s, at, development)
		err = s.serve(ctx, at)
	}
	return errors.Join(err, removeServerFile(cfg.Home), s.close())
}

// choose picks the upstream from the configuration.
func choose(ctx context.Context, cfg *config.Config, at *listening) (upstream.Choice, error) {
	if cfg.Responder == "recall" {
		return upstream.Choice{Kind: upstream.KindRecall, Why: "the setting responder says so"}, nil
	}
	u := &cfg.Upstream
	env := upstream.Environment{
		URL: u.URL, Key: upstream.Secret(u.Key), Model: u.Model,
		OpenAIKey: upstream.Secret(u.OpenAIKey), OpenAIURL: u.OpenAIURL,
		AnthropicKey: upstream.Secret(u.AnthropicKey), AnthropicURL: u.AnthropicURL,
		OpenRouterKey: upstream.Secret(u.OpenRouterKey), OpenRouterURL: u.OpenRouterURL,
		OllamaHost: u.OllamaHost, Own: at.addr, Options: upstream.Options{Transport: at.transport},
	}
	if !u.Probe {
		env.OllamaAddr, env.LlamaAddr = "off", "off"
	}
	if at.ollama != "" {
		env.OllamaAddr = at.ollama
	}
	return upstream.Choose(ctx, env)
}

// mayListen refuses to listen for other machines without a key.
func (s *server) mayListen(ctx context.Context, at *listening) error {
	if !at.public {
		return nil
	}
	if s.cfg.Server.NoAuth {
		return fault.New(fault.Forbidden, "public_without_key",
			"--no-auth is for this machine only: "+at.addr+" can be reached from others. Leave out --no-auth and set API_SERVER_KEY.")
	}
	if len(s.cfg.Server.Keys) > 0 {
		return nil
	}
	keys, err := s.keyring.List(ctx)
	if err != nil {
		return err
	}
	for i := range keys {
		if keys[i].RevokedAt.IsZero() {
			return nil
		}
	}
	return fault.New(fault.Forbidden, "public_without_key", fmt.Sprintf(
		"%s can be reached from other machines, and no API key is set. Set API_SERVER_KEY to a secret of %d characters or more (openssl rand -hex 32), or make a key: hermes keys create --name me",
		at.addr, owner.MinKeyLength))
}

// serve answers requests until ctx ends, then waits for the turns under way.
func (s *server) serve(ctx context.Context, at *listening) error {
	var turns sync.WaitGroup
	connections := httpapi.NewConnections(s.connectionLimits())
	defer connections.Wait()
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			turns.Add(1)
			defer turns.Done()
			s.handler.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          serverLog(s.log),
	}
	connections.Watch(srv)
	var g errgroup.Group
	for _, l := range at.listeners {
		g.Go(recovery.Task(func() error {
			if err := connections.Serve(srv, l); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve: %w", err)
			}
			return nil
		}))
	}
	if at.admin != nil {
		g.Go(recovery.Task(func() error { return s.serveAdmin(ctx, at.admin) }))
	}
	panicked := func(what string) func(error) { return recovery.Logged(ctx, s.log, what) }
	s.tellStudy()
	s.tellFiles()
	if s.study != nil {
		turns.Go(recovery.Func(func() { _ = s.study.Run(ctx) }, panicked("the studies"))) // it only ends with its context
	}
	turns.Go(recovery.Func(func() { s.external.Run(ctx) }, panicked("the external memory")))
	turns.Go(recovery.Func(func() { s.recordStart(ctx, at) }, panicked("the record of the start")))
	turns.Go(recovery.Func(func() { s.keeper.Run(ctx) }, panicked("the index of memory")))
	if keeper := s.backupKeeper(); keeper != nil {
		turns.Go(recovery.Func(func() { keeper.Run(ctx) }, panicked("the backups")))
	}
	turns.Go(recovery.Func(func() { s.warm(ctx) }, panicked("the list of models")))
	jobs, stopJobs := context.WithCancel(ctx)
	defer stopJobs()
	turns.Go(recovery.Func(func() { _ = s.jobs.Run(jobs) }, panicked("the scheduler"))) // it only ends with its context
	turns.Go(recovery.Func(func() { _ = s.live.Serve(jobs) }, panicked("the runs")))    // likewise
	turns.Go(recovery.Func(func() { s.runGateway(jobs) }, panicked("the chat platforms")))
	failed := recovery.Async(g.Wait)
	select {
	case err := <-failed:
		stopJobs()
		turns.Wait()
		return err
	case <-ctx.Done():
	}
	s.drain(ctx, srv, &turns)
	return <-failed
}

// drain stops accepting and waits for the turns under way. After the grace period it
// cuts them off: their partial answers are stored and marked.
func (s *server) drain(ctx context.Context, srv *http.Server, turns *sync.WaitGroup) {
	s.draining.Store(true)
	s.hub.Close() // readers of events would never end by themselves
	s.log.Info("stopping", "grace", s.cfg.Server.Grace)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Server.Grace)
	defer cancel()
	ended := recovery.Async(func() error { s.sockets.Shutdown(grace); return nil })
	if err := srv.Shutdown(grace); err != nil {
		s.log.Warn("turns still run after the grace; cutting them off")
		_ = srv.Close() // cancels them
	}
	if err := <-ended; err != nil {
		s.log.Error("ending the WebSocket connections", "err", err)
	}
	turns.Wait()
}
