package curate

import (
	"context"
	"fmt"
	"time"

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
	Reading Work = "reading"    // facts, summary and title, by the chat model
	Vectors Work = "embeddings" // vectors of messages
)

// Want says which lineages to list.
type Want struct {
	// Root restricts the list to one lineage; "" lists all.
	Root session.ID
	// Every lists lineages with this many messages not yet read for facts; 0 lists
	// none.
	Every int
	// Rested lists lineages with any unread message that have not been used since this
	// time.
	Rested time.Time
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
	// FactsTo is the first Seq not yet read for facts.
	FactsTo int64
	// Summarized is the generation of the newest session whose summary was made.
	Summarized int
	// Titled says that a model was asked for a title. It is reset when the lineage
	// title.Loses its title.
	Titled bool
	// VectorsTo is the first Seq without a vector of the model VectorsBy.
	VectorsTo int64
	VectorsBy string
}

// Study is the result of studying a lineage.
type Study struct {
	Task
	Marks Marks // the new marks
	// Findings are the accepted findings. Changes are the changes in memory that they
	// caused, one for each, in the scope that Keys has at the same index.
	Findings []memory.Finding
	Keys     []session.Key
	Changes  []memory.Change
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

// Verdict is the outcome for the findings of one study.
type Verdict struct {
	Accepted int
	Refused  map[memory.Refusal]int
}

// Learn checks findings of a model against the messages of a lineage, adds the valid
// ones to memory, and stores them. Messages below upTo count as read. It holds the
// lineage's turn for one write, and waits only for the store.
func (c *Curator) Learn(ctx context.Context, o owner.Owner, task Task, upTo int64, findings []memory.Finding) (Verdict, error) {
	v := Verdict{Refused: make(map[memory.Refusal]int)}
	release := func() {}
	defer func() { release() }() // once they are stored
	err := c.study(ctx, o, task, func(l *lineage.Lineage, s *Study) error {
		scopes, err := c.scopesCited(ctx, o, task.Root, findings)
		if err != nil {
			return err
		}
		alone, err := c.lineages.Alone(ctx, o, scopes...)
		if err != nil {
			return err
		}
		release = alone
		s.Marks.FactsTo = max(s.Marks.FactsTo, min(upTo, l.Tip.NextSeq))
		return c.weigh(ctx, o, s, findings, &v)
	})
	if err != nil && v.Accepted > 0 {
		c.views.DropOwner(o) // the views hold more than the store
	}
	return v, err
}

// scopesCited are the scopes of the messages that findings cite.
func (c *Curator) scopesCited(ctx context.Context, o owner.Owner, root session.ID, findings []memory.Finding) ([]memory.Scope, error) {
	var cited []session.Message
	for i := range findings {
		ms, err := c.sessions.Messages(ctx, o, root, session.Range{From: findings[i].Seq, To: findings[i].Seq + 1})
		if err != nil {
			return nil, fmt.Errorf("read cited message: %w", err)
		}
		cited = append(cited, ms...)
	}
	return scopesOf(cited), nil
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

// weigh adds the valid findings to a study.
func (c *Curator) weigh(ctx context.Context, o owner.Owner, s *Study, findings []memory.Finding, v *Verdict) error {
	if len(findings) == 0 {
		return nil
	}
	erasures, err := c.quotes.Erasures(ctx, o)
	if err != nil {
		return fmt.Errorf("read erasures: %w", err)
	}
	for i := range findings {
		f := findings[i]
		f.Root, f.At = s.Root, c.now()
		if f.Erased(o, erasures) {
			v.Refused[memory.RefusedErased]++
			continue
		}
		// The message is read again, because it may have been erased since the call.
		ms, err := c.sessions.Messages(ctx, o, s.Root, session.Range{From: f.Seq, To: f.Seq + 1, Standing: true})
		if err != nil {
			return fmt.Errorf("read cited message: %w", err)
		}
		if len(ms) == 0 {
			v.Refused[memory.RefusedSource]++
			continue
		}
		kept, change, refused, err := c.acceptFinding(ctx, o, &ms[0], f)
		switch {
		case err != nil:
			return err
		case refused != "":
			v.Refused[refused]++
			continue
		}
		v.Accepted++
		s.Findings, s.Keys, s.Changes = append(s.Findings, kept), append(s.Keys, ms[0].Key), append(s.Changes, change)
	}
	return nil
}

// acceptFinding adds a finding to the memory of its message's scope.
func (c *Curator) acceptFinding(
	ctx context.Context, o owner.Owner, m *session.Message, f memory.Finding,
) (memory.Finding, memory.Change, memory.Refusal, error) {
	view, leave, err := c.views.Use(ctx, o, scopeOf(m), false)
	if err != nil {
		return f, memory.Change{}, "", fmt.Errorf("load memory: %w", err)
	}
	defer leave()
	kept, change, refused := view.Accept(ranking.DocumentOf(m), f)
	return kept, change, refused, nil
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
