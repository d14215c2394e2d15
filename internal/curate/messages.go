package curate

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// messages are all messages of a lineage.
func (c *Curator) messages(ctx context.Context, o owner.Owner, root session.ID) iter.Seq2[session.Message, error] {
	return c.pagesOf(ctx, o, root, session.Range{To: math.MaxInt64})
}

// standing are the messages of a lineage that stand, up to a Seq.
func (c *Curator) standing(ctx context.Context, o owner.Owner, root session.ID, to int64) iter.Seq2[session.Message, error] {
	return c.pagesOf(ctx, o, root, session.Range{To: to, Standing: true})
}

// pagesOf are the messages of a range of a lineage, which are read page by page.
func (c *Curator) pagesOf(ctx context.Context, o owner.Owner, root session.ID, all session.Range) iter.Seq2[session.Message, error] {
	return func(yield func(session.Message, error) bool) {
		page := all
		page.Limit, page.Bytes = copyPage, copyBytes
		for page.From < page.To {
			ms, err := c.sessions.Messages(ctx, o, root, page)
			if err != nil {
				yield(session.Message{}, fmt.Errorf("read messages: %w", err))
				return
			}
			if len(ms) == 0 {
				return
			}
			page.From = ms[len(ms)-1].Seq + 1
			for i := range ms {
				if !yield(ms[i], nil) {
					return
				}
			}
		}
	}
}
