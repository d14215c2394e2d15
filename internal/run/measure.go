package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/lineage"
)

// Measure returns the cost of the prompt of a turn without carrying the turn out: it asks
// no model and stores nothing. It fails as Start does before it asks a model.
func (r *Runner) Measure(ctx context.Context, req *Request) (lineage.Context, error) {
	located, err := r.Locate(ctx, req)
	if err != nil {
		return lineage.Context{}, err
	}
	measured := *located
	measured.OffRecord, measured.Idempotency = true, nil
	t, err := r.open(ctx, &measured)
	defer t.end()
	if err != nil {
		return lineage.Context{}, err
	}
	laid, err := t.layOut(ctx)
	if err != nil {
		return lineage.Context{}, err
	}
	s := &turn{laidOut: laid}
	if err := s.store(ctx); err != nil { // which stores nothing of a turn off the record
		return lineage.Context{}, err
	}
	return s.prompt.context, nil
}
