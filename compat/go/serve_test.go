// Package compat holds the tests of openai-go and anthropic-sdk-go against a running
// server. It is a module of its own so that the server does not depend on a client.
package compat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// startLimit bounds a start; it takes a few dozen milliseconds.
const startLimit = 20 * time.Second

// serve runs `hermes serve` with a home and a port of its own until the test
// ends, and returns its URL.
func serve(t *testing.T, env ...string) string {
	t.Helper()
	binary := os.Getenv("HERMES_BIN")
	if binary == "" {
		t.Fatal("HERMES_BIN does not name the server: run these tests with compat/run")
	}
	home := t.TempDir()
	var output bytes.Buffer
	server := exec.Command(binary, "serve", "--addr", "127.0.0.1:0")
	server.Env = append([]string{"HOME=" + home, "HERMES_HOME=" + home, "HERMES_PROBE=false"}, env...)
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			t.Errorf("hermes serve ended with %v:\n%s", err, &output)
		}
	})
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.After(startLimit); ; {
		if url := address(home); url != "" && healthy(url) {
			return url
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("hermes serve ended before it answered: %v", err)
		case <-deadline:
			t.Fatalf("hermes serve did not answer within %v", startLimit)
		case <-poll.C:
		}
	}
}

// address is where the server of a home says it is; "" while it does not.
func address(home string) string {
	var said struct{ Address string }
	body, err := os.ReadFile(filepath.Join(home, "server.json"))
	if err != nil || json.Unmarshal(body, &said) != nil {
		return ""
	}
	return "http://" + said.Address
}

func healthy(url string) bool {
	resp, err := http.Get(url + "/health")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
