package cli

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHealth asks servers in every state, as a container's health check does: the exit
// code tells.
func TestHealth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		body, want string
		code       int
	}{
		"ready":           {200, `{"status":"ready"}`, "ready http://", exitOK},
		"disk full":       {503, `{"status":"unavailable","reason":"disk_full"}`, "takes no requests now: disk_full", exitFailed},
		"stopping":        {503, `{"status":"unavailable"}`, "it is starting or stopping", exitFailed},
		"another program": {200, `<html>`, "Another program answers", exitFailed},
		"no such path":    {404, `{"error":"page not found"}`, "Another program answers", exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" || r.Header.Get("Authorization") != "" {
					t.Errorf("asked for %s with authorization %q", r.URL.Path, r.Header.Get("Authorization"))
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer web.Close()
			out, code := askHealth(t, strings.TrimPrefix(web.URL, "http://"))
			if code != c.code || !strings.Contains(out, c.want) {
				t.Errorf("got exit code %d and %q, want %d and %q", code, out, c.code, c.want)
			}
		})
	}
}

// TestHealthWithoutServer asks where nobody listens.
func TestHealthWithoutServer(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	out, code := askHealth(t, strings.TrimPrefix(web.URL, "http://"))
	if code != exitFailed || !strings.Contains(out, "No server answers at "+web.URL) {
		t.Errorf("got exit code %d and %q", code, out)
	}
}

// TestHealthOfAnotherProtocol asks a program that greets as SSH does, and one that hangs up.
func TestHealthOfAnotherProtocol(t *testing.T) {
	t.Parallel()
	for name, greeting := range map[string]string{"ssh": "SSH-2.0-OpenSSH_9.6\r\n", "ftp": "220 ready\r\n", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte(greeting))
					_ = conn.Close()
				}
			}()
			out, code := askHealth(t, l.Addr().String())
			_ = l.Close()
			<-ended
			if code != exitFailed || !strings.Contains(out, "is another program") || !strings.Contains(out, "hermes health --addr HOST:PORT") ||
				strings.Contains(out, "Start it") {
				t.Errorf("got exit code %d and %q", code, out)
			}
		})
	}
}

func askHealth(t *testing.T, addr string) (out string, code int) {
	t.Helper()
	var both bytes.Buffer
	home := t.TempDir()
	code = Main(t.Context(), Process{
		Args: []string{"health", "--addr", addr}, Stdin: strings.NewReader(""), Stdout: &both, Stderr: &both,
		Getenv: func(name string) string { return map[string]string{"HERMES_HOME": home}[name] },
	})
	return both.String(), code
}
