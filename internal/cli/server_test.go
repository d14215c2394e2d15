package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a hermes in a process of its own.
type server struct {
	t      *testing.T
	home   string
	addr   string
	cmd    *exec.Cmd
	log    *output
	exited chan struct{} // closed once cmd has been waited for
}

// output gathers what a process prints.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// command is a hermes that knows nothing of this machine but its home.
func command(t *testing.T, home string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), hermes(t), args...)
	cmd.Env = append([]string{"HERMES_HOME=" + home, "HOME=" + home, "HERMES_PROBE=false"}, env...)
	return cmd
}

// launch starts a server without waiting for it.
func launch(t *testing.T, home string, env []string, args ...string) *server {
	t.Helper()
	return launched(t, home, command(t, home, env, append([]string{"serve"}, args...)...))
}

// launched starts the command of a server.
func launched(t *testing.T, home string, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{t: t, home: home, cmd: cmd, log: &output{}, exited: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.exited)
		_ = s.cmd.Wait() // how it ended is in its state
	}()
	t.Cleanup(func() {
		s.kill()
		if _, rest, _ := strings.Cut(s.log.String(), "using again?"); t.Failed() && len(rest) > 100 {
			t.Logf("server's output:\n%s", s.log)
		}
	})
	return s
}

// serve starts a server and waits until it answers.
func serve(t *testing.T, home string, env []string, args ...string) *server {
	t.Helper()
	s := launch(t, home, env, args...)
	s.awaited()
	return s
}

// awaited waits until a server answers.
func (s *server) awaited() {
	t := s.t
	t.Helper()
	eventually(t, "the server to answer", func() bool {
		select {
		case <-s.exited:
			t.Fatalf("the server ended at once:\n%s", s.log)
		default:
		}
		file, err := readServerFile(s.home)
		if err != nil || file.PID != s.cmd.Process.Pid {
			return false
		}
		s.addr = file.Address
		conn, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

type serverFile struct {
	Address string `json:"address"`
	Socket  string `json:"socket"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
}

func readServerFile(home string) (serverFile, error) {
	var f serverFile
	text, err := os.ReadFile(filepath.Join(home, "server.json"))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// eventually polls for a condition, and fails the test when it does not come
// true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// kill ends the process the hard way.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.exited
}

// terminate asks the process to stop.
func (s *server) terminate() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
}

// wait returns the exit code.
func (s *server) wait() int {
	s.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	select {
	case <-s.exited:
	case <-deadline.C:
		s.t.Fatal("the server does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

// stop ends the process the polite way, which must succeed.
func (s *server) stop() {
	s.t.Helper()
	s.terminate()
	if code := s.wait(); code != 0 {
		s.t.Fatalf("exit code: got %d, want 0", code)
	}
}

// chat is a request for a completion.
type chat struct {
	session, text, idempotency string
	stream                     bool
}

// reply is what came back. whole says that the answer arrived to its end.
type reply struct {
	status int
	text   string
	whole  bool
	body   string
}

// callAPI calls the API of a server, which must answer with a status. It returns
// the answer, and reads it into out unless that is nil.
func callAPI(t *testing.T, addr, method, path, body string, want int, out any) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hermes")
	res, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		t.Fatalf("%s %s: got %d %s, %v", method, path, res.StatusCode, text, err)
	}
	if out == nil {
		return string(text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("%s %s: got %s, %v", method, path, text, err)
	}
	return string(text)
}

// send makes a request; an error means that the connection failed.
func (c chat) send(ctx context.Context, client *http.Client, addr string) (reply, error) {
	body, err := json.Marshal(map[string]any{
		"model": "hermes", "stream": c.stream, "messages": []map[string]string{{"role": "user", "content": c.text}},
	})
	if err != nil {
		return reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Authorization", "Bearer hermes")
	req.Header.Set("X-Hermes-Session-Id", c.session)
	if c.idempotency != "" {
		req.Header.Set("Idempotency-Key", c.idempotency)
	}
	res, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	r := reply{status: res.StatusCode, body: string(text)}
	if err != nil {
		return r, err
	}
	if c.stream && res.StatusCode == http.StatusOK {
		r.readStream()
	} else if res.StatusCode == http.StatusOK {
		var whole struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal(text, &whole); err != nil {
			return r, err
		}
		r.text, r.whole = whole.Choices[0].Message.Content, true
	}
	return r, nil
}

// readStream puts the pieces of a stream together.
func (r *reply) readStream() {
	for line := range strings.Lines(r.body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			r.whole = true
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
			r.text += chunk.Choices[0].Delta.Content
		}
	}
}

// newClient is a client whose connections end with the test.
func newClient(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// say makes a request that must be answered.
func (s *server) say(session, text string) string {
	s.t.Helper()
	r, err := chat{session: session, text: text}.send(s.t.Context(), newClient(s.t), s.addr)
	if err != nil || !r.whole {
		s.t.Fatalf("say %q: got %d, %v: %s", text, r.status, err, r.body)
	}
	return r.text
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
