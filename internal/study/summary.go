package study

import (
	"context"
	_ "embed" // the prompt
	"fmt"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

//go:embed summary.txt
var summaryPrompt string

// patienceWithRaving is how many unusable replies are accepted for the same messages
// before they are skipped.
const patienceWithRaving = 3

// summary asks a model to summarize the turns that a lineage's last fold removed from
// the tail.
func (s *Study) summary(ctx context.Context, o owner.Owner, task curate.Task) error {
	marks, err := s.Store.Marks(ctx, o, task.Root)
	if err != nil {
		return err
	}
	generation, ms, err := s.Curator.Folded(ctx, o, task.Root, marks.Summarized)
	if err != nil {
		return fmt.Errorf("read folded turns: %w", err)
	}
	if generation <= marks.Summarized {
		return nil
	}
	var drawn []memory.Extract
	for len(ms) > 0 && len(drawn) < maxExtracts {
		text, shown := transcript(ms)
		ms = ms[len(shown):]
		if text == "" {
			continue
		}
		list, err := s.statements(ctx, place{o.ID(), task.Root, shown[len(shown)-1].Seq + 1}, text)
		if err != nil {
			return err
		}
		drawn = append(drawn, extracts(list, shown)...)
	}
	swapped, v, err := s.Curator.Summarize(ctx, o, task, generation, drawn)
	if err != nil {
		return err
	}
	s.count(v.Accepted, v.Refused)
	if swapped {
		s.stats.summaries.Add(1)
	}
	s.Log.Debug("folded turns were summarized", "generation", generation, "accepted", v.Accepted, "refused", v.Refused, "swapped", swapped)
	return nil
}

// place names the messages that a call is about.
type place struct {
	owner string
	root  session.ID
	upTo  int64
}

// statements asks for statements. After too many unusable replies about the same
// messages, they count as read.
func (s *Study) statements(ctx context.Context, at place, text string) ([]statement, error) {
	reply, err := s.ask(ctx, summaryPrompt, text)
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

func (s *Study) count(accepted int, refused map[memory.Refusal]int) {
	s.stats.accepted.Add(int64(accepted))
	for _, n := range refused {
		s.stats.refused.Add(int64(n))
	}
}
