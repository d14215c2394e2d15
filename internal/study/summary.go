package study

import (
	"context"
	_ "embed" // the prompt
	"fmt"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

//go:embed summary.txt
var summaryPrompt string

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
	var findings []memory.Finding
	for len(ms) > 0 && len(findings) < maxFound {
		text, shown := transcript(ms)
		ms = ms[len(shown):]
		if text == "" {
			continue
		}
		list, err := s.statements(ctx, place{o.ID(), task.Root, shown[len(shown)-1].Seq + 1, forSummary}, text)
		if err != nil {
			return err
		}
		findings = append(findings, found(list, shown, s.Model)...)
	}
	swapped, v, err := s.Curator.Summarize(ctx, o, task, generation, findings)
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
