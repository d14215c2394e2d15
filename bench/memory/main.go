// Command memory measures what memory keeps and finds. Each table is a
// subcommand; "-h" behind it lists its flags.
//
//	go run ./bench/memory retention                  what of a long conversation the state keeps
//	go run ./bench/memory locomo -data locomo.json   which turns ranking finds for LoCoMo's questions
//	go run ./bench/memory rounds                     how the built-in responder answers
//	go run ./bench/memory report                     all of memory on text by another hand (make memory-report)
//	go run ./bench/memory kept                       what of lives in chat messages distillation keeps
//	go run ./bench/memory fit-NAME -out weights.txt  the weights of a fitted model (fitting.go lists them)
//	go run ./bench/memory fit-ranking -locomo FILE   fits the weights of ranking
//	go run ./bench/memory judge -data locomo.json    answers of a model through a server, rated by a model
//
// The same data and seed give the same tables on every machine, but for times
// and what a model says. LoCoMo (Maharana et al., 2024) is licensed CC BY-NC 4.0
// and is read from where it lies; the project holds no copy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// table is a subcommand: its flags are set up first, then it is run.
type table struct {
	name string
	make func(*flag.FlagSet) func(context.Context, io.Writer) error
}

func tables() []table {
	out := []table{
		{"report", memoryReport}, {"probe", probeOne}, {"retention", retention}, {"locomo", locomo}, {"rounds", rounds},
		{"links", links}, {"kept", kept}, {"judge", judge}, {"fit-ranking", fitRanking},
	}
	for _, f := range fittings() {
		out = append(out, f.table())
	}
	return out
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runTable(ctx, os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "memory:", err)
		stop()
		os.Exit(1)
	}
}

// runTable prints the table that the arguments name.
func runTable(ctx context.Context, w io.Writer, args []string) error {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
		if len(args) > 0 && args[0] == t.name {
			flags := flag.NewFlagSet(t.name, flag.ContinueOnError)
			measure := t.make(flags)
			if err := flags.Parse(args[1:]); err != nil {
				return err
			}
			return measure(ctx, w)
		}
	}
	return fmt.Errorf("name a table: %s", strings.Join(names, ", "))
}

// counter counts tokens as an upstream would.
func counter() (func(string) int, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("load the tokenizer: %w", err)
	}
	return func(s string) int {
		n, countErr := codec.Count(s)
		if countErr != nil {
			return len(s)
		}
		return n
	}, nil
}
