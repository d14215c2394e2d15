package gateway

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// earlierShown is how many messages are shown that were said in a thread before the bot was
// first addressed in it.
const earlierShown = 20

// earlier is what was said in a thread before the first turn there, as data; "" for nothing,
// in a chat that is no thread, and where the platform cannot be read. Only the model of that
// turn is shown it: it is no part of what the speaker says, and nothing is learnt from it.
func (g *Gateway) earlier(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch) (string, error) {
	from, ok := bot.Adapter.(CatchUp)
	if !ok || chat.Place.Thread == "" {
		return "", nil
	}
	if _, err := g.sessions.Tip(ctx, o, chat.Session); fault.KindOf(err) != fault.NotFound {
		return "", err
	}
	const patience = 10 * time.Second
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := from.CatchUp(timed, chat.Place, "")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil { // the question is answered all the same
		g.log.Info("what was said earlier in a thread could not be read", "platform", chat.Place.Platform, "err", err)
		return "", nil
	}
	return earlierText(until(list, &b.events[0].Event)), nil
}

// until are the messages before one.
func until(list []Event, e *Event) []Event {
	i := slices.IndexFunc(list, func(one Event) bool { return one.Message == e.Message })
	if i < 0 {
		i = slices.IndexFunc(list, func(one Event) bool { return !one.At.Before(e.At) })
	}
	if i < 0 {
		return list
	}
	return list[:i]
}

// earlierText are messages as data, a line each.
func earlierText(list []Event) string {
	var lines []string
	for i := range list {
		cleanEvent(&list[i])
		if strings.TrimSpace(list[i].Text) != "" {
			lines = append(lines, "> "+quoteOf(&Quoted{Name: list[i].From.Name, Text: list[i].Text}, maxQuote))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	lines = lines[max(0, len(lines)-earlierShown):]
	return "(earlier in this thread, quoted:\n" + strings.Join(lines, "\n") + "\n)\n"
}
