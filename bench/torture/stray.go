package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// strayRig lets other programs at the files while a server has them open.
var strayRig = rig{
	name: "stray", fault: "F7 stray opens in the process, a stock sqlite3, a second server, then kill -9", rounds: 50, run: strayOpens,
	want: "3 patterns: 0 of 42 messages lost in any round; a second server exits with 1 and says why",
	off:  "no guard", bareRounds: 3,
	bare:   []change{{"internal/cli/database.go", "sqlite.Options{Path:", "sqlite.Options{NoGuard: true, Path:"}},
	fitted: []change{{file: "cmd/hermes/stray.go", text: straySource}},
}

// straySource opens and closes files of the database in the server itself, as a
// library or a careless line might: a POSIX lock is gone when any descriptor of
// its file is closed.
const straySource = `package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func init() {
	come := make(chan os.Signal, 1)
	signal.Notify(come, syscall.SIGUSR1)
	go func() {
		for range come {
			for _, name := range strings.Fields(os.Getenv("TORTURE_STRAY")) {
				if f, err := os.Open(name); err == nil {
					_ = f.Close()
				}
			}
			_ = os.WriteFile(os.Getenv("TORTURE_STRAYED"), nil, 0o600)
		}
	}()
}
`

// strayOpens is the whole rig: every pattern, rounds times.
func strayOpens(ctx context.Context, b *bench, rounds int) (*tally, error) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		return nil, errors.New("it needs the program sqlite3")
	}
	t := &tally{}
	acked, lost, refused, strangers := 0, 0, 0, 0
	for _, suffixes := range [][]string{nil, {""}, {"", "-wal", "-shm"}} {
		for n := range rounds {
			r := &strayRound{b: b}
			if err := r.run(ctx, suffixes, t); err != nil {
				return nil, fmt.Errorf("opens of %q, round %d: %w", suffixes, n+1, err)
			}
			acked, refused = acked+r.acked, refused+r.refused
			if r.stranger {
				strangers++
			}
			lost += max(0, r.acked-r.kept(ctx, t))
			if err := os.RemoveAll(r.s.home); err != nil {
				return nil, err
			}
		}
		b.say("stray: opens of %d files done", len(suffixes))
	}
	t.done = fmt.Sprintf("%d rounds × 3 patterns, %d messages acknowledged, %d second servers", rounds, acked, strangers)
	t.figure = fmt.Sprintf("%d of %d lost, %d refused", lost, acked, refused)
	if lost > 0 || refused > 0 {
		t.miss("%d messages lost, %d refused", lost, refused)
	}
	return t, nil
}

// kept is how many messages are in the file in the end.
func (r *strayRound) kept(ctx context.Context, t *tally) int {
	if err := r.s.settle(ctx, t); err != nil {
		t.miss("%v", err)
	}
	all, err := checkFile(ctx, r.s.file(), t)
	if err != nil {
		t.miss("%v", err)
	}
	return len(all)
}

// strayRound is one server's life.
type strayRound struct {
	b              *bench
	s              *subject
	acked, refused int
	stranger       bool // a second server was turned away
}

// run writes, lets strangers at the files, writes, and kills.
func (r *strayRound) run(ctx context.Context, suffixes []string, t *tally) error {
	var err error
	if r.s, err = r.b.subject("", "HERMES_RESPONDER=recall"); err != nil {
		return err
	}
	mark := filepath.Join(r.s.home, "strayed")
	var names []string
	for _, suffix := range suffixes {
		names = append(names, r.s.file()+suffix)
	}
	r.s.env = append(r.s.env, "TORTURE_STRAYED="+mark, "TORTURE_STRAY="+strings.Join(names, " "))
	if err := r.s.start(ctx); err != nil {
		return err
	}
	defer r.s.kill()
	r.append(ctx, "before")
	if err := r.s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	for range 2000 {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		pause(ctx, 5*time.Millisecond)
	}
	out, err := exec.CommandContext(ctx, "sqlite3", r.s.file(), "SELECT count(*) FROM messages").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(r.acked) {
		t.miss("sqlite3 read %s of %d messages: %v", strings.TrimSpace(string(out)), r.acked, err)
	}
	second := &subject{hermes: r.s.hermes, home: r.s.home, env: r.s.env}
	if err := second.launch(ctx); err != nil {
		return err
	}
	code := second.wait(20 * time.Second)
	if r.stranger = code == 1 && strings.Contains(second.log.String(), "owns this database"); !r.stranger {
		t.miss("a second server ended with %d: %s", code, second.log.String())
	}
	r.append(ctx, "after")
	return nil
}

// append writes 21 messages, three at a time.
func (r *strayRound) append(ctx context.Context, when string) {
	for i := range 7 {
		texts, status, _, err := appendTo(ctx, r.s.addr, "stray", fmt.Sprintf("Number %d %s.", i, when))
		if err != nil || status != 200 {
			r.refused++
			continue
		}
		r.acked += len(texts)
	}
}
