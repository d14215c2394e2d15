package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// taken is what a file has of messages and their answers, and what was found wrong.
type taken struct {
	inputs, answers map[string]int // by the name of the message

	asked, storedOnce, answeredOnce, lost, doubled, repeated int
}

// newTaken reads the messages of a file.
func newTaken(all []stored) *taken {
	c := &taken{inputs: make(map[string]int), answers: make(map[string]int)}
	for i := range all {
		m := &all[i]
		if name, _, ok := askedOf(m.text); ok && m.role == "user" {
			c.inputs[name]++
		}
		name, lines, _ := readLines(m.text)
		if m.role == "assistant" && m.finish == "stop" && name != "" && m.text == strings.Join(linesOf(name, lines), "") {
			c.answers[name]++
		}
	}
	return c
}

// judge counts one message: stored once, answered once in the file and at the platform. It
// returns how many repeats are excused.
func (c *taken) judge(t *tally, p gateway.Platform, name string, lines int, h *heard, excused int) int {
	c.asked++
	inputs, answers := c.inputs[name], c.answers[name]
	whole := h.whole() && h.lines == lines
	if inputs == 1 {
		c.storedOnce++
	}
	if whole {
		c.answeredOnce++
	}
	switch {
	case min(inputs, answers) == 0 || !whole:
		c.lost++
		t.miss("%s, %s: stored %d times with %d answers, at the platform: %s", p, name, inputs, answers, h.String())
	case max(inputs, answers) > 1:
		c.doubled++
		t.miss("%s, %s: stored %d times with %d answers", p, name, inputs, answers)
	}
	if p != gateway.Telegram {
		excused = 0
	}
	return c.excuse(t, p, name, h.repeats(), excused)
}

// excuse counts messages that came again. It returns how many are excused.
func (c *taken) excuse(t *tally, p gateway.Platform, name string, repeats, excused int) int {
	if repeats <= excused {
		return repeats
	}
	c.repeated++
	t.miss("%s, %s: %d messages came again, %d excused", p, name, repeats, excused)
	return 0
}

func (h *heard) String() string {
	if h == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d of %d lines in %d messages", len(h.got()), h.lines, h.messages)
}

// read lets a server finish its work on a file, and reads the file.
func (s *subject) read(ctx context.Context, t *tally) ([]stored, error) {
	if err := s.settle(ctx, t); err != nil {
		return nil, err
	}
	return checkFile(ctx, s.file(), t)
}

// excuses are how many repeats of an answer are excused, by the name of its message: Telegram
// had taken a message, and the server was killed before it could store that. Telegram cannot
// be asked.
type excuses map[string]int

// note looks, between a kill and the next start, which messages Telegram may have been sent: if it
// has taken one, the file does not know that. A chat is sent one message at a time, its oldest one.
func (e excuses) note(ctx context.Context, s *subject) error {
	db, err := openFile(s.file(), true)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, `SELECT text, min(number) FROM chat_sends
		WHERE platform = 'telegram' AND state IN ('waiting', 'sending', 'unknown') GROUP BY account, chat_id, thread_id`)
	if err != nil {
		return fmt.Errorf("read what is being sent: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		var number int64
		if err := rows.Scan(&text, &number); err != nil {
			return err
		}
		if name, _, _ := readLines(text); name != "" {
			e[name]++
		}
	}
	return rows.Err()
}
