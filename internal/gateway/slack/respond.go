package slack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// hookLife is how long Slack takes answers at a response URL.
const hookLife = 30 * time.Minute

// hookHost is where Slack's response URLs are.
const hookHost = "hooks.slack.com"

// ephemeral begins the ids of messages that Slack shows to one person. Slack gives them none.
const ephemeral = "ephemeral:"

func isEphemeral(m gateway.MessageID) bool { return strings.HasPrefix(string(m), ephemeral) }

// mute marks an event of a chat without the bot. The answer goes to the response URL then.
func (r *reader) mute(e *gateway.Event, where chat, hook string) {
	if where.absent {
		e.Mute, e.Interaction = true, r.hook(e.ID, hook)
	}
}

// keepHook keeps a response URL as long as Slack takes answers there, and returns the name under which it is
// kept. A program that knows the URL can write to the person: the URL is never stored.
func (a *Adapter) keepHook(id, hook string) string {
	if !a.isHook(hook) {
		return ""
	}
	now := a.now()
	a.hooks.put(id, hook, now, now.Add(hookLife))
	return id
}

// isHook reports whether a response URL is Slack's, or of the server whose Web API the settings name.
func (a *Adapter) isHook(hook string) bool {
	u, err := url.Parse(hook)
	if err != nil || u.User != nil {
		return false
	}
	return u.Scheme == "https" && u.Host == hookHost || u.Scheme == a.root.Scheme && u.Host == a.root.Host
}

// respond answers at a response URL. Only the person sees the answer.
func (a *Adapter) respond(ctx context.Context, hook string, o *gateway.Out) (gateway.MessageID, error) {
	if o.File != nil {
		return "", &gateway.SendError{Reason: gateway.Refused, Text: "Slack takes no file where the bot is not in the channel."}
	}
	text := written(o)
	m := &api.WebhookMessage{ResponseType: "ephemeral", Text: text}
	if len(o.Buttons) > 0 {
		m.Blocks = &api.Blocks{BlockSet: []api.Block{section(text), actions(o.Buttons)}}
	}
	ctx, wrote := watched(ctx)
	err := api.PostWebhookCustomHTTPContext(ctx, hook, a.http, m)
	if refused, ok := errors.AsType[api.StatusCodeError](err); ok && refused.Code < http.StatusInternalServerError {
		const late = "Slack takes no more answers to the command, and the bot is not in the channel."
		return "", &gateway.SendError{Reason: gateway.Gone, Text: late, Err: refused}
	}
	if err != nil {
		return "", failure(err, wrote.Load())
	}
	return gateway.MessageID(ephemeral + o.ID), nil
}
