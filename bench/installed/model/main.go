// Model is the model server of `make installed`: it sends every answer as 40 words, one each
// 50 ms. With -ollama it is an Ollama without models instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	ollama := flag.Bool("ollama", false, "answer as an Ollama without models")
	flag.Parse()
	if err := serve(*addr, *ollama); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(addr string, ollama bool) error {
	if ollama {
		server := &http.Server{Addr: addr, Handler: http.HandlerFunc(asOllama), ReadHeaderTimeout: 10 * time.Second}
		return server.ListenAndServe()
	}
	words := make([]string, 40)
	for i := range words {
		words[i] = fmt.Sprintf("word%d ", i)
	}
	step := upstreamtest.Step{Text: strings.Join(words, ""), Chunks: words, Between: 50 * time.Millisecond}
	server, err := upstreamtest.Start(upstreamtest.Options{
		Addr: addr, Quiet: true, Default: func(*upstreamtest.Request) upstreamtest.Step { return step },
	})
	if err != nil {
		return err
	}
	defer server.Close()
	stopped, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-stopped.Done()
	return nil
}

func asOllama(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		_, _ = io.WriteString(w, "Ollama is running")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"models":[],"version":"0.9.0"}`)
}
