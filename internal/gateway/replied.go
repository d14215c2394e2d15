package gateway

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Not every platform sends the words of a message that a person answers: WhatsApp sends its id alone. The words are then
// looked up among what the chat has: messages of the bot, and messages of people.

// lookUpReplied fills in the words of the message that an event answers, if the platform has named it by its id alone. They stay
// empty if the chat does not have them (any more).
func (g *Gateway) lookUpReplied(ctx context.Context, o owner.Owner, e *Event) error {
	q := e.Replied
	if q == nil || q.Held || q.Text != "" || q.Message == "" {
		return nil
	}
	sent, err := g.store.FindSend(ctx, o, e.Place, "", q.Message)
	if err == nil {
		q.Mine, q.Text = true, sent.shown()
		return nil
	}
	if fault.KindOf(err) != fault.NotFound {
		return fmt.Errorf("find the message of the bot that is answered: %w", err)
	}
	list, err := g.store.SaidEvents(ctx, o, e.Place, q.Message)
	if err != nil {
		return fmt.Errorf("find the message of a person that is answered: %w", err)
	}
	for i := range list {
		in := &list[i]
		name, text, err := g.wordsOf(ctx, o, in)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		if in.From.ID == e.From.ID {
			name = e.From.Name
		}
		q.Name, q.Text = cmp.Or(q.Name, name), text
	}
	return nil
}

// shown is what people see of a message of the bot.
func (s *Send) shown() string {
	if s.File == nil {
		return s.Text
	}
	return Shown(s.Text, nil, []FileRef{{Kind: Document, Name: s.File.Name, Size: int64(len(s.File.Data))}})
}

// wordsOf are the words of a message of a person, with the person's name. An event that is over has no words any more, but the
// session of its turn has them. Messages that were gathered into one turn are shown together: they were said one right after
// the other, by one person.
func (g *Gateway) wordsOf(ctx context.Context, o owner.Owner, e *Inbound) (name, text string, err error) {
	if e.State == Waiting || e.State == Taken {
		if q := e.Forwarded; q != nil {
			return e.Label, cmp.Or(e.Text, q.Text), nil
		}
		return e.Label, Shown(e.Text, e.Things, e.Files), nil
	}
	if e.Run == "" {
		return "", "", nil
	}
	run, err := g.runs.Run(ctx, o, e.Run)
	if fault.KindOf(err) == fault.NotFound || err == nil && run.EndSeq == 0 {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("find the turn of a message that is answered: %w", err)
	}
	list, err := g.sessions.Messages(ctx, o, run.Root, session.Range{From: run.FirstSeq, To: run.EndSeq, Standing: true})
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return "", "", fmt.Errorf("read the message that is answered: %w", err)
	}
	var said []string
	for i := range list {
		if m := &list[i]; m.Role == session.User {
			name, said = m.Name, append(said, m.Content)
		}
	}
	return name, strings.Join(said, "\n"), nil
}

// repliedTo is what a message begins with that answers another one; "" if it answers none, or one that the conversation holds.
func (q *Quoted) repliedTo() string {
	switch {
	case q == nil || q.Held:
		return ""
	case q.Text != "":
		return q.answered()
	}
	what := "an earlier message that is not shown here"
	switch {
	case q.Mine:
		what += ", of yours"
	case q.Name != "":
		what += ", of " + cite.Name(q.Name)
	}
	return "(in answer to " + what + ")"
}
