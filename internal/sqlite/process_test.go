package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hermes-memory/hermes/internal/fault"
)

// A second process is this test binary, started again with a role to play.
const (
	roleVariable = "HERMES_SQLITE_TEST_ROLE"
	pathVariable = "HERMES_SQLITE_TEST_PATH"
)

// The roles.
const (
	roleOwner     = "owner"     // opens the database and obeys commands
	roleUnguarded = "unguarded" // the same without the guard
	roleReader    = "reader"    // reads the file as any SQLite program would
)

// playRole is the second process.
func playRole(role, path string) int {
	unix.Umask(0) // so that nothing but the program makes its files private
	var err error
	switch role {
	case roleReader:
		err = readAsStranger(path)
	default:
		err = obey(path, role == roleUnguarded)
	}
	if err != nil {
		fmt.Printf("%s: %v\n", fault.KindOf(err), err)
		return 1
	}
	return 0
}

// readAsStranger counts the messages and goes.
func readAsStranger(path string) error {
	u := url.URL{Scheme: "file", Path: path}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM messages`).Scan(&n); err != nil {
		return err
	}
	fmt.Println(n)
	return db.Close()
}

// obey opens the database and carries out one command a line: "write FROM N"
// stores messages, "stray" opens and closes the files once, "limit" lets no
// file grow any more, "pieces" replaces the piece of a scope until the process is killed,
// with a line for each. Every other command is acknowledged with a line.
func obey(path string, unguarded bool) error {
	ctx := context.Background()
	db, err := Open(ctx, Options{Path: path, Log: quiet(), NoGuard: unguarded})
	if err != nil {
		return err
	}
	fmt.Println("open")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var from, n int64
		switch _, err = fmt.Sscanf(in.Text(), "write %d %d", &from, &n); {
		case err == nil:
			err = writingTo(ctx, db, "s", from, numbered(int(n))...)
		case in.Text() == "stray":
			err = stray(path, path+"-wal", path+"-shm")
		case in.Text() == "limit":
			err = limitFiles(path + "-wal")
		case in.Text() == "pieces":
			err = replacePieces(ctx, db)
		case in.Text() == "ready":
			err = db.Ready()
		}
		fmt.Printf("%s\n", append([]byte(fault.KindOf(err)), '.'))
	}
	return db.Close()
}

// stray opens and closes files, as a backup or a curious library might. In
// this process that drops every POSIX lock SQLite holds on them.
func stray(paths ...string) error {
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// limitFiles makes every write beyond the size of the file fail, which SQLite
// sees as an error of the disk.
func limitFiles(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	size := uint64(info.Size())
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size})
}

// process is a running second process.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts a role and waits until it has opened the database.
func start(t *testing.T, role, path string) *process {
	t.Helper()
	p := begin(t, role, path)
	if got := p.line(); got != "open" {
		t.Fatalf("second process: got %q, want it to open the database", got)
	}
	return p
}

// begin starts a role.
func begin(t *testing.T, role, path string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.CommandContext(t.Context(), self)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// line is the process's next line of output.
func (p *process) line() string {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("second process ended: %v", p.out.Err())
	}
	return p.out.Text()
}

// do has a command carried out and returns the kind of its failure.
func (p *process) do(format string, args ...any) fault.Kind {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatalf("second process: %v", err)
	}
	return fault.Kind(strings.TrimSuffix(p.line(), "."))
}

// kill ends the process the hard way.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
}

// end lets the process close the database and go.
func (p *process) end() {
	p.t.Helper()
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("second process: %v", err)
	}
}

// strangers are the programs that may read the file while it is ours: this
// binary with the bare driver, and a stock sqlite3 where there is one.
func strangers(t *testing.T) map[string]func(t *testing.T, path string) string {
	t.Helper()
	all := map[string]func(*testing.T, string) string{
		"the bare driver": func(t *testing.T, path string) string {
			t.Helper()
			p := begin(t, roleReader, path)
			got := p.line()
			p.end()
			return got
		},
	}
	stock, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("there is no stock sqlite3 here; the bare driver stands for it")
		return all
	}
	all["stock sqlite3"] = func(t *testing.T, path string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), stock, path, "SELECT count(*) FROM messages").CombinedOutput()
		if err != nil {
			t.Fatalf("sqlite3: %v\n%s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	return all
}
