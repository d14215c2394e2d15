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
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, cancel) // a second signal ends the program at once
	os.Exit(cli.Main(ctx, cli.Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}
