package cli

import (
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/study"
)

// withStudy makes the runner of parts, and beside it, if the configuration asks
// for that, the background work of models on memory. It says what is on.
func (s *server) withStudy(parts *run.Parts) httpapi.Background {
	set, on := &s.cfg.Memory, httpapi.Background{}
	p := study.Parts{
		Store: s.db, Ledger: s.db, Owners: s.owners, TokensPerHour: set.TokensPerHour, Now: s.now, Log: s.log,
	}
	parts.Studies = s.db
	if set.Model != "" && s.choice.Model != nil {
		p.Chat, p.Model = s.choice.Model, set.Model
		on.Model = set.Model
	}
	if set.Embeddings != "" && s.choice.Embedder != nil {
		p.Embed, p.Embeddings = s.choice.Embedder(set.Embeddings), set.Embeddings
		on.Embeddings = set.Embeddings
		parts.Embed, parts.EmbedPatience = p.Embed, set.EmbeddingsWait
		parts.Views.Embed(set.Embeddings)
	}
	if p.Chat != nil || p.Embed != nil {
		parts.Wake = func(o owner.Owner, root session.ID) { s.study.Wake(o, root) }
	}
	s.runner = run.New(*parts)
	if parts.Wake != nil {
		p.Runner = s.runner
		s.study = study.New(p)
	}
	return on
}

// tellStudy says what was asked for and cannot be had.
func (s *server) tellStudy() {
	set := &s.cfg.Memory
	if set.Model != "" && s.choice.Model == nil || set.Embeddings != "" && s.choice.Model == nil {
		s.log.Warn("memory.model or memory.embeddings_model is set, but no model server is in use: memory works without")
	} else if set.Embeddings != "" && s.choice.Embedder == nil {
		s.log.Warn("memory.embeddings_model is set, but this upstream has no embeddings: search works by words alone")
	}
}
