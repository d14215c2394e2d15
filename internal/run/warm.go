package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// warmSessions is how many of an owner's newest sessions are read ahead.
	warmSessions = 8
	// warmMessages bounds a session that is read ahead: what may never be asked
	// for must not fill the memory.
	warmMessages = 200_000
)

// Warm reads the memory of the sessions used last, so that the first turn after
// a start need not. It is best effort: what cannot be read now is read, or
// reported, when it is asked for. It ends with ctx.
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
