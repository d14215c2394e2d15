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

// originApproval begins the origin of a message that asks for an approval. The turn, the number
// of the request among its events, and the call follow. A turn that is tried again may call under
// the same id: that is another request.
const originApproval = "approval "

// maxArguments is how much of a call's arguments is shown, in characters.
const maxArguments = 800

// askApproval asks in the chat whether a tool may run.
func (g *Gateway) askApproval(ctx context.Context, o owner.Owner, d *draft, e *live.Event) error {
	var a live.Approval
	if err := json.Unmarshal(e.Data, &a); err != nil {
		return fmt.Errorf("read a request for an approval: %w", err)
	}
	req := asked{a, e.Seq}
	d.ask(req)
	s := d.request(&req)
	approve, deny := g.commandIn(d.chat, "approve"), g.commandIn(d.chat, "deny")
	if req.numbered() {
		approve, deny = fmt.Sprint(approve, " ", a.Number), fmt.Sprint(deny, " ", a.Number)
	}
	s.Text = req.question(fmt.Sprintf("Or %s, %s.", approve, deny))
	s.Buttons = []Button{{ID: pressApprove + ":" + s.ID, Label: "Run it"}, {ID: pressDeny + ":" + s.ID, Label: "Do not"}}
	return g.putRequest(ctx, o, &s)
}

// numbered reports whether people are shown the number of a request: there are others in its turn.
func (a *asked) numbered() bool { return a.Of > 1 || a.Number > 1 }

// question asks whether a call may run, and ends with a line: how to decide, or what was decided.
func (a *asked) question(end string) string {
	number := ""
	if a.numbered() {
		number = fmt.Sprintf("%d\\. ", a.Number) // no list
	}
	return fmt.Sprintf("%sMay I run **%s**?\n\n```json\n%s\n```\n\n%s", number, plain(cite.Line(a.Name)), shownArguments(a.Arguments), end)
}

// request is the message about a call, without its content.
func (d *draft) request(a *asked) Send {
	at := d.chat.Place
	origin := fmt.Sprintf("%s%s %d %s", originApproval, d.run, a.seq, a.CallID)
	s := Send{ID: sendID(d.owner, at, origin, 0), Place: at, Type: d.chat.Type, Origin: origin, State: ToSend}
	if d.chat.Type == DM {
		s.ReplyTo = d.replyTo
	}
	return s
}

// putRequest stores the message about a call, or its new content.
func (g *Gateway) putRequest(ctx context.Context, o owner.Owner, s *Send) error {
	s.CreatedAt = g.moment()
	if err := g.store.AddSends(ctx, o, []Send{*s}); err != nil {
		return fmt.Errorf("ask for an approval: %w", err)
	}
	g.lanes.ask(sending, o, s.Place)
	return nil
}

// calledFor is the turn and the call of a message that asks for an approval.
func calledFor(rest string) (run, call string) {
	run, rest, _ = strings.Cut(rest, " ")
	_, call, _ = strings.Cut(rest, " ")
	return run, call
}

// voidApprovals takes the buttons away from requests of an attempt that is over: the next one
// asks anew.
func (g *Gateway) voidApprovals(ctx context.Context, o owner.Owner, d *draft) error {
	for _, a := range d.answerAll() {
		s := d.request(&a)
		s.Text = a.question("🚫 The server stopped before anybody decided, so it was not run. If it is still needed, it is asked for again.")
		if err := g.putRequest(ctx, o, &s); err != nil {
			return err
		}
	}
	return nil
}

// shownArguments are the arguments of a call for people: secrets are masked, and no sign of
// them ends the block in which they are shown.
func shownArguments(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	return strings.ReplaceAll(shortened(secret.Mask(legible(b.String())), maxArguments), "```", "'''")
}

// maskedArguments are the arguments of a call as JSON in which secrets are masked; as one text if the masked
// arguments are no JSON any more.
func maskedArguments(raw json.RawMessage) json.RawMessage {
	masked := secret.Mask(string(raw))
	if json.Valid([]byte(masked)) {
		return json.RawMessage(masked)
	}
	text, err := json.Marshal(masked)
	if err != nil {
		return nil // a text always has a form in JSON
	}
	return text
}

// legible is JSON with the signs themselves that Go writes as escapes for pages: people cannot judge a command
// in which "&&" stands as numbers. An escaped backslash stays one.
func legible(text string) string {
	return strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
}

// showApproval replaces the buttons of a request by the decision. The tool and its arguments stay.
func (g *Gateway) showApproval(ctx context.Context, o owner.Owner, d *draft, e *live.Event) error {
	var r live.Resolved
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return fmt.Errorf("read a decision: %w", err)
	}
	a, ok := d.answer(r.Number)
	if !ok {
		return nil
	}
	s := d.request(&a)
	s.Text = a.question(decisionText(r))
	return g.putRequest(ctx, o, &s)
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
func (o *call) decide(ctx context.Context, run, call string, yes bool) (reply, error) {
	asker, err := o.askerOf(ctx, run)
	if err != nil {
		return reply{}, err
	}
	if asker != o.event.From.ID && !o.bot.admin(&o.event.From) {
		return reply{text: "Only the person who asked, or an admin, may decide that."}, nil
	}
	_, err = o.runs.Approve(ctx, callerOf(o.owner), run, call, yes)
	if kind := fault.KindOf(err); kind == fault.Conflict || kind == fault.NotFound {
		return reply{text: "That was decided before, or the answer is over."}, nil
	}
	return reply{}, err
}

// askerOf is who wrote the message that a turn answers; "" if the turn is over.
func (o *call) askerOf(ctx context.Context, run string) (string, error) {
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
