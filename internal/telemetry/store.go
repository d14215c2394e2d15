package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Committed implements storage.Observer.
func (t *Telemetry) Committed(c storage.Commit) {
	t.metrics.batch.Observe(float64(c.Operations))
	t.metrics.commit.Observe(c.Took.Seconds())
	t.metrics.sync.Observe(c.Synced.Seconds())
}

// RolledBack implements storage.Observer.
func (t *Telemetry) RolledBack() { t.metrics.rollbacks.Inc() }

// Search is a store whose searches are measured.
func (t *Telemetry) Search(s search.Store) search.Store { return searched{s, t} }

type searched struct {
	search.Store
	t *Telemetry
}

// Search implements search.Store.
func (s searched) Search(ctx context.Context, o owner.Owner, r search.Request) (search.Found, error) {
	began := time.Now()
	ctx, sp := s.t.start(ctx, "search", trace.SpanKindInternal)
	found, err := s.Store.Search(ctx, o, r)
	outcome := "whole"
	switch {
	case err != nil:
		outcome = "failed"
	case found.Partial:
		outcome = "partial"
	}
	if sp != nil {
		sp.SetAttributes(attribute.String("hermes.outcome", outcome), attribute.Int("hermes.hits", len(found.Hits)))
		if err != nil {
			sp.fail(outcome)
		}
		sp.End()
	}
	s.t.metrics.searches.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
	return found, err
}
