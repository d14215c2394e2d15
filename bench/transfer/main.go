// Command transfer measures `hermes import` of a large export against `hermes sessions import`
// of the same messages: rate, and memory of the command and of the server above idle. In every second
// round the other one begins, because a machine that becomes slower would decide otherwise.
//
//	go run ./bench/transfer -hermes bin/hermes                     200,000 messages, two rounds
//	go run ./bench/transfer -hermes bin/hermes -size 1024 -rounds 1   1 GiB of text in one line
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/bench/served"
)

// maxMemory is how much memory an import may need above the idle server, in MiB.
const maxMemory = 128

// options are the flags.
type options struct {
	hermes   string
	messages int
	size     int64 // MiB
	rounds   int
	dir      string
	check    bool
}

func main() {
	o := options{}
	flag.StringVar(&o.hermes, "hermes", "bin/hermes", "the program")
	flag.IntVar(&o.messages, "messages", 200_000, "messages of the export")
	flag.Int64Var(&o.size, "size", 0, "size of the export, which is one line, in MiB; 0 for messages of usual length")
	flag.IntVar(&o.rounds, "rounds", 2, "how often both are measured")
	flag.StringVar(&o.dir, "dir", "", "where the homes are made; default: a temporary directory")
	flag.BoolVar(&o.check, "check", false, "exit with 1 if an aim is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "transfer:", err)
		os.Exit(1)
	}
}

// run imports an export into one server, and what that server exports into another one.
func (o *options) run(ctx context.Context) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "hermes-transfer-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	export, archive := filepath.Join(o.dir, "conversations.json"), filepath.Join(o.dir, "archive.jsonl")
	if err := writeExport(export, o.messages, o.size<<20); err != nil {
		return err
	}
	// The archive is made of what the first import has stored, so that the first round begins with it.
	kinds := []*kind{
		{name: "import", args: []string{"import", export}, after: []string{"sessions", "export", archive}},
		{name: "sessions import", args: []string{"sessions", "import", archive}},
	}
	for round := range o.rounds {
		for i := range kinds {
			k := kinds[(round+i)%len(kinds)]
			c, err := o.measure(ctx, filepath.Join(o.dir, fmt.Sprintf("%d-%d", round, i)), k.args, k.after)
			if err != nil {
				return err
			}
			c.print(k.name, o.messages)
			k.after = nil
			k.all.took += c.took
			k.all.cpu += c.cpu
			k.all.command, k.all.server = max(k.all.command, c.command), max(k.all.server, c.server)
		}
	}
	theirs, ours := &kinds[0].all, &kinds[1].all
	if o.rounds > 1 {
		fmt.Println("all rounds:")
		theirs.print(kinds[0].name, o.rounds*o.messages)
		ours.print(kinds[1].name, o.rounds*o.messages)
	}
	slow, large := theirs.took > ours.took, max(theirs.command, theirs.server) > maxMemory
	if o.check && (slow || large) {
		return fmt.Errorf("an aim is missed: slower than sessions import: %t, more than %d MiB above idle: %t", slow, maxMemory, large)
	}
	return nil
}

// kind is one of the two ways to import.
type kind struct {
	name        string
	args, after []string // commands; after is not measured, and runs once
	all         cost     // of all rounds: sums, and the largest memory
}

// cost is what an import took.
type cost struct {
	took            time.Duration
	command, server float64 // MiB; of the server, above idle
	cpu             time.Duration
}

func (c *cost) print(name string, messages int) {
	fmt.Printf("%-16s %7.1f s  %6.0f messages/s  command %4.0f MiB  server %4.0f MiB above idle, %.1f s of CPU\n",
		name, c.took.Seconds(), float64(messages)/c.took.Seconds(), c.command, c.server, c.cpu.Seconds())
}

// measure runs a command against a new server, and after it another one that is not measured.
func (o *options) measure(ctx context.Context, home string, args, after []string) (*cost, error) {
	server, err := served.Start(ctx, o.hermes, home, "", "HERMES_PROBE=false")
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	if err := server.Quiet(ctx); err != nil {
		return nil, err
	}
	idle, cpu, begun := server.Memory(), server.CPU(), time.Now()
	peak, err := o.command(ctx, home, args)
	if err != nil {
		return nil, err
	}
	c := &cost{took: time.Since(begun), command: peak}
	if err := server.Quiet(ctx); err != nil { // what the import leaves to background work counts, too
		return nil, err
	}
	c.server, c.cpu = server.Peak()-idle, server.CPU()-cpu
	if after != nil {
		_, err = o.command(ctx, home, after)
	}
	return c, err
}

// command runs hermes on a home, and returns the largest memory that it had, in MiB.
func (o *options) command(ctx context.Context, home string, args []string) (float64, error) {
	ended, err := served.Command(ctx, o.hermes, home, args, "TMPDIR="+o.dir)
	if err != nil {
		return 0, err
	}
	return peakOf(ended), nil
}
