package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// relay measures the least that a durable server in front of a model can cost here:
// this program as one that remembers nothing, passes each request on with a context
// before it, and writes it to the disk before it answers, or does not. It is a
// yardstick for the machine.
func (b *bench) relay(ctx context.Context) error {
	for _, with := range []struct {
		name    string
		durable bool
	}{
		{"a relay without memory or disk", false},
		{"a relay that writes to the disk", true},
	} {
		s, err := b.startRelay(ctx, with.durable)
		if err != nil {
			return err
		}
		err = b.relayed(ctx, s, with.name)
		s.Stop()
		if err != nil {
			return err
		}
	}
	return nil
}

// startRelay starts this program as the relay.
func (b *bench) startRelay(ctx context.Context, durable bool) (*served.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	env := "RELAY="
	if durable {
		env = "RELAY=durable"
	}
	return served.Start(ctx, self, b.dir, b.upstream.server.URL+"/v1", env)
}

// relayed measures one relay as turn and load measure hermes.
func (b *bench) relayed(ctx context.Context, s *served.Server, name string) error {
	w := newWriter(1)
	turns := 4000 / b.scale
	var took []time.Duration
	before := s.CPU()
	for i := range turns {
		begun := time.Now()
		if _, err := chat(ctx, s.Base, "relay", w.message(i)); err != nil {
			return err
		}
		took = append(took, time.Since(begun))
	}
	b.add("CPU per turn of "+name, "", "%.3f ms", float64((s.CPU()-before).Microseconds())/1000/float64(turns))
	b.add("one turn of "+name+", p50", "", "%s", ms(spreadOf(took).p50))
	rate, _, err := b.storm(ctx, s.Base, 64)
	if err != nil {
		return err
	}
	b.add("turns/s of "+name+", 64 at once", "", "%.0f", rate)
	return nil
}

// runRelay is the relay itself, started as hermes is.
func runRelay(addr string) error {
	r := &relayServer{model: os.Getenv("HERMES_UPSTREAM_URL"), durable: os.Getenv("RELAY") == "durable"}
	var err error
	if r.file, err = os.Create(filepath.Join(os.Getenv("HERMES_HOME"), "relay")); err != nil {
		return fmt.Errorf("make the relay's file: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/v1/chat/completions", r)
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

type relayServer struct {
	model   string // its base URL
	durable bool
	file    *os.File

	mu   sync.Mutex
	next *batch     // takes along what comes
	disk sync.Mutex // is held to write
}

// batch is what shares one fsync.
type batch struct {
	said []byte
	once sync.Once
	err  error
}

// ServeHTTP passes one request on, with a prompt's worth of context before it.
func (r *relayServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out, err := http.NewRequestWithContext(req.Context(), http.MethodPost, r.model+"/chat/completions",
		bytes.NewReader(bytes.Replace(body, beginning, prompted, 1)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out.Header.Set("Content-Type", "application/json")
	res, err := served.Clients.Do(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err == nil && r.durable {
		err = r.keep(append(body, answer...))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

// keep writes what was said to the disk, together with whatever else waits for it.
func (r *relayServer) keep(said []byte) error {
	r.mu.Lock()
	if r.next == nil {
		r.next = &batch{}
	}
	mine := r.next
	mine.said = append(mine.said, said...)
	r.mu.Unlock()
	r.disk.Lock()
	defer r.disk.Unlock()
	mine.once.Do(func() {
		r.mu.Lock()
		r.next = nil
		r.mu.Unlock()
		if _, mine.err = r.file.Write(mine.said); mine.err == nil {
			mine.err = r.file.Sync()
		}
	})
	return mine.err
}

// What is sent to the model has a context of some thousand tokens in it, as a turn's
// in a grown session.
var (
	beginning = []byte(`"messages":[`)
	prompted  = append(bytes.Clone(beginning), []byte(`{"role":"system","content":"`+string(bytes.Repeat([]byte("what is known "), 900))+`"},`)...)
)
