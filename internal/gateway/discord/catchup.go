package discord

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxCatchUp is how many messages Discord returns at once.
const maxCatchUp = 100

// page is a part of the messages of a channel.
type page struct {
	list []message
	full bool // there may be more
}

// messages returns messages of a channel after one, newest first; after "" the newest. A
// message that cannot be read is left out.
func (a *Adapter) messages(ctx context.Context, channel, after string, limit int) (page, error) {
	query := discord.QueryValues{"limit": limit}
	if after != "" {
		query["after"] = after
	}
	var raw []json.RawMessage
	err := a.api.do(ctx, rest.GetMessages.Compile(query, channel), nil, &raw)
	out := page{full: len(raw) >= limit}
	for _, text := range raw {
		var m message
		if json.Unmarshal(text, &m) != nil {
			a.cfg.Log.ErrorContext(ctx, "discord: a message cannot be read, and is left out")
			continue
		}
		out.list = append(out.list, m)
	}
	return out, err
}

// CatchUp returns the messages of a place after one, oldest first.
func (a *Adapter) CatchUp(ctx context.Context, at gateway.Place, after gateway.MessageID) ([]gateway.Event, error) {
	channel := channelOf(at)
	if !isID(channel) || after != "" && !isID(string(after)) {
		return nil, refused("The place is not a channel of Discord.")
	}
	events, _, err := a.missed(ctx, channel, string(after))
	return events, err
}

// missed returns what persons said in a channel after a message, oldest first, and the
// messages that it read.
func (a *Adapter) missed(ctx context.Context, channel, after string) ([]gateway.Event, page, error) {
	found, err := a.messages(ctx, channel, after, maxCatchUp)
	if err != nil {
		return nil, page{}, err
	}
	slices.SortFunc(found.list, func(x, y message) int { return compareIDs(x.ID, y.ID) })
	var events []gateway.Event
	for i := range found.list {
		e, ok, err := a.said(ctx, &found.list[i])
		if err != nil && !errors.Is(err, errUnreadable) {
			return nil, page{}, err
		}
		if ok {
			events = append(events, e)
		}
	}
	return events, found, nil
}

// compareIDs compares ids by their numbers, and so by their times.
func compareIDs(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
