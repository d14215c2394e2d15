package discord

import (
	"context"
	"encoding/json"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// deleted reads that a message was deleted. Discord does not say who wrote it.
func (a *Adapter) deleted(ctx context.Context, m *message) (gateway.Event, bool, error) {
	if !areIDs(m.ID, m.ChannelID) {
		return gateway.Event{}, false, errUnreadable
	}
	at, ch, err := a.place(ctx, m.ChannelID, m.GuildID != "")
	if err != nil {
		return gateway.Event{}, false, err
	}
	return gateway.Event{
		ID: m.ID + "/deleted", Kind: gateway.Deleted, Place: at, Type: ch.kind, Message: gateway.MessageID(m.ID), At: a.cfg.Now(),
	}, true, nil
}

// deletedTogether reads that messages of a channel were deleted at once, as moderators do. Each is an event of its own, the same as if
// it had been deleted alone.
func (a *Adapter) deletedTogether(ctx context.Context, data []byte) ([]gateway.Event, error) {
	var bulk struct {
		IDs       []string `json:"ids"`
		ChannelID string   `json:"channel_id"`
		GuildID   string   `json:"guild_id"`
	}
	if json.Unmarshal(data, &bulk) != nil {
		return nil, errUnreadable
	}
	var out []gateway.Event
	for _, id := range bulk.IDs {
		e, _, err := a.deleted(ctx, &message{ID: id, ChannelID: bulk.ChannelID, GuildID: bulk.GuildID})
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}
