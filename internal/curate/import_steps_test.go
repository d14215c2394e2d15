package curate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// steps is a store that notes how many messages each step has.
type steps struct {
	runtest.Store
	messages []int
}

func (s *steps) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	s.messages = append(s.messages, len(step.Messages))
	return s.Store.AppendTurn(ctx, o, step)
}

// TestImportStepsAreBounded: a page of an import is stored in several steps if learning it fills the cache
// of scopes. What is stored is the same as in one step.
func TestImportStepsAreBounded(t *testing.T) {
	t.Parallel()
	const messages = 120
	var want []memory.Fact
	for _, c := range []struct {
		cache       int64
		least, most int // steps with messages
	}{{64 << 20, 1, 1}, {1 << 20, 3, 20}} {
		db := runtest.Open(t, filepath.Join(t.TempDir(), "state.db"))
		t.Cleanup(func() { _ = db.Close() })
		store := &steps{Store: db}
		_, curator := runtest.New(db, &runtest.Parts{Store: store, Views: memory.NewViews(db, c.cache)})
		got, err := curator.Import(t.Context(), wordy(messages))
		if err != nil || got.Messages != messages {
			t.Fatalf("got %+v and %v, want %d messages", got, err, messages)
		}
		filled, all := 0, 0
		for _, n := range store.messages {
			filled, all = filled+min(n, 1), all+n
		}
		if filled < c.least || filled > c.most || all != messages {
			t.Errorf("a cache of %d bytes: got %d steps with %d messages %v, want %d to %d with %d",
				c.cache, filled, all, store.messages, c.least, c.most, messages)
		}
		facts, err := memory.NewViews(db, 64<<20).PastFacts(t.Context(), owner.Local(), memory.Scope{Key: "me"})
		if err != nil || len(facts) < messages {
			t.Fatalf("got %d facts and %v, want %d at least", len(facts), err, messages)
		}
		if want == nil {
			want = facts
		}
		for i := range want {
			if len(facts) != len(want) || facts[i].Quote != want[i].Quote || facts[i].SupersededBy != want[i].SupersededBy {
				t.Fatalf("fact %d of %d differs from that of an import in one step: %+v, want %+v of %d", i, len(facts), facts[i], want[i], len(want))
			}
		}
	}
}

// wordy is a lineage of messages with many facts, some of which end others.
func wordy(messages int) *curate.Archived {
	begun := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	id := session.ID("long")
	return &curate.Archived{
		Owner: owner.Local(),
		Sessions: []session.Session{{
			ID: id, RootID: id, Key: "me", Source: "import", StartedAt: begun, LastActive: begun.Add(time.Hour), NextSeq: int64(messages),
		}},
		Messages: func(yield func(session.Message, error) bool) {
			for i := range messages {
				var text strings.Builder
				for n := range 8 {
					fmt.Fprintf(&text, "We use tool%d for the part%d of the plant. ", i*8+n, (i*8+n)%90)
				}
				at := begun.Add(time.Duration(i) * time.Second)
				m := session.Message{SessionID: id, RootID: id, Key: "me", Seq: int64(i), Role: session.User, Content: text.String(), SaidAt: at, RecordedAt: at}
				if !yield(m, nil) {
					return
				}
			}
		},
	}
}
