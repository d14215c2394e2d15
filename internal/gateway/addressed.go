package gateway

import (
	"context"
	"fmt"
	"slices"
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

// addressAlbums addresses all messages of an album of which one addresses the bot. People see an album as
// one message, but its caption stands in one of its messages alone.
func addressAlbums(events []Event) {
	for i := range events {
		if events[i].Album == "" || !events[i].Addressed {
			continue
		}
		for k := range events {
			if events[k].sameAlbum(&events[i]) {
				events[k].Addressed = true
			}
		}
	}
}

// albumMeant reports whether a message belongs to an album that addressed the bot in a message before it.
func (g *Gateway) albumMeant(ctx context.Context, b *Bot, e *Event) bool {
	if e.Album == "" {
		return false
	}
	open, err := g.store.OpenEvents(ctx, b.Owner, e.Place, maxOpen)
	return err == nil && slices.ContainsFunc(open, func(in Inbound) bool { return in.Addressed && e.sameAlbum(&in.Event) })
}

// sameAlbum reports whether two messages of one person belong to one album.
func (e *Event) sameAlbum(other *Event) bool {
	return e.Album != "" && e.Album == other.Album && e.Place == other.Place && e.From.ID == other.From.ID
}
