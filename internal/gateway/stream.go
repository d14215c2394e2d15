package gateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// showDraft shows the answer that is being written. It returns when to look again; the zero
// time if the lane will be asked.
func (g *Gateway) showDraft(ctx context.Context, bot *Bot, l *lane) (time.Time, error) {
	d := g.drafts.of(l.owner, l.place)
	if d == nil {
		return time.Time{}, nil
	}
	now := g.moment()
	text, until := d.visible(now)
	if text == "" {
		return until, nil
	}
	if drafter, ok := bot.Adapter.(Drafter); ok && d.chat.Type == DM && !d.edited() {
		return g.drawDraft(ctx, bot, d, drafter, text)
	}
	parts := split(bot, text)
	if len(parts) > mostParts { // the end of it is sent as a file
		const long = 24 * time.Hour
		d.later(now.Add(long))
		return time.Time{}, nil
	}
	sent, err := g.store.SendsOf(ctx, l.owner, l.place, d.run)
	if err != nil {
		return time.Time{}, fmt.Errorf("read what was sent: %w", err)
	}
	for i := range parts {
		if i == len(sent) {
			return now, g.extend(ctx, l, d, i, parts[i].Source)
		}
		if shown := d.part(i); shown.text != parts[i].Text {
			return g.redraw(ctx, bot, l, d, &sent[i], parts[i], shown)
		}
	}
	return time.Time{}, nil
}

// extend begins the next message of an answer that is being written.
func (g *Gateway) extend(ctx context.Context, l *lane, d *draft, part int, text string) error {
	s := Send{
		ID: sendID(l.owner, l.place, d.run, part), Place: l.place, Type: d.chat.Type, Origin: d.run, Part: part, Text: text, State: ToSend,
		CreatedAt: g.moment(),
	}
	if part == 0 {
		s.Interaction = d.interaction
	}
	if refers(d.chat.Type, part) {
		s.ReplyTo = d.replyTo
	}
	d.send()
	if err := g.store.BeginSend(ctx, l.owner, s); err != nil {
		return fmt.Errorf("begin a message: %w", err)
	}
	return nil
}

// redraw shows the newest text of a message that was sent. An edit that fails is dropped for
// the next one.
func (g *Gateway) redraw(ctx context.Context, bot *Bot, l *lane, d *draft, s *Send, p markdown.Part, shown shownPart) (time.Time, error) {
	if next := shown.at.Add(bot.editEach(s.Type)); next.After(g.now()) {
		return d.later(next), nil
	}
	limits := bot.Adapter.Limits()
	if next := g.pace.turn(paced{s.Place, s.Type, true}, &limits); !next.IsZero() {
		return d.later(next), nil
	}
	s.Text = p.Source
	timed, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := edit(timed, bot, s)
	g.pace.over(paced{s.Place, s.Type, true}, &limits)
	if err == nil {
		shown.text = p.Text
	}
	if isMissing(err) { // the whole answer is sent at its end
		d.conceal(s.Part)
		return time.Time{}, ctx.Err()
	}
	d.show(s.Part, shown.text, g.moment(), s.Message) // whatever went wrong: what is not known to be shown is edited again
	if failed, ok := errors.AsType[*SendError](err); ok && failed.Reason == Limited {
		g.rest(ctx, s.Place, failed, failed.After)
	}
	return g.moment(), ctx.Err()
}

// drawDraft shows the text as a draft of the platform, which sends nothing.
func (g *Gateway) drawDraft(ctx context.Context, bot *Bot, d *draft, drafter Drafter, text string) (time.Time, error) {
	const each = 800 * time.Millisecond
	parts := split(bot, text)
	part, shown := parts[len(parts)-1], d.part(0)
	if part.Text == shown.text {
		return time.Time{}, nil
	}
	next := shown.at.Add(each)
	if rest := g.pace.resting(d.chat.Place); rest.After(next) {
		next = rest
	}
	if next.After(g.now()) {
		return d.later(next), nil
	}
	s := &Send{ID: sendID(d.owner, d.chat.Place, d.run, 0), Place: d.chat.Place, Type: d.chat.Type, Text: part.Source}
	timed, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := drafter.Draft(timed, draftID(s.ID), outOf(bot, s))
	d.show(0, part.Text, g.moment(), "")
	if err != nil {
		g.log.Debug("a draft was not shown", "platform", s.Place.Platform, "err", err)
		g.notDrawn(ctx, d, err)
	}
	return g.moment(), ctx.Err()
}

// notDrawn decides how the text is shown after a draft that was not.
func (g *Gateway) notDrawn(ctx context.Context, d *draft, err error) {
	failed, ok := errors.AsType[*SendError](err)
	switch {
	case !ok:
	case failed.Reason == Limited:
		g.rest(ctx, d.chat.Place, failed, failed.After)
	case failed.Reason == Refused:
		d.refuse()
	}
}
