package cli

import (
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/study"
)

// chooseStudy decides which models work on memory between turns: those that are
// configured and that the upstream offers.
func (s *server) chooseStudy(views *memory.Views, questions *memory.Questions) (study.Parts, httpapi.Background) {
	set, on := &s.cfg.Memory, httpapi.Background{}
	p := study.Parts{
		Store: s.db, Queue: s.told, Owners: s.owners, TokensPerHour: set.TokensPerHour, Now: s.now, Log: s.log,
	}
	if set.Model != "" && s.choice.Model != nil {
		p.Chat, p.Model = s.choice.Model, set.Model
		on.Model = set.Model
	}
	if set.Embeddings != "" && s.choice.Embedder != nil {
		p.Embed, p.Embeddings = s.choice.Embedder(set.Embeddings), set.Embeddings
		on.Embeddings = set.Embeddings
		questions.Embed, questions.Patience = p.Embed, set.EmbeddingsWait
		views.Embed(set.Embeddings)
	}
	return p, on
}

// tellStudy logs configured models that are not available.
func (s *server) tellStudy() {
	set := &s.cfg.Memory
	if set.Model != "" && s.choice.Model == nil || set.Embeddings != "" && s.choice.Model == nil {
		s.log.Warn("memory.model or memory.embeddings_model is set, but no model server is in use: memory works without")
	} else if set.Embeddings != "" && s.choice.Embedder == nil {
		s.log.Warn("memory.embeddings_model is set, but this upstream has no embeddings: search works by words alone")
	}
}
