// Command hermes gives any OpenAI-compatible client a memory.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hermes-memory/hermes/internal/cli"
)

func main() {
	ctx, cancel := interruptible(context.Background())
	context.AfterFunc(ctx, cancel) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}

// interruptible returns a context that ends with the first signal to stop. A hangup is one, unless the program
// was started by nohup. A second hangup is left out: a terminal that is closed may send one, and its shell
// another.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stops = append(stops, syscall.SIGHUP)
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, stops...)
}
