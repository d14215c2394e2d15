package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestLearner: a view that only learns has the facts of any other view, and keeps no messages.
func TestLearner(t *testing.T) {
	t.Parallel()
	view, learner := NewView(), NewLearner()
	texts := []string{
		"I live in Oslo.", "My dog is called Bello.", "I live in Bergen now.", "Should we take the train?", "Yes, do that.",
		"I met Ada in Rome. " + strings.Repeat("Hm. ", longUnread),
	}
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("I like tea number %d.", i))
	}
	for i, text := range texts {
		d := ranking.Document{MessageID: int64(i + 1), Root: "a", SessionID: "a", Seq: int64(i), Role: session.User, Text: text}
		if i == 3 {
			d.Role = session.Assistant
		}
		view.Learn(d)
		learner.Learn(d)
	}
	learner.Learn(ranking.Document{MessageID: 99, Root: "a", SessionID: "a", Seq: 99, Role: session.Tool, Note: FoundNote, Text: "Found."})
	if len(learner.Facts()) < 40 || learner.Hash() != view.Hash() || !slices.Equal(learner.Marks(), view.Marks()) {
		t.Errorf("got %d facts, want the %d of a view", len(learner.Facts()), len(view.Facts()))
	}
	if n := len(learner.unread) + learner.corpus.index.Len(); n > 0 {
		t.Errorf("it keeps %d messages", n)
	}
}
