//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// person is a person at a terminal in which hermes runs.
type person struct {
	t      *testing.T
	home   string
	cmd    *exec.Cmd
	tty    *os.File
	out    *output
	seen   int // of out, by expect
	exited chan struct{}
}

// sit starts hermes in a terminal of 24 rows and 80 columns.
func sit(t *testing.T, home string, env []string, args ...string) *person {
	t.Helper()
	p := &person{t: t, home: home, out: &output{}, exited: make(chan struct{})}
	p.cmd = command(t, home, append([]string{"TERM=xterm-256color", "TZ=UTC"}, env...), args...)
	var err error
	if p.tty, err = pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		b := make([]byte, 4096)
		for {
			n, err := p.tty.Read(b)
			_, _ = p.out.Write(b[:n])
			if err != nil { // the program has closed its end
				break
			}
		}
		_ = p.cmd.Wait() // how it ended is in its state
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
		_ = p.tty.Close()
		if t.Failed() {
			t.Logf("the terminal showed:\n%q", p.out)
		}
	})
	return p
}

// types sends keys.
func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// expect waits until a text is shown, behind the one expected last.
func (p *person) expect(text string) {
	p.t.Helper()
	eventually(p.t, "the terminal to show "+text, func() bool {
		got := p.out.String()[p.seen:]
		i := strings.Index(got, text)
		if i >= 0 {
			p.seen += i + len(text)
		}
		return i >= 0
	})
}

// says types a line and waits until it was sent.
func (p *person) says(text string) {
	p.t.Helper()
	p.expect("> ")
	p.types(text + "\r")
	p.expect("> \x1b[0m" + text + "\r\n")
}

// leaves expects the end, and returns the last line.
func (p *person) leaves(code int) string {
	p.t.Helper()
	eventually(p.t, "hermes to end", func() bool {
		select {
		case <-p.exited:
			return true
		default:
			return false
		}
	})
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code: got %d, want %d", got, code)
	}
	lines := strings.Split(strings.TrimSpace(p.out.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

var generatedID = regexp.MustCompile(`\d{8}_\d{6}_[0-9a-f]{8}`)

// TestChat is a day with the terminal: tell, leave, come back in every way.
func TestChat(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sit(t, home, nil)
	p.expect("responder   recall, which quotes what it was told")
	p.says("My name is Alex.")
	p.expect(`[recall] Noted: "My name is Alex"`)
	p.expect("learnt My name is Alex")
	p.says("/title Introductions")
	p.expect("Introductions\r\n")
	p.says("/exit")
	last := p.leaves(0)
	id := generatedID.FindString(last)
	if want := "Session " + id + " ended. Go on with: hermes -r " + id; id == "" || !strings.HasSuffix(last, want) {
		t.Fatalf("the last line: got %q, want the session's id and how to go on", last)
	}
	db := database(t, home)
	if got := ask[string](t, db, `SELECT source || ' ' || end_reason FROM sessions`); got != "cli user_exit" {
		t.Errorf("the session: got %q, want one of the terminal that was left", got)
	}
	for _, c := range []struct {
		name  string
		args  []string
		shown string
	}{
		{"continue", []string{"--continue"}, "> My name is Alex."},
		{"continue a chat", []string{"chat", "-c"}, `Noted: "My name is Alex"`},
		{"resume by id", []string{"--resume", id}, "> My name is Alex."},
		{"resume by the beginning of an id", []string{"chat", "-r", id[:len(id)-3]}, "2 earlier messages are not shown here"},
		{"resume by title", []string{"-r", "introductions"}, "4 earlier messages are not shown here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sit(t, home, nil, c.args...)
			p.expect("Resumed " + id + ", Introductions")
			p.expect(c.shown)
			p.says("What is my name?")
			p.expect("your name is Alex")
			p.expect("> ")
			p.types("\x04")
			if last := p.leaves(0); !strings.Contains(last, id) {
				t.Errorf("the last line: got %q, want it to name %s", last, id)
			}
		})
	}
	p = sit(t, home, nil, "-c")
	p.expect("6 earlier messages are not shown here")
	p.expect("> ")
	p.types("\x03")
	p.expect("Ctrl-C again or Ctrl-D leaves")
	p.types("\x03")
	p.leaves(0)
}

// TestChatRemembers begins a second session: the memory is one.
func TestChatRemembers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sit(t, home, nil)
	p.says("My name is Alex.")
	p.expect("Noted")
	p.says("/quit")
	p.leaves(0)
	p = sit(t, home, nil, "chat")
	p.says("What is my name?")
	p.expect("your name is Alex")
	p.says("/exit")
	p.leaves(0)
	p = sit(t, home, nil, "--key", "")
	p.says("What is my name?")
	p.expect("[recall]")
	p.says("/exit")
	p.leaves(0)
	if strings.Contains(p.out.String(), "Alex") {
		t.Error("a session without the key knows what was said under it")
	}
}

// TestChatThroughServer does the same through a running server.
func TestChatThroughServer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := serve(t, home, nil, "--addr", "127.0.0.1:0")
	p := sit(t, home, nil)
	p.expect("through the server at " + s.addr)
	p.says("My name is Alex.")
	p.expect(`Noted: "My name is Alex"`)
	second := sit(t, home, nil)
	second.says("What is my name?")
	second.expect("your name is Alex")
	second.says("/exit")
	second.leaves(0)
	p.says("/exit")
	p.leaves(0)
	s.stop()
}

// TestChatLosesServer stops the server under a chat: the chat says so, leaves the data
// to the next server, and goes on with that one's model.
func TestChatLosesServer(t *testing.T) {
	t.Parallel()
	up := upstreamtest.New(t, upstreamtest.Options{Default: func(*upstreamtest.Request) upstreamtest.Step { return upstreamtest.Step{Text: "The model speaks."} }})
	env := []string{"HERMES_UPSTREAM_URL=" + up.URL + "/v1", "HERMES_MODEL=scripted-model"}
	home := t.TempDir()
	s := serve(t, home, env, "--addr", "127.0.0.1:0")
	p := sit(t, home, nil) // it knows of no model itself
	p.expect("scripted-model, through the server at " + s.addr)
	p.says("Hello?")
	p.expect("The model speaks.")
	s.stop()
	p.says("Are you there?")
	p.expect("has ended. Start it again with")
	if code := command(t, home, nil, "sessions", "list").Run(); code != nil {
		t.Errorf("the data is not free: %v", code)
	}
	next := serve(t, home, env, "--addr", "127.0.0.1:0")
	p.says("And now?")
	p.expect("going on through the one that runs now")
	p.expect("scripted-model, through the server at")
	p.expect("The model speaks.")
	next.stop()
	p.says("/exit")
	if last := p.leaves(0); !strings.Contains(last, "The server has ended") || !strings.Contains(last, "hermes -r ") {
		t.Errorf("last line: got %q", last)
	}
}

// TestChatTwoTerminals opens a second terminal on a home that the first one has
// opened, and goes on there when the first one leaves.
func TestChatTwoTerminals(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := sit(t, home, nil)
	first.expect("opened")
	first.says("My name is Alex.")
	first.expect("Noted")
	second := sit(t, home, nil)
	second.expect("through the server at")
	second.says("What is my name?")
	second.expect("your name is Alex")
	first.says("/exit")
	first.leaves(0)
	second.says("I live in Lisbon.")
	second.expect("the data is opened here now")
	second.expect("Noted")
	third := sit(t, home, nil)
	third.says("Where do I live?")
	third.expect("Lisbon")
	third.says("/exit")
	third.leaves(0)
	second.says("/exit")
	second.leaves(0)
	if exists(filepath.Join(home, "server.json")) {
		t.Error("server.json is left behind")
	}
}

// TestAskAtOnce asks several questions at the same time.
func TestAskAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if out, err := command(t, home, nil, "-q", "My name is Alex.").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if n := ask[int](t, database(t, home), `SELECT count(*) FROM sessions WHERE end_reason = 'user_exit'`); n != 4 {
		t.Errorf("got %d sessions, want 4", n)
	}
}

// TestChatEmpty leaves without a word: nothing is kept of it.
func TestChatEmpty(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sit(t, home, nil)
	p.expect("> ")
	p.types("\x04")
	if last := p.leaves(0); !strings.Contains(last, "Nothing was said in session") {
		t.Errorf("the last line: got %q", last)
	}
	if n := ask[int](t, database(t, home), `SELECT count(*) FROM sessions`); n != 0 {
		t.Errorf("got %d sessions, want none", n)
	}
}

// withModel is the environment for a scripted model.
func withModel(model *upstreamtest.Server) []string {
	return []string{"HERMES_UPSTREAM_URL=" + model.URL + "/v1", "HERMES_MODEL=m"}
}

// TestChatStop stops an answer that does not end, and goes on.
func TestChatStop(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(upstreamtest.Step{Chunks: []string{"Once ", "upon ", "a "}, Between: time.Millisecond, Hang: true}, upstreamtest.Reply("Still **here**."))
	home := t.TempDir()
	p := sit(t, home, withModel(model))
	p.expect("responder   m at " + model.URL)
	p.says("Tell me a story.")
	p.expect("Once upon")
	p.types("\x03")
	p.expect("Stopped. The part that arrived is kept.")
	<-model.Left() // the model was not left talking
	p.says("Are you there?")
	p.expect("Still \x1b[1mhere\x1b[0m.")
	p.says("/exit")
	p.leaves(0)
	stored := rows(t, database(t, home))
	if len(stored) != 4 || stored[1].finish != "cancelled" || !strings.HasPrefix(stored[1].text, "Once upon") {
		t.Errorf("got %+v, want the beginning, marked as cancelled", stored)
	}
}

// TestChatThinks shows that a model is at work until it says something.
func TestChatThinks(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(upstreamtest.Step{Text: "Done.", Hold: hold})
	p := sit(t, t.TempDir(), withModel(model))
	p.says("Think.")
	p.expect("thinking")
	p.types("/exit\r") // typed ahead
	close(hold)
	p.expect("\r\x1b[KDone.")
	p.leaves(0)
}

// lastSaid is the newest user message a model was sent.
func lastSaid(t *testing.T, model *upstreamtest.Server) string {
	t.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(model.Last().Body, &body); err != nil {
		t.Fatal(err)
	}
	for i := len(body.Messages) - 1; i >= 0; i-- {
		if body.Messages[i].Role == "user" {
			return body.Messages[i].Content
		}
	}
	return ""
}

func TestChatManyLines(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{})
	p := sit(t, t.TempDir(), withModel(model))
	p.expect(" · upstream")
	for _, c := range []struct{ name, keys, want string }{
		{"paste", "\x1b[200~one\rtwo\r\nthree\x1b[201~\r", "one\ntwo\nthree"},
		{"backslash", "four\\\rfive\r", "four\nfive"},
		{"alt-enter", "six\x1b\rseven\r", "six\nseven"},
		{"a long paste", "\x1b[200~" + strings.Repeat("line\r", 100) + "end\x1b[201~\r", strings.Repeat("line\n", 100) + "end"},
		{"history", "\x1b[A" + strings.Repeat("\x1b[A", 100) + "\x1b[A\x1b[A\x1b[A!\r", "four\nfive!"},
	} {
		p.types(c.keys)
		arrived(t, model)
		if got := lastSaid(t, model); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		p.expect(" by memory · ")
	}
	p.types("\x04")
	p.leaves(0)
}

// arrived waits until a model has been asked.
func arrived(t *testing.T, model *upstreamtest.Server) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		select {
		case r := <-model.Arrivals():
			if strings.HasSuffix(r.Path, "/chat/completions") {
				return
			}
		case <-deadline.C:
			t.Fatal("the model was never asked")
		}
	}
}

func TestChatCommands(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := sit(t, home, nil)
	p.expect("> ")
	p.types("/sta")
	p.expect("/status")
	p.expect("/state")
	p.types("\t\t\t\r")
	p.expect("Memory block")
	p.says("/stats")
	p.expect("there is no /stats. Did you mean /status or /state?")
	p.says("We use Redis for caching.")
	p.expect("Noted")
	p.says("We dropped Redis because it caused outages.")
	p.expect("[recall]")
	p.says("/why")
	p.expect("answered ")
	p.expect("Facts it was given:")
	p.says("/status")
	p.expect(`session key "me"`)
	p.expect("the whole history would have been")
	p.says("/sessions")
	p.expect("* ")
	p.says("/model")
	p.expect("* hermes")
	p.says("/resume nonesuch")
	p.expect(`There is no session with the id or title "nonesuch".`)
	p.says("/forget Redis")
	p.expect("Would erase")
	p.expect("Erase it for good? [y/N] ")
	p.types("n\r")
	p.expect("Nothing was erased.")
	p.says("/forget Redis")
	p.expect("Erase it for good? [y/N] ")
	p.types("y\r")
	p.expect(`Nothing is left of "Redis".`)
	p.says("/help")
	p.expect("/compress")
	p.says("/exit")
	p.leaves(0)
	history, err := os.ReadFile(filepath.Join(home, "chat_history"))
	if err != nil || strings.Contains(string(history), "We use Redis") || !strings.Contains(string(history), "/status") {
		t.Errorf("the history: got %q, %v, want only what was to be forgotten gone", history, err)
	}
}

// TestChatHostile has a model send what would take a terminal over.
func TestChatHostile(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(upstreamtest.Step{Chunks: []string{"a\x1b", "]52;c;cm0=\a b\x1b[2J\u009b31m", " done"}})
	p := sit(t, t.TempDir(), withModel(model))
	p.says("Hello.")
	p.expect("a␛]52;c;cm0=␇ b␛[2J\ufffd31m done")
	p.says("/exit")
	p.leaves(0)
}

// TestChatNarrow talks in a terminal that gets narrow.
func TestChatNarrow(t *testing.T) {
	t.Parallel()
	model := upstreamtest.New(t, upstreamtest.Options{})
	model.Queue(upstreamtest.Reply(strings.Repeat("words ", 30)+"\n\n| a | b |\n|---|---|\n| one two three | four five six |\n"), upstreamtest.Reply("ok"))
	p := sit(t, t.TempDir(), withModel(model))
	p.expect("> ")
	if err := pty.Setsize(p.tty, &pty.Winsize{Rows: 8, Cols: 20}); err != nil {
		t.Fatal(err)
	}
	p.types("a question that is longer than the line\r")
	p.expect("words words words\r\n")
	p.expect("four")
	p.expect("> ")
	p.types("/exit\r")
	p.leaves(0)
	shown := regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`).ReplaceAllString(p.out.String(), "")
	answer := shown[strings.Index(shown, "words"):strings.LastIndex(shown, "six")]
	for line := range strings.Lines(answer) {
		if n := len([]rune(strings.TrimRight(line, "\r\n"))); n > 20 {
			t.Errorf("%d columns in a terminal of 20: %q", n, line)
		}
	}
}

// TestChatPlain talks without colours, and on a terminal that can do nothing.
func TestChatPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, env string
		never     *regexp.Regexp
	}{
		{"no colours", "NO_COLOR=1", regexp.MustCompile(`\x1b\[[0-9;]*m`)},
		{"dumb", "TERM=dumb", regexp.MustCompile(`\x1b`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := sit(t, t.TempDir(), []string{c.env})
			p.expect("> ")
			p.types("My nane\x7f\x7fme is Alex.\r")
			p.expect(`Noted: "My name is Alex"`)
			p.expect("> ")
			p.types("/exit\r")
			p.leaves(0)
			if got := c.never.FindString(p.out.String()); got != "" {
				t.Errorf("it sent %q", got)
			}
		})
	}
}

// TestChatHungUp closes the window, or asks the program to stop: the session
// ends all the same.
func TestChatHungUp(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := sit(t, home, nil)
			p.says("My name is Alex.")
			p.expect("Noted")
			p.expect("> ")
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			<-p.exited
			if got := ask[string](t, database(t, home), `SELECT end_reason FROM sessions`); got != "user_exit" {
				t.Errorf("the session: got %q, want it ended", got)
			}
		})
	}
}
