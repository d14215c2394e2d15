package graphiti

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// Forget implements run.Provider. Without an episode, Graphiti still has the facts and the summaries that it
// drew from it. They go with their group only.
func (g *Provider) Forget(ctx context.Context, p run.Place, ids []int64) (run.Passed, error) {
	if ids != nil {
		return run.Passed{}, run.ErrWholePlace
	}
	group := provider.Joined(p)
	g.sure.Leave(group)
	err := g.client.Do(ctx, &provider.Exchange{Method: http.MethodDelete, Path: "/group/" + url.PathEscape(group)})
	if err != nil && !provider.NoRow(err) {
		return run.Passed{}, fmt.Errorf("delete: %w", err)
	}
	stored, err := g.episodes(ctx, group)
	if err != nil {
		return run.Passed{}, err
	}
	if len(stored) > 0 {
		return run.Passed{Left: fmt.Sprintf("Graphiti still has %d episodes.", len(stored))}, nil
	}
	return run.Passed{Confirmed: 1}, nil
}
