package curate

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
)

// CostGroup says by what costs are summed up.
type CostGroup string

// The groups; the zero value is one group for all.
const (
	BySession CostGroup = "session"
	ByModel   CostGroup = "model"
	BySource  CostGroup = "source"
)

// Stretch is a stretch of time in UTC, in which costs are summed up.
type Stretch string

// The stretches. A week begins on Monday.
const (
	Hour Stretch = "hour"
	Day  Stretch = "day"
	Week Stretch = "week"
)

// Width is the length of a stretch, and what is added to a time before it is divided by that
// length, in milliseconds: the first day of Unix time was a Thursday.
func (s Stretch) Width() (width, shift int64) {
	const day = int64(24 * time.Hour / time.Millisecond)
	switch s {
	case Hour:
		return day / 24, 0
	case Week:
		return 7 * day, 3 * day
	case Day:
	}
	return day, 0
}

// CostFilter selects the answers of a report, and says how they are summed up.
type CostFilter struct {
	From, To time.Time // from From, before To
	Stretch  Stretch
	By       CostGroup
}

// CostRow is the cost of the answers of a group in a stretch of time.
type CostRow struct {
	At      time.Time // the beginning of the stretch
	Group   string
	Turns   int
	Context lineage.Context // sums; the budget is the maximum
}

// CostReport sums up the costs of all sessions of an owner, by time and group.
func (c *Curator) CostReport(ctx context.Context, o owner.Owner, f CostFilter) ([]CostRow, error) {
	rows, err := c.receipts.CostReport(ctx, o, f)
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	return rows, nil
}
