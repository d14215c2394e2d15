package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// TestServerFile looks at server.json: it holds a token.
func TestServerFile(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "deep", "home")
	s := serve(t, home, nil, "--addr", "127.0.0.1:0")
	path := filepath.Join(home, "server.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("server.json: got %v (%v), want mode 0600", info, err)
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("home: got %v (%v), want mode 0700", info, err)
	}
	if file, err := readServerFile(home); err != nil || len(file.Token) < 32 {
		t.Errorf("token: got %d characters (%v), want a long one", len(file.Token), err)
	}
	if strings.Contains(s.log.String(), mustToken(t, home)) {
		t.Error("the token is printed")
	}
	s.stop()
	if exists(path) {
		t.Error("server.json is still there after a stop")
	}
	again := serve(t, home, nil, "--addr", "127.0.0.1:0")
	again.kill()
	if !exists(path) {
		t.Fatal("the test itself: a killed server leaves its file")
	}
	serve(t, home, nil, "--addr", "127.0.0.1:0").stop() // a left-over file is no obstacle
}

func mustToken(t *testing.T, home string) string {
	t.Helper()
	file, err := readServerFile(home)
	if err != nil {
		t.Fatal(err)
	}
	return file.Token
}

// TestSecondServer starts two servers on one home.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := serve(t, home, nil, "--addr", "127.0.0.1:0")
	second := launch(t, home, nil, "--addr", "127.0.0.1:0")
	if code := second.wait(); code != 1 {
		t.Errorf("exit code: got %d, want 1", code)
	}
	if got := second.log.String(); !strings.Contains(got, fmt.Sprintf("Another hermes (process %d) owns this database", first.cmd.Process.Pid)) {
		t.Errorf("got %q, want it to say why", got)
	}
	first.say("s", "My name is Alex.")
	if file, err := readServerFile(home); err != nil || file.PID != first.cmd.Process.Pid {
		t.Errorf("server.json: got %+v, %v, want it to be the first one's", file, err)
	}
	first.stop()
}

// TestAddressTaken starts two servers on one address.
func TestAddressTaken(t *testing.T) {
	t.Parallel()
	first := serve(t, t.TempDir(), nil, "--addr", "127.0.0.1:0")
	second := launch(t, t.TempDir(), nil, "--addr", first.addr)
	if code := second.wait(); code != 1 {
		t.Errorf("exit code: got %d, want 1", code)
	}
	if got := second.log.String(); !strings.Contains(got, "Another program listens on "+first.addr) {
		t.Errorf("got %q, want it to say why", got)
	}
}

func TestPublicBind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want string // what it says; "" when it must start
	}{
		{"without a key", nil, []string{"--addr", "0.0.0.0:0"}, "no API key is set"},
		{"on every interface", nil, []string{"--addr", ":0"}, "no API key is set"},
		{"on every IPv6 interface", nil, []string{"--addr", "[::]:0"}, "no API key is set"},
		{"by the environment", []string{"API_SERVER_HOST=0.0.0.0", "API_SERVER_PORT=" + "0"}, nil, "no API key is set"},
		{"with a short key", []string{"API_SERVER_KEY=hermes"}, []string{"--addr", "0.0.0.0:0"}, "at least 16 characters"},
		{"with a placeholder", []string{"API_SERVER_KEY=changeme-changeme"}, []string{"--addr", "0.0.0.0:0"}, "placeholder"},
		{"without authentication", nil, []string{"--addr", "0.0.0.0:0", "--no-auth"}, "--no-auth is for this machine only"},
		{"with a key", []string{"API_SERVER_KEY=0123456789abcdef0123"}, []string{"--addr", "0.0.0.0:0"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if len(c.args) == 0 { // the usual port may be taken on this machine
				c.env[1] = "API_SERVER_PORT=" + freePort(t)
			}
			if c.want == "" {
				s := serve(t, home, c.env, c.args...)
				if strings.Contains(s.log.String(), "development key") {
					t.Errorf("got %q, want no development key on a public address", s.log)
				}
				s.stop()
				return
			}
			s := launch(t, home, c.env, c.args...)
			if code := s.wait(); code != 1 {
				t.Errorf("exit code: got %d, want 1", code)
			}
			if got := s.log.String(); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want it to say %q", got, c.want)
			}
			if exists(filepath.Join(home, "server.json")) {
				t.Error("a server that refused to start left server.json")
			}
		})
	}
}

// slow starts a server in front of a model whose stream waits for the test.
func slow(t *testing.T, grace string, step upstreamtest.Step) (*server, *upstreamtest.Server, <-chan reply) {
	t.Helper()
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(step)
	env := []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m"}
	s := serve(t, t.TempDir(), env, "--addr", "127.0.0.1:0", "--grace", grace)
	done := make(chan reply, 1)
	client := newClient(t)
	go func() {
		r, _ := chat{session: "s", text: "Tell me a long story.", stream: true}.send(context.Background(), client, s.addr)
		done <- r // a cut connection shows in what came
	}()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	select {
	case <-model.Arrivals():
	case <-deadline.C:
		t.Fatal("the model was never asked")
	}
	return s, model, done
}

// TestStopFinishesTurn stops a server in the middle of a stream: the turn gets
// its time, while new ones are refused.
func TestStopFinishesTurn(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	s, _, done := slow(t, "20s", upstreamtest.Step{Chunks: []string{"Once ", "upon ", "a time."}, Next: next})
	next <- struct{}{}
	s.terminate()
	eventually(t, "the server to stop", func() bool { return strings.Contains(s.log.String(), "stopping") })
	if r, err := (chat{session: "other", text: "hello"}).send(t.Context(), newClient(t), s.addr); err == nil && r.status == 200 {
		t.Errorf("a new turn while stopping: got %d, want it refused", r.status)
	}
	close(next)
	r := <-done
	if !r.whole || r.text != "Once upon a time." {
		t.Errorf("the turn under way: got %q, whole %v, want all of it", r.text, r.whole)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	db := database(t, s.home)
	checkFile(t, db)
	want := []row{
		{root: "s", role: "user", text: "Tell me a long story."},
		{root: "s", seq: 1, role: "assistant", text: "Once upon a time.", finish: "stop"},
	}
	sameRows(t, rows(t, db), want)
}

// TestStopCutsTurn stops a server whose turn does not end: after the grace what
// arrived is kept, marked as cut off.
func TestStopCutsTurn(t *testing.T) {
	t.Parallel()
	s, model, done := slow(t, "300ms", upstreamtest.Step{Chunks: []string{"Once ", "upon "}, Between: time.Millisecond, Hang: true})
	db := database(t, s.home)
	eventually(t, "the question to be stored", func() bool { return ask[int](t, db, `SELECT count(*) FROM messages`) == 1 })
	begun := time.Now()
	s.terminate()
	if code := s.wait(); code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	if took := time.Since(begun); took < 300*time.Millisecond || took > 10*time.Second {
		t.Errorf("the stop took %v, want the grace of 300 ms and little more", took)
	}
	if r := <-done; r.whole {
		t.Errorf("the client saw an end: %q", r.body)
	}
	<-model.Left() // the model was not left talking
	checkFile(t, db)
	stored := rows(t, db)
	if len(stored) != 2 || stored[1].finish != "cancelled" || !strings.HasPrefix("Once upon ", stored[1].text) {
		t.Errorf("got %+v, want the beginning, marked as cancelled", stored)
	}
}

func sameRows(t *testing.T, got, want []row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got messages %+v, want %+v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("message %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestKnowsAfterKill asks, without any model, for what was told before a crash.
func TestKnowsAfterKill(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := serve(t, home, nil, "--addr", "127.0.0.1:0")
	s.say("demo", "My name is Alex. I'm building a distributed cache in Rust.")
	s.kill()
	s = serve(t, home, nil, "--addr", "127.0.0.1:0")
	if got := s.say("demo", "What tech stack are we using again?"); !strings.Contains(got, "distributed cache in Rust") {
		t.Errorf("after a crash: got %q, want what was told", got)
	}
	s.stop()
}

// TestHomeInUse: a server whose home another program has open for a moment says which one, waits,
// and serves then.
func TestHomeInUse(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	release, err := sqlite.Hold(filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	s := launch(t, home, nil, "--addr", "127.0.0.1:0")
	eventually(t, "the server to wait", func() bool {
		return strings.Contains(s.log.String(), fmt.Sprintf("Another hermes (process %d) owns this database", os.Getpid()))
	})
	if err := release(); err != nil {
		t.Fatal(err)
	}
	s.awaited()
	s.stop()
}

// TestCommandsAtOnce: a command whose home another one has open for a moment waits, and does its
// work then.
func TestCommandsAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := command(t, home, nil, "sessions", "list") // builds the program
	release, err := sqlite.Hold(filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	free := time.AfterFunc(3*time.Second, func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	defer free.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("hermes sessions list: %v, %s", err, out)
	}
}
