package curate

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Cost is what the turns of a stretch of a lineage sent to their models, in
// tokens, summed up.
type Cost struct {
	Turns   int
	From    int64           // the first answer's place in the lineage
	To      int64           // the last one's
	At      time.Time       // when the last one was given
	Context lineage.Context // sums, but for the budget: there it is the largest
}

// Costs sums up what a session has cost, over its whole lineage, in at most
// points stretches, oldest first.
func (c *Curator) Costs(ctx context.Context, o owner.Owner, tip *session.Session, points int) ([]Cost, error) {
	costs, err := c.receipts.Costs(ctx, o, tip.RootID, points)
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	return costs, nil
}
