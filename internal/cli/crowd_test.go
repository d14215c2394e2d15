//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// ask sends a request with a key, and returns the status and the body.
func (s *server) ask(client *http.Client, method, path, body, key string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

// TestCrowd: 600 connections whose requests never arrive, most without a key, do not
// lock out a client of a server that may open 256 files. They give way after two seconds.
func TestCrowd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	plain := command(t, home, nil, "serve", "--addr", "127.0.0.1:0")
	limited := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -n 256; exec "$0" "$@"`, plain.Path}, plain.Args[1:]...)...)
	limited.Env = plain.Env
	s := launched(t, home, limited)
	s.awaited()
	for i := range 600 {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		head := "POST /v1/chat/completions HTTP/1.1\r\nHost: " + s.addr + "\r\nContent-Length: 1000\r\n"
		switch i % 3 { // the server may close any of them
		case 0:
			_, _ = io.WriteString(conn, head+"Authorization: Bearer hermes\r\n\r\n{")
		case 1:
			_, _ = io.WriteString(conn, head+"\r\n{")
		default:
			_, _ = io.WriteString(conn, head)
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	// Until two seconds have passed, a free place is luck: the server answers some of the
	// crowd with 401. After that, the crowd makes room for each request.
	var refusal string
	defer func() {
		if t.Failed() {
			t.Logf("the last refusal: %s", refusal)
		}
	}()
	eventually(t, "20 lists in a row, while the crowd gives way", func() bool {
		for range 20 {
			if status, body := s.ask(client, "GET", "/api/sessions", "", "hermes"); status != http.StatusOK {
				refusal = fmt.Sprintf("%d %s", status, body)
				return false
			}
		}
		return true
	})
}

// TestLongBesideShort: while one owner has a memory verified 24 times at once, another
// owner's list is answered before them.
func TestLongBesideShort(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil, "--addr", "127.0.0.1:0")
	client := newClient(t)
	key := func(name string) string {
		var out struct{ Secret, Key string }
		_, body := s.ask(client, "POST", "/api/keys", `{"name":"`+name+`"}`, readToken(t, s))
		if err := json.Unmarshal([]byte(body), &out); err != nil || out.Secret+out.Key == "" {
			t.Fatalf("create a key: got %s, %v", body, err)
		}
		return out.Secret + out.Key
	}
	ada, ben := key("ada"), key("ben")
	var lines strings.Builder
	for n := range 10 {
		var ms []string
		for i := range 200 {
			ms = append(ms, fmt.Sprintf(`{"role":"user","content":"My device %d of room %d costs %d euros, and we chose it because of part %d."}`, i, n, i*7, i*n))
		}
		fmt.Fprintf(&lines, `{"id":"s%d","started_at":"2026-01-02T10:00:00Z","messages":[%s]}`+"\n", n, strings.Join(ms, ","))
	}
	if status, body := s.ask(client, "POST", "/api/sessions/import", lines.String(), ada); status != http.StatusOK {
		t.Fatalf("import: got %d %s", status, body)
	}
	var verified atomic.Int32
	var busy sync.WaitGroup
	for range 24 {
		busy.Go(func() {
			status, body := s.ask(client, "POST", "/api/memory/rebuild", `{"verify":true}`, ada)
			if verified.Add(1); status != http.StatusOK || !strings.Contains(body, `"identical":true`) {
				t.Errorf("verify: got %d %s", status, body)
			}
		})
	}
	eventually(t, "the first to be verified", func() bool { return verified.Load() > 0 })
	for range 5 {
		if status, body := s.ask(client, "GET", "/api/sessions", "", ben); status != http.StatusOK {
			t.Errorf("list: got %d %s", status, body)
		}
	}
	if n := verified.Load(); n == 24 {
		t.Error("another owner's lists came after all 24 verifications")
	}
	busy.Wait()
}

func readToken(t *testing.T, s *server) string {
	t.Helper()
	file, err := readServerFile(s.home)
	if err != nil {
		t.Fatal(err)
	}
	return file.Token
}
