package curate

import (
	"context"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Overview is the memory of a scope without its facts.
type Overview struct {
	Facts int
	Hash  string
	// Next is the memory block of the next turn.
	Next   memory.Block
	Budget int
}

// Overview returns what the next turn of a scope would be shown.
func (c *Curator) Overview(ctx context.Context, o owner.Owner, scope memory.Scope) (Overview, error) {
	out := Overview{Budget: compression.StateRoom(c.budgets.Default)}
	count, _ := compression.CounterFor(c.budgets.Model)
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		out.Facts, out.Hash = len(v.Facts()), v.Hash()
		out.Next = v.Block(out.Budget, count, memory.BlockOptions{Now: c.now()})
		return nil
	})
	return out, err
}
