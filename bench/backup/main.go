// Command backup measures backups of a running server: whether each is whole under writes,
// and what a backup of a large home costs.
//
//	go run ./bench/backup -hermes bin/hermes whole   20 backups under 500 writes a second
//	go run ./bench/backup -hermes bin/hermes large   1 GiB: turns meanwhile, the backup, the restoring
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/hermes-memory/hermes/bench/served"
)

// options are the flags.
type options struct {
	hermes string
	rounds int
	rate   int
	size   int64 // MiB
	dir    string
}

func main() {
	o := options{}
	flag.StringVar(&o.hermes, "hermes", "bin/hermes", "the program")
	flag.IntVar(&o.rounds, "rounds", 20, "backups under writes")
	flag.IntVar(&o.rate, "rate", 500, "writes a second")
	flag.Int64Var(&o.size, "size", 1024, "size of the large home, in MiB")
	flag.StringVar(&o.dir, "dir", "", "where the homes are made; default: a temporary directory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "backup:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, what string) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "hermes-backup-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	switch what {
	case "whole":
		return o.whole(ctx)
	case "large":
		return o.large(ctx)
	}
	return fmt.Errorf("say whole or large, got %q", what)
}

// command runs hermes on a home.
func (o *options) command(ctx context.Context, home string, args ...string) error {
	_, err := served.Command(ctx, o.hermes, home, args)
	return err
}
