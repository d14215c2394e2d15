package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/upstream"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// benchServer is a server over loopback HTTP, with a scripted upstream in the same process.
func benchServer(b *testing.B) *httptest.Server {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	up, err := upstreamtest.Start(upstreamtest.Options{Quiet: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(up.Close)
	db, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "state.db"), Log: log})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	runner, curator := runtest.New(db, &runtest.Parts{
		Views: memory.NewViews(db, 1<<28), Log: log,
		Models: run.Models{Upstream: upstream.New(upstream.Options{BaseURL: up.URL + "/v1"}), Recall: recall.New(), Fallback: true},
		Config: run.Config{Budgets: compression.Budgets{Model: "scripted"}, Patience: time.Second, Now: time.Now},
	})
	srv := httptest.NewServer(httpapi.New(httpapi.Config{
		Runner: runner, Curator: curator, Sessions: db, Catalog: db, Keyring: owner.NewKeyring(db, nil, true, time.Now),
		Ready: nil, KeepAlive: time.Minute, Now: time.Now, Log: log,
	}))
	b.Cleanup(srv.Close)
	return srv
}

// BenchmarkTurn is one stateful, durable turn.
func BenchmarkTurn(b *testing.B) {
	srv := benchServer(b)
	client := srv.Client()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		body := fmt.Appendf(nil, `{"model":"hermes","messages":[{"role":"user","content":"In week %d Ada moved the billing scheduler to Oslo because the old cluster was %d percent slower. Boris tested the invoice parser in Lima. We keep the staging replica in Porto since it is cheaper by %d euros. Elena rewrote the nightly report and shipped it on Friday."}]}`, i, i%97, i*3)
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, srv.URL+"/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer hermes")
		req.Header.Set("X-Hermes-Session-Id", fmt.Sprintf("bench:%d", i/50))
		res, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("status %d: %v", res.StatusCode, err)
		}
		_ = res.Body.Close()
	}
}
