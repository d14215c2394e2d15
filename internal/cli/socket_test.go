package cli_test

import (
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSocket: a server listens on a socket file that is this account's alone, also
// where the path of the home is longer than that of a socket may be, and after a
// server was killed.
func TestSocket(t *testing.T) {
	t.Parallel()
	for _, home := range []string{
		filepath.Join(shortDir(t), "h"),
		filepath.Join(t.TempDir(), strings.Repeat("a-home-with-a-long-name/", 6), "home"),
	} {
		for range 2 {
			s := serve(t, home, nil, "--addr", "127.0.0.1:0")
			path := socketOf(t, home)
			info, err := os.Stat(path)
			if err != nil || info.Mode()&fs.ModeSocket == 0 || info.Mode().Perm() != 0o600 {
				t.Fatalf("%s: got %v, %v, want a socket of mode 0600", path, info, err)
			}
			if dir, err := os.Stat(filepath.Dir(path)); err != nil || dir.Mode().Perm() != 0o700 {
				t.Errorf("its directory: got %v, %v, want mode 0700", dir, err)
			}
			ownOutput(t, home, "keys", "list")
			s.kill() // its socket is left behind
		}
		s := serve(t, home, nil, "--addr", "127.0.0.1:0")
		path := socketOf(t, home)
		if s.stop(); exists(path) || exists(filepath.Join(home, "hermes.sock")) {
			t.Errorf("%s is still there after a stop", path)
		}
	}
	home := filepath.Join(shortDir(t), "h")
	if err := os.MkdirAll(filepath.Join(home, "hermes.sock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if s := launch(t, home, nil, "--addr", "127.0.0.1:0"); s.wait() != 1 || !strings.Contains(s.log.String(), "is no socket") {
		t.Errorf("got %q, want it to say what is in its place", s.log)
	}
}

// TestTokenStaysHere: the command line gives its token, and what it is told, to the
// server of the home only. It is not sent to a program that took the port of a server that
// was killed, and goes by the socket where there is one.
func TestTokenStaysHere(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	thief := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		_, _ = w.Write([]byte(`{"object":"list","data":[]}`))
	})
	steal := func(addr string) (at string) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: thief, ReadHeaderTimeout: time.Second}
		done := make(chan struct{})
		go func() { defer close(done); _ = srv.Serve(l) }()
		t.Cleanup(func() { _ = srv.Close(); <-done })
		return l.Addr().String()
	}
	home := filepath.Join(shortDir(t), "h")
	s := serve(t, home, nil, "--addr", "127.0.0.1:0")
	other := steal("127.0.0.1:0")
	file := filepath.Join(home, "server.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), s.addr, other)), 0o600); err != nil {
		t.Fatal(err)
	}
	ownOutput(t, home, "keys", "list")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s.kill()
	steal(s.addr)
	ownOutput(t, home, "keys", "list")
	ownOutput(t, home, "-q", "My hobby is chess.")
	if got := seen.Load(); got != 0 {
		t.Errorf("got %d requests of the command line at another program, want none", got)
	}
}

// ownOutput runs a command that must succeed.
func ownOutput(t *testing.T, home string, args ...string) string {
	t.Helper()
	out, err := command(t, home, nil, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("hermes %v: %v: %s", args, err, out)
	}
	return string(out)
}

func socketOf(t *testing.T, home string) string {
	t.Helper()
	file, err := readServerFile(home)
	if err != nil || file.Socket == "" {
		t.Fatalf("server.json: got %+v, %v, want a socket", file, err)
	}
	return file.Socket
}

// shortDir is a temporary directory whose name leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") //nolint:usetesting // a directory of the test bears the test's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
