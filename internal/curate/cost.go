package curate

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Cost is the cost of a range of turns of a lineage, in tokens.
type Cost struct {
	Turns   int
	From    int64           // Seq of the first answer
	To      int64           // Seq of the last answer
	At      time.Time       // time of the last answer
	Context lineage.Context // sums; the budget is the maximum
}

// Costs returns the costs of a session's lineage in at most points ranges, oldest
// first.
func (c *Curator) Costs(ctx context.Context, o owner.Owner, tip *session.Session, points int) ([]Cost, error) {
	costs, err := c.receipts.Costs(ctx, o, tip.RootID, points)
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	return costs, nil
}
