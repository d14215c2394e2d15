package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/telemetry"
)

// watch lets the metrics read the state of the components.
func (s *server) watch() {
	if s.measures == nil {
		return
	}
	from := telemetry.Sources{Runs: s.runner.Load, Store: s.db.Load, Jobs: s.jobs.Load, Line: s.line.Load, Cache: s.cache}
	if s.study != nil {
		from.Study = s.study.Stats
	}
	from.Platforms = s.platformStates
	s.measures.Watch(from)
	s.measures.Provider(string(s.choice.Kind))
}

// platformPatience bounds how long a reader of the metrics waits for the state of the bots.
const platformPatience = 2 * time.Second

// platformStates are the states of the bots; none if they cannot be read.
func (s *server) platformStates() []gateway.Status {
	if len(s.bots) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), platformPatience)
	defer cancel()
	list, err := s.gateway.Statuses(ctx)
	if err != nil {
		s.log.Warn("the state of the chat platforms could not be read for the metrics", "err", err)
	}
	return list
}

// listenAdmin opens the address for metrics; nil if it is not configured.
func listenAdmin(ctx context.Context, addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, cannotListen(addr, "HERMES_ADMIN_ADDR=127.0.0.1:PORT", err)
	}
	return l, nil
}

// serveAdmin answers GET /metrics without a key until ctx ends, and nothing else.
// Everyone who can reach the address may read the metrics.
func (s *server) serveAdmin(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.measures.Handler())
	srv := &http.Server{
		Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: serverLog(s.log),
	}
	defer context.AfterFunc(ctx, recovery.Func(func() { _ = srv.Close() }, recovery.Logged(ctx, s.log, "the end of the metrics")))()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the metrics: %w", err)
	}
	return nil
}
