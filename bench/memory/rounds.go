package main

import (
	"context"
	_ "embed" // the rounds
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// The measures of a question put to the responder.
const (
	right    = "right"
	wrong    = "wrong"
	answered = "answered" // although it was never told
)

//go:embed testdata/asked.txt
var asked []byte

//go:embed testdata/team.txt
var team []byte

//go:embed testdata/retold.txt
var retold []byte

// aRound is a text of conversations, and how many turns of small talk lie between
// them and the questions.
type aRound struct {
	name  string
	text  []byte
	turns int
}

// ourRounds are those that the project has.
func ourRounds() []aRound {
	return []aRound{{"asked.txt", asked, 400}, {"team.txt", team, 60}, {"retold.txt", retold, 400}}
}

// rounds asks the built-in responder for what was told long ago in other words,
// and for what was not.
func rounds(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	path := flags.String("data", "", "a file of conversations to ask about; empty: ours")
	turns := flags.Int("turns", 400, "turns of small talk between what that file tells and what it asks")
	missed := flags.Bool("missed", false, "list the questions that were not answered right")
	return func(_ context.Context, w io.Writer) error {
		all := ourRounds()
		if *path != "" {
			text, err := os.ReadFile(*path)
			if err != nil {
				return fmt.Errorf("read the conversations: %w", err)
			}
			all = []aRound{{filepath.Base(*path), text, *turns}}
		}
		fmt.Fprintln(w, "| round | right | wrong | never told, yet answered |\n|---|---|---|---|")
		for _, r := range all {
			t, err := r.ask(func(format string, args ...any) {
				if *missed {
					fmt.Fprintf(w, format+"\n", args...)
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.name, t.of(right, told).share(), t.of(wrong, told).share(), t.of(answered, never).share())
		}
		return nil
	}
}

// ask plays the conversations of a round and asks their questions. What is not
// right is noted.
func (r aRound) ask(note func(format string, args ...any)) (tally, error) {
	conversations, err := parse(r.text)
	if err != nil {
		return nil, err
	}
	t := make(tally)
	for i := range conversations {
		c := &conversations[i]
		k, err := c.play(r.turns)
		if err != nil {
			return nil, err
		}
		for _, q := range c.questions {
			got, err := k.Say(q.text)
			if err != nil {
				return nil, err
			}
			if !t.judge(&q, got) {
				note("%s: %q: got %s", c.name, q.text, got)
			}
		}
	}
	return t, nil
}

// judge enters an answer of the responder and reports whether it is right.
func (t tally) judge(q *question, got string) bool {
	if q.kind == never {
		claimed := kindOf(got) == sure
		t.hit(never, answered, claimed)
		return !claimed
	}
	ok := holds(got, q.answer)
	t.hit(told, right, ok)
	t.hit(told, wrong, !ok && kindOf(got) == sure)
	return ok
}

// play tells a conversation, with small talk between and behind.
func (c *conversation) play(turns int) (*runtest.Talk, error) {
	k := runtest.NewTalk(session.ID(c.name), time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC))
	learn := func(role session.Role, text string) error {
		_, _, err := k.Learn(role, "", text)
		return err
	}
	turn := func(n int) error {
		user, assistant := chatter(n)
		if err := learn(session.User, user); err != nil {
			return err
		}
		return learn(session.Assistant, assistant)
	}
	for i, d := range c.documents {
		if c.apart[i] {
			if err := turn(1000 + i); err != nil {
				return nil, err
			}
		}
		if err := learn(d.Role, d.Text); err != nil {
			return nil, err
		}
		k.Now = k.Now.Add(time.Hour)
	}
	for n := range turns {
		if err := turn(n); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// chatter is a turn that tells nothing worth knowing; n makes it its own.
func chatter(n int) (user, assistant string) {
	topics := strings.Split("tidal power|Gothic arches|bee colonies|tensor algebra|opera staging|monsoon cycles|map projections|ice cores|paper folding|steam turbines|soil chemistry", "|")
	a, b := topics[n%len(topics)], topics[n/7%len(topics)]
	switch n % 5 {
	case 0:
		user = fmt.Sprintf("Can you explain %s and how it relates to %s?", a, b)
	case 1:
		user = fmt.Sprintf("Write a short note number %d about %s, please.", n, a)
	case 2:
		user = fmt.Sprintf("Then the florist talked about %s near the canal.", a)
	case 3:
		user = fmt.Sprintf("The article on %s says the figure was %d in %d. It felt odd.", a, n*7, 1900+n%90)
	default:
		user = fmt.Sprintf("What is the difference between %s and %s?", a, b)
	}
	return user, fmt.Sprintf("Sure. %s is often compared with %s; in %d it was described as quiet.", a, b, 1800+n)
}
