package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
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

// judge measures answers, not only recall: it puts the conversations of a LoCoMo
// file into a hermes server, asks the file's questions through it, and lets a
// model rate the answers. It is for people who have a model; any server with
// OpenAI's chat completions will do.
//
// A judge that is a model says yes too easily. So every question is rated twice:
// with the answer that was given, and with one that is known to be wrong. The
// share of wrong answers it accepts stands next to each accuracy, which is worth
// nothing without it. The judge's prompt is part of the output.
func judge(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	o := &options{progress: os.Stderr, requestTimeout: 10 * time.Minute}
	flags.StringVar(&o.upstream, "upstream", os.Getenv("HERMES_UPSTREAM_URL"), "base URL of a server with OpenAI's chat completions")
	flags.StringVar(&o.key, "key", os.Getenv("HERMES_UPSTREAM_KEY"), "its key")
	flags.StringVar(&o.model, "model", os.Getenv("HERMES_MODEL"), "the model that answers")
	flags.StringVar(&o.judge, "judge", "", "the model that rates; empty: the same")
	flags.StringVar(&o.data, "data", "", "a file in LoCoMo's format")
	flags.StringVar(&o.hermes, "hermes", "", "base URL of a running hermes, such as http://127.0.0.1:11434; empty starts one on an empty home")
	flags.StringVar(&o.hermesKey, "hermes-key", "hermes", "its key")
	flags.StringVar(&o.memoryModel, "memory-model", "", "memory.model of the server that is started")
	flags.StringVar(&o.embeddings, "embeddings-model", "", "memory.embeddings_model of the server that is started")
	flags.DurationVar(&o.settle, "settle", 0, "wait between telling and asking, for background work")
	flags.IntVar(&o.conversations, "conversations", 0, "ask about the first so many only")
	flags.IntVar(&o.questions, "questions", 0, "ask the first so many questions of each only")
	flags.IntVar(&o.parallel, "parallel", 4, "questions asked at a time")
	flags.IntVar(&o.budget, "budget", 0, "context budget in tokens; 0: the server's own")
	return o.measure
}

// measure does the whole: start, tell, ask, rate, report.
func (o *options) measure(ctx context.Context, out io.Writer) error {
	if o.upstream == "" || o.model == "" || o.data == "" {
		return errors.New("-upstream, -model and -data are needed")
	}
	o.judge = cmp.Or(o.judge, o.model)
	conversations, err := load(o.data)
	if err != nil {
		return err
	}
	if o.conversations > 0 {
		conversations = conversations[:min(o.conversations, len(conversations))]
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
	if err := c.tellAll(ctx, conversations); err != nil {
		return err
	}
	if err := pause(ctx, o.settle); err != nil {
		return err
	}
	r, err := c.rateAll(ctx, conversations)
	if err != nil {
		return err
	}
	return r.print(out)
}

func (c *client) tellAll(ctx context.Context, conversations []conversation) error {
	begun, told := time.Now(), 0
	for i := range conversations {
		if err := c.tell(ctx, &conversations[i]); err != nil {
			return fmt.Errorf("tell %s: %w", conversations[i].name, err)
		}
		told += len(conversations[i].documents)
	}
	fmt.Fprintf(c.o.progress, "told %d messages of %d conversations in %v\n", told, len(conversations),
		time.Since(begun).Round(time.Millisecond))
	return nil
}

func (c *client) rateAll(ctx context.Context, conversations []conversation) (*ratings, error) {
	r := &ratings{o: c.o, tally: make(tally), took: make(map[string][]time.Duration)}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, c.o.parallel))
	for i := range conversations {
		conversation := &conversations[i]
		for k, q := range conversation.askable(c.o.questions) {
			g.Go(func() error {
				one, err := c.rate(ctx, conversation, &q)
				if err != nil {
					return fmt.Errorf("%s, question %d: %w", conversation.name, k+1, err)
				}
				r.enter(q.kind, one)
				return nil
			})
		}
	}
	return r, g.Wait()
}

// askable are the questions to ask, at most so many (0: all), each with a wrong
// answer: its own, or that of the next question of its kind with another answer,
// which looks right.
func (c *conversation) askable(most int) []question {
	out := slices.DeleteFunc(slices.Clone(c.questions), func(q question) bool { return q.answer == nil && q.kind != adversarial })
	n := len(out)
	for i := range out {
		q := &out[i]
		for k := 1; k < n && q.wrong == ""; k++ {
			if other := &out[(i+k)%n]; other.kind == q.kind && !overlap(q.expected(), other.expected()) {
				q.wrong = other.expected()
			}
		}
	}
	if most > 0 {
		out = out[:min(most, n)]
	}
	return out
}

// expected is the answer in one piece.
func (q *question) expected() string { return strings.Join(q.answer, ", ") }

// overlap reports whether two answers share a word that could make both right.
func overlap(a, b string) bool {
	words := strings.Fields(strings.ToLower(a))
	for _, w := range strings.Fields(strings.ToLower(b)) {
		if len(w) > 3 && slices.Contains(words, w) {
			return true
		}
	}
	return strings.EqualFold(a, b)
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
