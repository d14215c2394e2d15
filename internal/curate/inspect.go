package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Known is the memory of a scope, for inspection.
type Known struct {
	Session session.Session
	Facts   []memory.Fact
	Hash    string
	// Next is the memory block of the next turn.
	Next   memory.Block
	Budget int
}

// Inspect returns the memory of a scope as it is shown to the turns of a session.
func (c *Curator) Inspect(ctx context.Context, o owner.Owner, id session.ID, scope memory.Scope) (Known, error) {
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		return Known{}, fmt.Errorf("find session: %w", err)
	}
	known := Known{Session: tip, Budget: compression.StateRoom(c.budgets.Default)}
	count, _ := compression.CounterFor(c.budgets.Model)
	err = c.look(ctx, o, scope, func(v *memory.View) error {
		known.Facts, known.Hash = v.Facts(), v.Hash()
		known.Next = v.Block(known.Budget, count, memory.BlockOptions{Now: c.now()})
		return nil
	})
	return known, err
}
