package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/secret"
)

// originApproval begins the origin of a message that asks for an approval. The turn and the
// call follow.
const originApproval = "approval "

// maxArguments is how much of a call's arguments is shown, in characters.
const maxArguments = 800

// askApproval asks in the chat whether a tool may run.
func (g *Gateway) askApproval(ctx context.Context, o owner.Owner, chat *Chat, b *batch, e *live.Event) error {
	var a live.Approval
	if err := json.Unmarshal(e.Data, &a); err != nil {
		return fmt.Errorf("read a request for an approval: %w", err)
	}
	s := approvalSend(o, chat, b.run, a.CallID)
	s.Text = fmt.Sprintf("May I run **%s**?\n\n```json\n%s\n```\n\nOr /approve, /deny.", plain(cite.Line(a.Name)), shownArguments(a.Arguments))
	s.Buttons = []Button{{ID: pressApprove + ":" + s.ID, Label: "Run it"}, {ID: pressDeny + ":" + s.ID, Label: "Do not"}}
	s.CreatedAt = g.moment()
	if err := g.store.AddSends(ctx, o, []Send{s}); err != nil {
		return fmt.Errorf("ask for an approval: %w", err)
	}
	g.lanes.ask(sending, o, chat.Place)
	return nil
}

// approvalSend is the message about a call, without its content.
func approvalSend(o owner.Owner, chat *Chat, run, call string) Send {
	origin := originApproval + run + " " + call
	return Send{ID: sendID(o, chat.Place, origin, 0), Place: chat.Place, Type: chat.Type, Origin: origin, State: ToSend}
}

// shownArguments are the arguments of a call for people: secrets are masked, and no sign of
// them ends the block in which they are shown.
func shownArguments(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	return strings.ReplaceAll(shortened(secret.Mask(b.String()), maxArguments), "```", "'''")
}

// showApproval replaces the buttons of a request by the decision.
func (g *Gateway) showApproval(ctx context.Context, o owner.Owner, chat *Chat, b *batch, e *live.Event) error {
	var r live.Resolved
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return fmt.Errorf("read a decision: %w", err)
	}
	s := approvalSend(o, chat, b.run, r.CallID)
	s.Text, s.CreatedAt = decisionText(r), g.moment()
	if err := g.store.AddSends(ctx, o, []Send{s}); err != nil {
		return fmt.Errorf("show a decision: %w", err)
	}
	g.lanes.ask(sending, o, chat.Place)
	return nil
}

// decisionText says what was decided about a call.
func decisionText(r live.Resolved) string {
	switch {
	case r.Approved:
		return "✅ Allowed."
	case r.Reason == "denied":
		return "🚫 Not allowed."
	case r.Reason == "expired":
		return "🚫 Nobody decided in time, so it was not run."
	}
	return "🚫 Stopped, so it was not run."
}

// decide lets a call run, or not. Only who asked, or an admin, may decide.
func (o *order) decide(ctx context.Context, run, call string, yes bool) (reply, error) {
	asker, err := o.askerOf(ctx, run)
	if err != nil {
		return reply{}, err
	}
	if asker != o.event.From.ID && !o.bot.admin(&o.event.From) {
		return reply{text: "Only who asked may decide that."}, nil
	}
	_, err = o.runs.Approve(ctx, callerOf(o.owner), run, call, yes)
	if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound {
		return reply{text: "That was decided before, or the answer is over."}, nil
	}
	return reply{}, err
}

// askerOf is who wrote the message that a turn answers; "" if the turn is over.
func (o *order) askerOf(ctx context.Context, run string) (string, error) {
	open, err := o.store.OpenEvents(ctx, o.owner, o.chat.Place, maxOpen)
	if err != nil {
		return "", fmt.Errorf("read events: %w", err)
	}
	for i := range open {
		if open[i].Run == run {
			return open[i].From.ID, nil
		}
	}
	return "", nil
}
