package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Studies stores the results of background work on lineages. The work is optional: no
// turn depends on it.
type Studies interface {
	// Unstudied lists lineages with work to do, most recently used first.
	Unstudied(ctx context.Context, o owner.Owner, want Want) ([]session.ID, error)
	// Marks returns how far a lineage has been studied; zero for never.
	Marks(ctx context.Context, o owner.Owner, root session.ID) (Marks, error)
	// KeepStudy stores the results of a study in one transaction. NotFound if the
	// lineage is gone, Conflict "claim_lost" if another worker has claimed the task
	// since.
	KeepStudy(ctx context.Context, o owner.Owner, s Study) error
}

// Task is a lineage to study, and the claim on it.
type Task struct {
	Root session.ID
	Kind Work
	// Fence is the fence of the claim; 0 without a claim.
	Fence int64
}

// Work is a kind of study.
type Work string

// The kinds of work.
const (
	Reading Work = "reading"    // summary and title, by the chat model
	Vectors Work = "embeddings" // vectors of messages
)

// Want says which lineages to list.
type Want struct {
	// Root restricts the list to one lineage; "" lists all.
	Root session.ID
	// Summaries lists lineages whose last fold has no summary yet.
	Summaries bool
	// Titles lists lineages with a derived title for which no model has been asked.
	Titles bool
	// Embeddings lists lineages with messages without a vector of this model; "" lists
	// none.
	Embeddings string
	// Limit is the maximum number.
	Limit int
}

// Marks record how far a lineage has been studied.
type Marks struct {
	// Summarized is the generation of the newest session whose summary was made.
	Summarized int
	// Titled says that a model was asked for a title. It is reset when the lineage
	// loses its title.
	Titled bool
	// VectorsTo is the first Seq without a vector of the model VectorsBy.
	VectorsTo int64
	VectorsBy string
}

// Study is the result of studying a lineage.
type Study struct {
	Task
	Marks Marks // the new marks
	// Summary replaces the summary of the session that it names; nil changes none.
	Summary *Summary
	// Title goes to all sessions of the lineage with a derived title, numbered if it is
	// taken; "" changes none.
	Title string
	// Vectors are new vectors, or replace those of another model.
	Vectors []ranking.Vector
}

// Summary is the summary of a session's folded turns.
type Summary struct {
	Session session.ID
	Text    string
}

// Verdict counts the accepted and the refused extracts of one summary.
type Verdict struct {
	Accepted int
	Refused  map[memory.Refusal]int
}

// study runs do with a lineage's marks, between two turns, and stores the result.
func (c *Curator) study(ctx context.Context, o owner.Owner, task Task, do func(*lineage.Lineage, *Study) error) error {
	l, err := c.lineages.Take(ctx, o, task.Root, lineage.Bare)
	if err != nil {
		return err
	}
	defer l.Release()
	s := Study{Task: task}
	if s.Marks, err = c.studies.Marks(ctx, o, task.Root); err != nil {
		return fmt.Errorf("read marks: %w", err)
	}
	if err := do(l.Lineage, &s); err != nil {
		return err
	}
	if err := c.studies.KeepStudy(ctx, o, s); err != nil {
		return fmt.Errorf("keep study: %w", err)
	}
	return nil
}

// KeepVectors stores a model's vectors of messages in order. Messages below upTo count
// as done.
func (c *Curator) KeepVectors(ctx context.Context, o owner.Owner, task Task, model string, upTo int64, vectors []KeyedVector) error {
	var kept []*KeyedVector
	err := c.study(ctx, o, task, func(l *lineage.Lineage, s *Study) error {
		if s.Marks.VectorsBy != model {
			s.Marks.VectorsBy, s.Marks.VectorsTo = model, 0
		}
		stands, err := c.texts(ctx, o, task.Root, vectors)
		if err != nil {
			return err
		}
		for i := range vectors {
			if v := &vectors[i]; stands[v.Seq] == v.Text {
				s.Vectors, kept = append(s.Vectors, v.Vector), append(kept, v)
			} else { // the message has changed since
				upTo = min(upTo, v.Seq)
			}
		}
		s.Marks.VectorsTo = max(s.Marks.VectorsTo, min(upTo, l.Tip.NextSeq))
		return nil
	})
	if err != nil {
		return err
	}
	for _, v := range kept {
		c.views.AddVectors(o, memory.Scope{Root: task.Root, Key: v.Key}, []ranking.Vector{v.Vector})
	}
	return nil
}

// texts are the current texts of the vectors' messages, by Seq.
func (c *Curator) texts(ctx context.Context, o owner.Owner, root session.ID, vectors []KeyedVector) (map[int64]string, error) {
	if len(vectors) == 0 {
		return nil, nil
	}
	ms, err := c.sessions.Messages(ctx, o, root, session.Range{From: vectors[0].Seq, To: vectors[len(vectors)-1].Seq + 1, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	out := make(map[int64]string, len(ms))
	for i := range ms {
		out[ms[i].Seq] = ms[i].Content
	}
	return out, nil
}

// KeyedVector is a vector with the text that it was computed from and the session key
// of its message.
type KeyedVector struct {
	ranking.Vector
	Key  session.Key
	Text string
}
