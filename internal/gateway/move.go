package gateway

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// settleElsewhere stores the state of a message after a failure, and follows its chat if the chat
// has another id now: with the state, so that the message is found as it is under the new id.
func (g *Gateway) settleElsewhere(ctx context.Context, l *lane, s *Send, failed *SendError) error {
	if failed.Reason == Elsewhere {
		if away, err := g.sentElsewhere(ctx, l, s); err != nil || away {
			return err
		}
	}
	if err := g.mark(ctx, l, s); err != nil || failed.Reason != Elsewhere {
		return err
	}
	return g.moveChat(ctx, l.owner, s.Place, failed.MovedTo)
}

// sentElsewhere reports whether a message belongs to the lane of another id by now, which may have sent it.
func (g *Gateway) sentElsewhere(ctx context.Context, l *lane, s *Send) (bool, error) {
	stored, err := g.store.FindSend(ctx, l.owner, s.Place, s.ID, "")
	if fault.KindOf(err) == fault.NotFound {
		return false, nil // it was erased, and its chat is to be followed all the same
	}
	if err != nil {
		return false, fmt.Errorf("read a message: %w", err)
	}
	return stored.Place != s.Place, nil
}

// moveChat gives a chat another id, and asks for what waits in it: whoever works on the old id
// finds nothing there any more.
func (g *Gateway) moveChat(ctx context.Context, o owner.Owner, from Place, to string) error {
	if err := g.store.MoveChat(ctx, o, from, to); err != nil {
		return fmt.Errorf("follow a chat: %w", err)
	}
	g.drafts.leave(o, from)
	chats, err := g.store.ListChats(ctx, o, from.Platform)
	if err != nil {
		return fmt.Errorf("list chats: %w", err)
	}
	places := map[Place]bool{{from.Platform, from.Account, to, from.Thread}: true} // a home has no chat before the first message
	for i := range chats {
		if at := chats[i].Place; at.Account == from.Account && at.Chat == to {
			places[at] = true
		}
	}
	for at := range places {
		g.askAll(o, at)
	}
	return nil
}

// movedAway reports whether a chat has got another id since it was read for a batch. The lane of that id
// follows the turn then.
func (g *Gateway) movedAway(ctx context.Context, o owner.Owner, at Place, b *batch) (bool, error) {
	if b.moves == g.drafts.moved() {
		return false, nil
	}
	_, err := g.store.Chat(ctx, o, at)
	if fault.KindOf(err) == fault.NotFound {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("find a chat: %w", err)
	}
	return false, nil
}
