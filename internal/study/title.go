package study

import (
	"context"
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
)

//go:embed title.txt
var titlePrompt string

// title asks once for a better title than the one derived from a lineage's first
// exchange. An unusable reply counts as an answer.
func (s *Study) title(ctx context.Context, o owner.Owner, task curate.Task) error {
	marks, err := s.Store.Marks(ctx, o, task.Root)
	if err != nil || marks.Titled {
		return err
	}
	ms, due, err := s.Curator.Opening(ctx, o, task.Root)
	if err != nil {
		return fmt.Errorf("read first exchange: %w", err)
	}
	if !due {
		return nil
	}
	proposed := ""
	if text, _ := transcript(ms); text != "" {
		reply, err := s.ask(ctx, titlePrompt, text)
		if err != nil {
			return err
		}
		proposed = parseTitle(reply)
	}
	named, err := s.Curator.Retitle(ctx, o, task, proposed)
	if err != nil {
		return err
	}
	if named {
		s.stats.titles.Add(1)
	}
	s.Log.Debug("a model was asked for a title", "named", named)
	return nil
}

// parseTitle reads the title of a reply, "" if it has none. The outermost braces
// count, as in [parseReply].
func parseTitle(text string) string {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return ""
	}
	var reply struct {
		Title string `json:"title"`
	}
	if json.Unmarshal([]byte(text[from:to+1]), &reply) != nil {
		return ""
	}
	return reply.Title
}
