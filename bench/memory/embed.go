package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// embedBatch is how many texts are embedded in one call.
const embedBatch = 64

// embeddings says which server compares messages by meaning, in addition to their words.
type embeddings struct{ url, model string }

// meanings are the vectors of a conversation's messages and questions. The zero value
// compares nothing.
type meanings struct {
	messages  ranking.Meanings
	questions [][]float32
}

// of embeds a conversation; without a server there is nothing to compare.
func (e embeddings) of(ctx context.Context, c *conversation) (*meanings, error) {
	m := &meanings{}
	if e.url == "" {
		return m, nil
	}
	embedder := upstream.New(upstream.Options{BaseURL: e.url}).Embedder(e.model)
	var texts []string
	for i := range c.documents {
		texts = append(texts, c.documents[i].Text)
	}
	for i := range c.questions {
		texts = append(texts, c.questions[i].text)
	}
	var all [][]float32
	for batch := range slices.Chunk(texts, embedBatch) {
		vectors, _, err := embedder.Embed(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("embed %s: %w", c.name, err)
		}
		all = append(all, vectors...)
	}
	for i := range c.documents {
		d := &c.documents[i]
		scale, parts, ok := ranking.Quantize(all[i])
		if ok {
			m.messages.Add(ranking.Vector{MessageID: d.MessageID, SessionID: d.SessionID, Root: d.Root, Seq: d.Seq, Scale: scale, Parts: parts})
		}
	}
	m.questions = all[len(c.documents):]
	return m, nil
}

// join merges what words find for a question with what is near in meaning, as the
// memory of a scope does.
func (m *meanings) join(hits []ranking.Hit, question int, explain bool) []ranking.Hit {
	if m.messages.Len() == 0 {
		return hits
	}
	return ranking.Fuse(hits, m.messages.Near(&ranking.Query{Vector: m.questions[question]}, ranking.Nearest), len(hits), explain)
}
