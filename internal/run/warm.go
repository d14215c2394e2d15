package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// warmSessions is the number of an owner's newest sessions that are read ahead.
	warmSessions = 8
	// warmMessages bounds the size of a session that is read ahead: data that may never
	// be used must not fill the memory.
	warmMessages = 200_000
)

// Warm reads the memory of the most recently used sessions, so that the first turn
// after a start is fast. It is best effort: a failed read is retried, or reported, when
// the memory is needed. It ends with ctx.
func (r *Runner) Warm(ctx context.Context, owners []owner.Owner) {
	for _, o := range owners {
		tips, err := r.sessions.Sessions(ctx, o, session.Filter{Limit: warmSessions})
		if err != nil {
			return
		}
		for i := range tips {
			if tips[i].NextSeq > warmMessages {
				continue
			}
			_, leave, err := r.views.Use(ctx, o, memory.Scope{Root: tips[i].RootID, Key: tips[i].Key}, false)
			if err != nil {
				return
			}
			leave()
		}
	}
}
