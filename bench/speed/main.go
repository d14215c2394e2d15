// Command speed measures what a turn costs: start, memory, CPU, latency,
// throughput, first token, and how all of it grows with a session. It starts
// the built server and a scripted upstream of no delay itself, and measures the
// upstream alone in the same run, so that figures can be quoted as ratios.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "serve" { // started by the measurement of that name
		fmt.Fprintln(os.Stderr, "speed:", runRelay(os.Args[3]))
		os.Exit(1)
	}
	binary := flag.String("hermes", "", "the server to measure; empty builds it")
	quick := flag.Bool("quick", false, "a tenth of the work: to see that it runs")
	only := flag.String("only", "", "the measurements to run, with commas between: "+names()+
		"; those after memory run only when they are named")
	plots := flag.String("plots", "", "the directory for pictures of growth; empty draws none")
	homes := flag.String("home", "", "a directory that keeps filled homes (5 GB) for the next run; empty it when the schema of the database has changed")
	cgroup := flag.String("cgroup", "", "a writable memory cgroup, in which limit makes its own; empty limits by ulimit -v")
	check := flag.Bool("check", false, "exit with 1 if a figure misses its bar")
	flag.Parse()
	b := &bench{binary: *binary, plots: *plots, homes: *homes, cgroup: *cgroup}
	err := measure(context.Background(), b, *only, *quick)
	if err == nil && *check && b.missed > 0 {
		err = fmt.Errorf("%d of %d bars missed", b.missed, b.bars)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// measurement is a part of a run that has a name.
type measurement struct {
	name  string
	run   func(*bench, context.Context) error
	asked bool // runs only when it is named, because it takes minutes or gigabytes
}

func measurements() []measurement {
	return []measurement{
		{"start", (*bench).start, false},
		{"turn", (*bench).turn, false},
		{"load", (*bench).load, false},
		{"relay", (*bench).relay, false},
		{"token", (*bench).token, false},
		{"streams", (*bench).streams, false},
		{"open", (*bench).open, false},
		{"growth", (*bench).growth, false},
		{"memory", (*bench).memory, false},
		{"import", (*bench).imports, true},
		{"cold", (*bench).cold, true},
		{"many", (*bench).many, true},
		{"limit", (*bench).limit, true},
		{"stores", (*bench).stores, true},
	}
}

func names() string {
	var all []string
	for _, m := range measurements() {
		all = append(all, m.name)
	}
	return strings.Join(all, ", ")
}

// row is one line of the table. The verdict is empty for a figure without a bar.
type row struct{ name, figure, aim, verdict string }

// bench is one run of the measurements.
type bench struct {
	dir      string
	plots    string // where pictures go; "" for nowhere
	homes    string // where filled homes are kept; "" for nowhere
	cgroup   string // the parent of limit's memory cgroup; "" for none
	binary   string
	scale    int // divides the amount of work
	upstream *upstream
	rows     []row
	bars     int
	missed   int      // of the bars
	rooms    []string // cgroups that were made
	failed   error    // to draw
}

func (b *bench) add(name, aim, format string, args ...any) {
	b.note(row{name: name, aim: aim, figure: fmt.Sprintf(format, args...)})
}

// bar adds a figure whose aim is checked.
func (b *bench) bar(name, aim string, held bool, format string, args ...any) {
	b.bars++
	verdict := "held"
	if !held {
		verdict = "**missed**"
		b.missed++
	}
	b.note(row{name: name, aim: aim, figure: fmt.Sprintf(format, args...), verdict: verdict})
}

func (b *bench) note(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%-44s %s %s\n", r.name, r.figure, r.verdict)
}

func measure(ctx context.Context, b *bench, only string, quick bool) error {
	dir, err := os.MkdirTemp("", "hermes-speed-")
	if err != nil {
		return fmt.Errorf("make a place to work: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b.dir, b.scale = dir, 1
	if quick {
		b.scale = 10
	}
	if b.binary == "" {
		b.binary = filepath.Join(dir, "hermes")
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.binary, "./cmd/hermes")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	if b.upstream, err = startUpstream(); err != nil {
		return err
	}
	defer b.upstream.close()
	defer func() {
		for _, dir := range b.rooms {
			_ = os.Remove(dir) // the servers in it have ended
		}
	}()
	for _, m := range measurements() {
		if (only == "" && !m.asked) || slices.Contains(strings.Split(only, ","), m.name) {
			if err := m.run(b, ctx); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
	}
	b.print()
	return b.failed
}

// plot draws a picture, if pictures are wanted.
func (b *bench) plot(name string, p plot) {
	if b.plots != "" {
		err := os.WriteFile(filepath.Join(b.plots, "growth-"+name+".svg"), []byte(p.draw()), 0o644)
		b.failed = errors.Join(b.failed, err)
	}
}

func (b *bench) print() {
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		runtime.Version())
	fmt.Println("| measured | figure | aim | |")
	fmt.Println("|---|---|---|---|")
	for _, r := range b.rows {
		fmt.Printf("| %s | %s | %s | %s |\n", r.name, r.figure, r.aim, r.verdict)
	}
}
