package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// The measures of the table, in addition to right, wrong and answered.
const shown = "shown" // what was told is in the answer, whatever else is

// lives asks the built-in responder about lives in chat messages.
func lives(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	path := flags.String("data", "", "a file of lives; empty: the development set")
	missed := flags.Bool("missed", false, "list the questions that were not answered right")
	return func(_ context.Context, w io.Writer) error {
		all, err := loadLives(*path)
		if err != nil {
			return err
		}
		note := io.Discard
		if *missed {
			note = w
		}
		t := make(tally)
		for i := range all {
			p := player{life: &all[i]}
			if err := p.play(t, note); err != nil {
				return fmt.Errorf("%s: %w", all[i].ID, err)
			}
		}
		fmt.Fprintln(w, "| questions | right | shown | wrong |\n|---|---|---|---|")
		for _, kind := range []string{"same words", "other words", "en", "other languages", told} {
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", kind, t.of(right, kind).percent(), t.of(shown, kind).percent(), t.of(wrong, kind).percent())
		}
		fmt.Fprintf(w, "\nnever told, yet answered: %s\n", t.of(answered, never).percent())
		return nil
	}
}

// player tells a life in the order of its times, and asks what is asked between.
type player struct {
	life *life
	talk *runtest.Talk
}

func (p *player) play(t tally, note io.Writer) error {
	p.talk = runtest.NewTalk(session.ID(p.life.ID), time.Time{})
	asked := slices.Clone(p.life.Asked)
	slices.SortStableFunc(asked, func(a, b lifeQuestion) int { return a.AskedAt.Compare(b.AskedAt) })
	next := 0
	for i := range asked {
		q := &asked[i]
		for ; next < len(p.life.Messages) && !p.life.Messages[next].Time.After(q.AskedAt); next++ {
			if err := p.tell(&p.life.Messages[next]); err != nil {
				return err
			}
		}
		p.talk.Now = q.AskedAt
		got, err := p.talk.Ask(q.Question)
		if err != nil {
			return err
		}
		ok, err := q.judge(t, got)
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintf(note, "%s: %q: got %s\n", q.ID, q.Question, got)
		}
	}
	return nil
}

func (p *player) tell(m *lifeMessage) error {
	p.talk.Now = m.Time
	role := session.User
	if m.Role == "assistant" {
		role = session.Assistant
	}
	_, _, err := p.talk.Learn(role, "", m.Text)
	return err
}

// judge enters an answer and reports whether it is right.
func (q *lifeQuestion) judge(t tally, got string) (bool, error) {
	spoke := got != unknown
	if !q.Told {
		t.hit(never, answered, spoke)
		return got == unknown, nil
	}
	if got == unknown {
		got = "" // its words answer nothing
	}
	has, err := q.answeredBy(got)
	if err != nil {
		return false, err
	}
	bad, err := countOf(q.MustNot, got)
	if err != nil {
		return false, err
	}
	ok := has && bad == 0
	for _, kind := range q.kinds() {
		t.hit(kind, shown, has)
		t.hit(kind, right, ok)
		t.hit(kind, wrong, spoke && !ok)
	}
	return ok, nil
}

// answeredBy reports whether a text has what was told.
func (q *lifeQuestion) answeredBy(text string) (bool, error) {
	one, err := countOf(q.Must, text)
	if err != nil {
		return false, err
	}
	all, err := countOf(q.MustAll, text)
	return all == len(q.MustAll) && one >= min(1, len(q.Must)), err
}

// kinds are the rows that a question of what was told counts in.
func (q *lifeQuestion) kinds() []string {
	tongue := "other languages"
	if q.Language == "en" {
		tongue = "en"
	}
	return []string{told, q.Overlap + " words", tongue}
}

// countOf is how many patterns match, whatever the case of letters.
func countOf(patterns []string, text string) (int, error) {
	n := 0
	for _, pattern := range patterns {
		re, err := regexp.Compile("(?is)" + pattern)
		if err != nil {
			return 0, fmt.Errorf("read a pattern: %w", err)
		}
		if re.MatchString(text) {
			n++
		}
	}
	return n, nil
}
