package study

import (
	"context"
	_ "embed" // the prompts
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

//go:embed facts.txt
var factsPrompt string

const (
	// batch is how many messages one call reads at most, batchBytes how much.
	batch      = 24
	batchBytes = 16 << 10
	// shownOfUser and shownOfOthers bound one message, in bytes: other people's
	// messages only give context to the user's.
	shownOfUser   = 4 << 10
	shownOfOthers = 400
	// patienceWithRaving is how many unusable replies are accepted for the same
	// messages before they are skipped.
	patienceWithRaving = 3
)

// facts reads a lineage's new messages for facts, batch by batch.
func (s *Study) facts(ctx context.Context, o owner.Owner, task curate.Task) error {
	for ctx.Err() == nil {
		marks, err := s.Store.Marks(ctx, o, task.Root)
		if err != nil {
			return err
		}
		ms, err := s.Store.Messages(ctx, o, task.Root, session.Range{From: marks.FactsTo, Limit: batch, Standing: true})
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		if len(ms) == 0 {
			return nil
		}
		if rested := ms[len(ms)-1].RecordedAt.Add(rest); len(ms) < every && s.Now().Before(rested) {
			return &later{until: rested}
		}
		text, shown := transcript(ms)
		upTo := shown[len(shown)-1].Seq + 1
		var list []statement
		if text != "" {
			if list, err = s.statements(ctx, place{o.ID(), task.Root, upTo, forFacts}, text); err != nil {
				return err
			}
		}
		if err := s.learn(ctx, o, task, upTo, found(list, shown, s.Model)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// place names the messages that a call is about.
type place struct {
	owner string
	root  session.ID
	upTo  int64
	what  purpose
}

// purpose is what messages are read for.
type purpose int

const (
	forFacts purpose = iota
	forSummary
)

func (p purpose) prompt() string {
	if p == forSummary {
		return summaryPrompt
	}
	return factsPrompt
}

// statements asks for statements. After too many unusable replies about the same
// messages, they count as read.
func (s *Study) statements(ctx context.Context, at place, text string) ([]statement, error) {
	reply, err := s.ask(ctx, at.what.prompt(), text)
	if err != nil {
		return nil, err
	}
	list, err := parseReply(reply)
	if err == nil {
		s.mu.Lock()
		delete(s.raved, at)
		s.mu.Unlock()
		return list, nil
	}
	err = s.fail(&s.chat, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.raved) > maxHeard {
		clear(s.raved) // most are of lineages long gone
	}
	if s.raved[at]++; s.raved[at] < patienceWithRaving {
		return nil, err
	}
	delete(s.raved, at)
	return nil, nil
}

// learn stores findings and counts how many were accepted.
func (s *Study) learn(ctx context.Context, o owner.Owner, task curate.Task, upTo int64, list []memory.Finding) error {
	v, err := s.Curator.Learn(ctx, o, task, upTo, list)
	if err != nil {
		return err
	}
	s.count(v.Accepted, v.Refused)
	if len(list) > 0 {
		s.Log.Debug("messages were read for facts", "upto", upTo, "accepted", v.Accepted, "refused", v.Refused)
	}
	return nil
}

func (s *Study) count(accepted int, refused map[memory.Refusal]int) {
	s.stats.accepted.Add(int64(accepted))
	for _, n := range refused {
		s.stats.refused.Add(int64(n))
	}
}

// transcript renders messages for a model, numbered and with secrets hidden, and
// returns the messages it shows. The text is empty if no message is the user's.
func transcript(ms []session.Message) (string, []session.Message) {
	var b strings.Builder
	users := false
	for i := range ms {
		m := &ms[i]
		text, limit := memory.MaskSecrets(m.Content), shownOfOthers
		if m.Role == session.User {
			limit = shownOfUser
			users = users || strings.TrimSpace(text) != ""
		}
		if len(text) > limit {
			text = language.Gist(text, limit)
		}
		line := fmt.Sprintf("[%d] %s, %s: %s\n", m.Seq, cite.Speaker(nil, string(m.Role), m.Name), m.SaidAt.Format("2006-01-02"), cite.Line(text))
		if i > 0 && b.Len()+len(line) > batchBytes {
			ms = ms[:i]
			break
		}
		b.WriteString(line)
	}
	if !users {
		return "", ms
	}
	return b.String(), ms
}
