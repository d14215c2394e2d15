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
	"time"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "serve" { // started by the measurement of that name
		fmt.Fprintln(os.Stderr, "speed:", runRelay(os.Args[3]))
		os.Exit(1)
	}
	binary := flag.String("hermes", "", "the server to measure; empty builds it")
	quick := flag.Bool("quick", false, "a tenth of the work: to see that it runs")
	only := flag.String("only", "", "run one measurement: start, turn, load, relay, token, streams, open, growth, memory")
	plots := flag.String("plots", "", "the directory for pictures of growth; empty draws none")
	flag.Parse()
	if err := measure(context.Background(), &bench{binary: *binary, plots: *plots}, *only, *quick); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

// row is one line of the table.
type row struct{ name, figure, aim string }

// bench is one run of the measurements.
type bench struct {
	dir      string
	plots    string // where pictures go; "" for nowhere
	binary   string
	scale    int // divides the amount of work
	upstream *upstream
	rows     []row
	failed   error // to draw
}

func (b *bench) add(name, aim, format string, args ...any) {
	r := row{name: name, aim: aim, figure: fmt.Sprintf(format, args...)}
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%-44s %s\n", r.name, r.figure)
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
	for _, m := range []struct {
		name string
		run  func(*bench, context.Context) error
	}{
		{"start", (*bench).start},
		{"turn", (*bench).turn},
		{"load", (*bench).load},
		{"relay", (*bench).relay},
		{"token", (*bench).token},
		{"streams", (*bench).streams},
		{"open", (*bench).open},
		{"growth", (*bench).growth},
		{"memory", (*bench).memory},
	} {
		if only == "" || only == m.name {
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
	fmt.Println("| measured | figure | aim |")
	fmt.Println("|---|---|---|")
	for _, r := range b.rows {
		fmt.Printf("| %s | %s | %s |\n", r.name, r.figure, r.aim)
	}
}
