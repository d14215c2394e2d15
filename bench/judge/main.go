// Command judge measures answers, not only recall: it puts the conversations of
// a LoCoMo file into a hermes server, asks the file's questions through it, and
// lets a model rate the answers. It is for people who have a model; any server
// with OpenAI's chat completions will do.
//
// A judge that is a model says yes too easily. So every question is rated twice:
// with the answer that was given, and with one that is known to be wrong. The
// share of wrong answers it accepts stands beside each accuracy, which is worth
// nothing without it. The judge's prompt is part of the output.
//
//	go run ./bench/judge -upstream http://localhost:8080/v1 -model qwen3 -data locomo.json
//
// The data is licensed CC BY-NC 4.0; the project holds no copy.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"
)

// options say what is measured with what.
type options struct {
	upstream, key  string
	model, judge   string
	data           string
	hermes         string // base URL of a running server; "" starts one
	hermesKey      string
	memoryModel    string
	embeddings     string
	settle         time.Duration
	conversations  int
	questions      int
	parallel       int
	budget         int
	progress       io.Writer
	hermesBinary   string
	requestTimeout time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.upstream, "upstream", os.Getenv("HERMES_UPSTREAM_URL"), "base URL of a server with OpenAI's chat completions")
	flag.StringVar(&o.key, "key", os.Getenv("HERMES_UPSTREAM_KEY"), "its key")
	flag.StringVar(&o.model, "model", os.Getenv("HERMES_MODEL"), "the model that answers")
	flag.StringVar(&o.judge, "judge", "", "the model that rates; empty: the same")
	flag.StringVar(&o.data, "data", "", "a file in LoCoMo's format")
	flag.StringVar(&o.hermes, "hermes", "", "base URL of a running hermes, such as http://127.0.0.1:11434; empty starts one on an empty home")
	flag.StringVar(&o.hermesKey, "hermes-key", "hermes", "its key")
	flag.StringVar(&o.memoryModel, "memory-model", "", "memory.model of the server that is started")
	flag.StringVar(&o.embeddings, "embeddings-model", "", "memory.embeddings_model of the server that is started")
	flag.DurationVar(&o.settle, "settle", 0, "wait between telling and asking, for background work")
	flag.IntVar(&o.conversations, "conversations", 0, "ask about the first so many only")
	flag.IntVar(&o.questions, "questions", 0, "ask the first so many questions of each only")
	flag.IntVar(&o.parallel, "parallel", 4, "questions asked at a time")
	flag.IntVar(&o.budget, "budget", 0, "context budget in tokens; 0: the server's own")
	flag.Parse()
	o.progress, o.requestTimeout = os.Stderr, 10*time.Minute
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, &o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		stop()
		os.Exit(1)
	}
}

// measure does the whole: start, tell, ask, rate, report.
func measure(ctx context.Context, o *options, out io.Writer) error {
	if o.upstream == "" || o.model == "" || o.data == "" {
		return fmt.Errorf("-upstream, -model and -data are needed")
	}
	if o.judge == "" {
		o.judge = o.model
	}
	samples, err := load(o.data)
	if err != nil {
		return err
	}
	if o.conversations > 0 {
		samples = samples[:min(o.conversations, len(samples))]
	}
	if o.hermes == "" {
		s, err := startServer(ctx, o)
		if err != nil {
			return err
		}
		defer s.stop()
		o.hermes = s.Base
	}
	c := newClient(o)
	begun := time.Now()
	told := 0
	for i := range samples {
		n, err := c.tell(ctx, &samples[i])
		if err != nil {
			return fmt.Errorf("tell %s: %w", samples[i].id, err)
		}
		told += n
	}
	fmt.Fprintf(o.progress, "told %d messages of %d conversations in %v\n", told, len(samples), time.Since(begun).Round(time.Millisecond))
	if err := pause(ctx, o.settle); err != nil {
		return err
	}
	r := newReport(o)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, o.parallel))
	for i := range samples {
		for k := range samples[i].asked(o.questions) {
			g.Go(func() error {
				row, err := c.rate(ctx, &samples[i], k)
				if err != nil {
					return fmt.Errorf("%s, question %d: %w", samples[i].id, k+1, err)
				}
				r.add(row)
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return r.print(out)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
