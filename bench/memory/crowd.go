package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

const (
	// crowdSize is how many messages stand in the crowd's one conversation.
	crowdSize = 3300
	// crowdSeed is the seed of its small talk.
	crowdSeed = 7
)

// crowd is one long conversation with a model, through the runner and a real database: the
// English lives in the order of their times, with small talk between. Its model records
// what it is sent.
type crowd struct {
	runner  *run.Runner
	root    session.ID
	now     time.Time
	reply   string
	sent    []session.Message
	classes map[string]string // of messages, by how they begin
	count   func(string) int
}

// The classes of messages whose tokens are counted among the quotes.
const (
	classTold  = "told"
	classReply = "replies"
	classChat  = "chit-chat"
)

// Stream is the model: it answers with what was said in the life.
func (c *crowd) Stream(_ context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	c.sent = p.Messages
	return func(yield func(run.Delta, error) bool) {
		yield(run.Delta{Content: c.reply, FinishReason: "stop", Finishes: true, Model: "scripted"}, nil)
	}, nil
}

// turn is what a user says and is answered.
type crowdTurn struct {
	at                 time.Time
	said, reply, class string
}

// crowdTurns are the turns of lives in the order of their times, filled up with small talk.
func crowdTurns(lives []life) []crowdTurn {
	var out []crowdTurn
	for i := range lives {
		ms := lives[i].Messages
		for k := range ms {
			if ms[k].Role != "user" {
				continue
			}
			t := crowdTurn{at: ms[k].Time, said: ms[k].Text, reply: "OK.", class: classChat}
			if ms[k].Statement {
				t.class = classTold
			}
			if k+1 < len(ms) && ms[k+1].Role != "user" {
				t.reply = ms[k+1].Text
			}
			out = append(out, t)
		}
	}
	d := newDice(crowdSeed)
	slices.SortStableFunc(out, func(a, b crowdTurn) int { return a.at.Compare(b.at) })
	told := len(out)
	for i := 0; len(out) < crowdSize/2; i++ {
		at := out[i*7919%told].at.Add(time.Duration(i) * time.Second)
		out = append(out, crowdTurn{at: at, said: d.fillerTurn(), reply: d.fillerAnswer(), class: classChat})
	}
	slices.SortStableFunc(out, func(a, b crowdTurn) int { return a.at.Compare(b.at) })
	return out
}

// crowdFigures tells the crowd and asks all that the lives were told.
func crowdFigures(ctx context.Context, lives []life) (tally, error) {
	lives = slices.DeleteFunc(slices.Clone(lives), func(l life) bool { return l.Language != "en" })
	dir, err := os.MkdirTemp("", "crowd")
	if err != nil {
		return nil, fmt.Errorf("make a place for the database: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary place
	db, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "crowd.db"), Log: slog.New(slog.DiscardHandler),
		Synchronous: "OFF", SearchTime: time.Minute, NoGuard: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // nothing of it is kept
	c := &crowd{classes: make(map[string]string)}
	if c.count, err = counter(); err != nil {
		return nil, err
	}
	c.runner, _ = runtest.New(db, &runtest.Parts{Models: run.Models{Upstream: c}, Config: run.Config{Now: func() time.Time { return c.now }}})
	for _, t := range crowdTurns(lives) {
		c.now, c.reply = t.at, t.reply
		c.classes[beginning(t.said)], c.classes[beginning(t.reply)] = t.class, classReply
		if err = c.say(ctx, t.said, false); err != nil {
			return nil, err
		}
	}
	out := make(tally)
	for i := range lives {
		for k := range lives[i].Asked {
			if q := &lives[i].Asked[k]; q.Told {
				if err = c.ask(ctx, &lives[i], q, out); err != nil {
					return nil, fmt.Errorf("%s: %w", q.ID, err)
				}
			}
		}
	}
	return out, nil
}

// say is a turn; one off the record is not learnt.
func (c *crowd) say(ctx context.Context, text string, offRecord bool) error {
	s, err := c.runner.Start(ctx, &run.Request{Owner: owner.Local(), Session: c.root, Model: "m", OffRecord: offRecord,
		Messages: []session.Message{{Role: session.User, Content: text}}})
	if err != nil {
		return err
	}
	for _, deltaErr := range s.Deltas(ctx) {
		err = cmp.Or(err, deltaErr)
	}
	c.root = s.SessionID
	return err
}

// ask measures the prompt of one question.
func (c *crowd) ask(ctx context.Context, l *life, q *lifeQuestion, out tally) error {
	c.reply = "OK."
	if err := c.say(ctx, q.Question, true); err != nil {
		return err
	}
	var all []string
	for i := range c.sent {
		if m := &c.sent[i]; m.Content != q.Question {
			all = append(all, strings.Split(m.Content, "\n")...)
		}
	}
	out.hit(told, found8000, slices.ContainsFunc(all, func(line string) bool { return l.answersFrom(q, line) }))
	for _, line := range c.quotes() {
		class := c.classes[beginning(quoteOf(line))]
		tokens := float64(c.count(line))
		for _, k := range []string{classTold, classReply, classChat} {
			part := 0.0
			if class == k {
				part = tokens
			}
			out.enter(quotedTokens, k, figure{part, int(tokens)})
		}
	}
	return nil
}

// The measures of a crowd.
const (
	found8000    = "in the prompt"
	quotedTokens = "tokens of quotes"
)

// quotes are the lines of quoted messages in the prompt.
func (c *crowd) quotes() []string {
	for i := range c.sent {
		if text := c.sent[i].Content; strings.HasPrefix(text, "[Memory:") {
			_, quotes, _ := strings.Cut(text, "\nEarlier messages:\n")
			return slices.DeleteFunc(strings.Split(quotes, "\n"), func(line string) bool { return !strings.Contains(line, `"`) })
		}
	}
	return nil
}

// answersFrom reports whether a line has words of the evidence, with the answer among them.
func (l *life) answersFrom(q *lifeQuestion, line string) bool {
	n, err := countOf(slices.Concat(q.Must, q.MustAll), line)
	if err != nil || n == 0 {
		return false
	}
	return slices.ContainsFunc(q.Evidence, func(id string) bool {
		a := attribution{}
		a.add(l.message(id))
		return a.of(gramsOf(quoteOf(line))) != ""
	})
}

// quoteOf is the text in quotation marks of a line, or all of it.
func quoteOf(line string) string {
	_, quote, found := strings.Cut(line, `"`)
	if !found {
		return line
	}
	if i := strings.LastIndexByte(quote, '"'); i >= 0 {
		quote = quote[:i]
	}
	return unescaped(quote)
}

// beginning is how a message begins, by which its quote is recognised.
func beginning(text string) string {
	runes := []rune(oneLine(text))
	return string(runes[:min(len(runes), 40)])
}
