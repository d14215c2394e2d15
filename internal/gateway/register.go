package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
)

// register registers the commands of a bot. A failure is repeated until ctx ends, less and
// less often: nobody waits for it, and a platform that refuses may be set up better.
func (g *Gateway) register(ctx context.Context, b *Bot) {
	c, ok := b.Adapter.(Commander)
	if !ok {
		return
	}
	const most = time.Hour
	bell := claim.NewBell(g.now)
	for wait := time.Second; ; wait = min(2*wait, most) {
		err := c.Commands(ctx, CommandList())
		if err == nil || ctx.Err() != nil {
			return
		}
		failed, _ := errors.AsType[*SendError](err)
		wait = max(wait, waitOf(failed))
		g.log.Warn("the commands could not be registered; it is tried again", "platform", b.Adapter.Platform(), "wait", wait, "err", err)
		bell.Sleep(ctx, g.now().Add(wait))
	}
}
