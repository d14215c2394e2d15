package memory

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// source reads one scope of the store. The view that reads by it outlives the request for
// which the view is made, and so does ctx.
type source struct {
	ctx   context.Context
	store Archive
	owner owner.Owner
	scope Scope
	far   bool // each read of the store is a round trip to another process
}

func (c *Views) source(ctx context.Context, o owner.Owner, s Scope) *source {
	return &source{ctx: context.WithoutCancel(ctx), store: c.store, owner: o, scope: s, far: c.shared}
}

// indexed reports whether pieces may index the scope: its present, and not a lineage with the
// messages of several scopes.
func (s *source) indexed() bool { return s.scope.AsOf.IsZero() && !s.scope.Whole }

// manifest is the state of the scope. That of a scope without pieces is Unwritten.
func (s *source) manifest(ctx context.Context) (Manifest, error) {
	if !s.indexed() {
		return Manifest{Version: Unwritten}, nil
	}
	m, err := s.store.Manifest(ctx, s.owner, s.scope)
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	return m, nil
}

// opening is the manifest of the scope with rows that its pieces lack.
func (s *source) opening() (Opening, error) {
	if !s.far || !s.indexed() {
		m, err := s.manifest(s.ctx)
		return Opening{Manifest: m}, err
	}
	begun, err := s.store.Opening(s.ctx, s.owner, s.scope)
	if err != nil {
		return Opening{}, fmt.Errorf("read manifest: %w", err)
	}
	return begun, nil
}

// manifestFor is manifest for a request.
func (s *source) manifestFor(ctx context.Context) (Manifest, error) {
	asked := *s
	asked.ctx = ctx
	return asked.manifest(ctx)
}

// documents calls each for the messages with ids above after, in the order of ids, until
// each returns false.
func (s *source) documents(ctx context.Context, after int64, each func(*ranking.Document) bool) error {
	err := s.store.Documents(ctx, s.owner, s.scope, after, func(d ranking.Document) bool { return ctx.Err() == nil && each(&d) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("load messages: %w", err)
	}
	return nil
}

// before calls each for the messages of a lineage before a Seq, newest first, until each
// returns false.
func (s *source) before(root session.ID, seq int64, each func(*ranking.Document) bool) error {
	const page = 2 * Reach
	for seq > 0 {
		docs, err := s.store.DocumentsBefore(s.ctx, s.owner, s.scope, root, seq, page)
		if err != nil {
			return fmt.Errorf("load the newest messages: %w", err)
		}
		for i := range docs {
			if !each(&docs[i]) {
				return nil
			}
		}
		if len(docs) < page {
			return nil
		}
		seq = docs[page-1].Seq
	}
	return nil
}
