package study

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// vectorBatch is how many messages one call embeds, and shownOfVector how much of
	// each, in bytes: a message usually states its subject at its beginning.
	vectorBatch   = 32
	shownOfVector = 2000
	vectorTime    = 30 * time.Second
	// vectorShare is how much cheaper a token is to embed than to chat about.
	vectorShare = 20
)

// vectors embeds a lineage's new messages.
func (s *Study) vectors(ctx context.Context, o owner.Owner, task curate.Task) error {
	for ctx.Err() == nil {
		marks, err := s.Store.Marks(ctx, o, task.Root)
		if err != nil {
			return err
		}
		if marks.VectorsBy != s.Embeddings {
			marks.VectorsTo = 0
		}
		ms, err := s.Store.Messages(ctx, o, task.Root, session.Range{From: marks.VectorsTo, Limit: vectorBatch, Standing: true})
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		if len(ms) == 0 {
			return nil
		}
		rows, err := s.directions(ctx, ms)
		if err != nil {
			return err
		}
		if err := s.Curator.KeepVectors(ctx, o, task, s.Embeddings, ms[len(ms)-1].Seq+1, rows); err != nil {
			return err
		}
		s.stats.vectors.Add(int64(len(rows)))
	}
	return ctx.Err()
}

// directions asks for the vectors of messages. Messages without words get none, nor do those
// that only repeat stored content: recall never returns them.
func (s *Study) directions(ctx context.Context, ms []session.Message) ([]curate.KeyedVector, error) {
	var texts []string
	var rows []curate.KeyedVector
	size := 0
	for i := range ms {
		m := &ms[i]
		text := strings.ToValidUTF8(secret.Mask(m.Content[:min(len(m.Content), shownOfVector)]), "")
		if m.Echoes() || strings.TrimSpace(text) == "" {
			continue
		}
		texts = append(texts, text)
		size += len(text)
		rows = append(rows, curate.KeyedVector{Key: m.Key, Text: m.Content, Vector: ranking.Vector{
			MessageID: m.ID, SessionID: m.SessionID, Root: m.RootID, Seq: m.Seq,
		}})
	}
	if len(texts) == 0 {
		return nil, nil
	}
	vectors, err := s.embedding(ctx, texts, size)
	if err != nil {
		return nil, err
	}
	kept := rows[:0]
	for i := range rows {
		var ok bool
		if rows[i].Scale, rows[i].Parts, ok = ranking.Quantize(vectors[i]); ok {
			kept = append(kept, rows[i])
		}
	}
	return kept, nil
}

// embedding makes one call for vectors. The error is a [later] if the call may not be
// made now or failed.
func (s *Study) embedding(ctx context.Context, texts []string, size int) ([][]float32, error) {
	taken, err := s.afford(&s.embed, size/bytesPerToken/vectorShare+1)
	if err != nil {
		return nil, err
	}
	s.stats.calls.Add(1)
	call, cancel := context.WithTimeout(ctx, vectorTime)
	defer cancel()
	vectors, cost, err := s.Embed.Embed(call, texts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil && len(vectors) != len(texts) {
		err = errRaving
	}
	if err != nil {
		return nil, s.fail(&s.embed, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cost > 0 {
		s.settle(taken, cost/vectorShare+1)
	}
	s.embed.succeed()
	return vectors, nil
}
