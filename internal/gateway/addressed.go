package gateway

import (
	"context"
	"fmt"
)

// countsAsSaid makes an edit the message itself, if the message was not taken as it was said and is meant
// for the bot now: a person has added the mention that was forgotten. The id of the event is that of the
// message then, so that it counts once; what is edited after that changes it as any message. It reports
// whether the edit is about a message that was not addressed.
func (g *Gateway) countsAsSaid(ctx context.Context, b *Bot, e *Event) (bool, error) {
	if e.Kind != Edited || e.Type == DM || e.Message == "" {
		return false, nil
	}
	list, err := g.store.SaidEvents(ctx, b.Owner, e.Place, e.Message)
	if err != nil {
		return false, fmt.Errorf("find the message of an edit: %w", err)
	}
	for i := range list {
		if list[i].State != Ignored || list[i].Reason != reasonElsewhere {
			return false, nil
		}
	}
	if len(list) == 0 {
		return false, nil
	}
	said := *e
	said.Kind = Said
	if g.meant(ctx, b, &said) {
		e.Kind, e.ID = Said, "said:"+hashOf(e.Place.Chat, string(e.Message))
	}
	return true, nil
}
