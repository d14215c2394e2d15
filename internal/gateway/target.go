package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Target delivers the output of jobs to the chats of a platform.
type Target struct {
	platform Platform
	gateway  func() *Gateway
}

// NewTarget returns the target of a platform. gateway returns the gateway, which is made
// after the scheduler of jobs.
func NewTarget(p Platform, gateway func() *Gateway) *Target { return &Target{p, gateway} }

// Check implements job.Deliverer: a place is "" for the home chat, a chat, or a chat and a
// thread with a colon between. The chat must be one of the owner's.
func (t *Target) Check(ctx context.Context, o owner.Owner, place string) error {
	_, err := t.chat(ctx, o, place)
	return err
}

// chat finds the chat of a place.
func (t *Target) chat(ctx context.Context, o owner.Owner, place string) (Chat, error) {
	g := t.gateway()
	bot := g.botOf(Place{Platform: t.platform})
	if bot == nil {
		return Chat{}, fault.New(fault.Invalid, "invalid_deliver", fmt.Sprintf("%s is not configured on this server.", t.platform)).At("deliver")
	}
	chats, err := g.store.ListChats(ctx, o, t.platform)
	if err != nil {
		return Chat{}, fmt.Errorf("list chats: %w", err)
	}
	id, thread, _ := strings.Cut(place, ":")
	if id == "" && bot.Home != "" {
		id = bot.Home
	}
	for _, is := range []func(c *Chat, id, thread string) bool{isTarget, wasTarget} {
		for i := range chats {
			if c := &chats[i]; c.Place.Account == bot.Account && is(c, id, thread) {
				return *c, nil
			}
		}
	}
	switch {
	case id == "":
		return Chat{}, fault.New(fault.Invalid, "invalid_deliver",
			fmt.Sprintf("%s has no home chat. Send %s in the chat, or name a chat: %s:<chat id>.", t.platform, g.commandAt(t.platform, "home"), t.platform)).At("deliver")
	case place == "":
		return Chat{}, fault.New(fault.Invalid, "invalid_deliver",
			fmt.Sprintf("The home chat of %s is no chat of yours: its id is the setting platforms.%s.home. Write to the bot there first.",
				t.platform, t.platform)).At("deliver")
	}
	return Chat{}, fault.New(fault.Invalid, "invalid_deliver",
		fmt.Sprintf("No chat of yours on %s has this id. Write to the bot there first.", t.platform)).At("deliver")
}

// isTarget reports whether a chat is the one of an id and a thread; for the id "", whether it
// is the home chat.
func isTarget(c *Chat, id, thread string) bool {
	if id == "" {
		return c.Home
	}
	return c.Place.Chat == id && c.Place.Thread == thread
}

// wasTarget reports whether a chat was the one of an id and a thread: the id of a group ends when
// the group becomes a supergroup, and jobs and settings keep it.
func wasTarget(c *Chat, id, thread string) bool {
	return id != "" && c.Former == id && c.Place.Thread == thread
}

// Deliver implements job.Deliverer. It returns once the platform has taken the messages, or with job.CodeAwaited once
// the person was asked to write. A later attempt finds those of the earlier ones.
func (t *Target) Deliver(ctx context.Context, o owner.Owner, place string, e *job.Event) error {
	g := t.gateway()
	chat, err := t.chat(ctx, o, place)
	if err != nil {
		return err
	}
	bot := g.botOf(chat.Place)
	data := owner.Stored(o.ID())
	list, err := g.store.SendsOf(ctx, data, chat.Place, e.ID)
	if err != nil {
		return fmt.Errorf("read what was sent: %w", err)
	}
	if len(list) == 0 {
		text := deliveredText(e)
		if list, err = g.compose(ctx, bot, data, &chat, &message{origin: e.ID, text: text, note: deliveredNote(e)}); err != nil {
			return err
		}
		if err := g.store.AddSends(ctx, data, list); err != nil {
			return fmt.Errorf("store a delivery: %w", err)
		}
		if err := g.echo(ctx, data, &chat, text); err != nil {
			g.log.Warn("the output of a job was not added to its chat's session", "event_id", e.ID, "err", err)
		}
	}
	g.lanes.ask(sending, data, chat.Place)
	return g.taken(ctx, data, list)
}

// deliveredText is the output of a job as it is sent, without what the model thinks before it.
func deliveredText(e *job.Event) string {
	output, _ := session.AfterThoughts(e.Run.Output)
	switch {
	case e.Run.Status != job.Completed:
		return fmt.Sprintf("⚠️ The job %s failed: %s", plain(e.JobName), plain(e.Run.Error))
	case strings.TrimSpace(output) == "": // no platform takes an empty message
		return fmt.Sprintf("⚠️ The job %s gave an empty answer.", plain(e.JobName))
	}
	return output
}

// deliveredNote is the line behind the output of a job; "" for none.
func deliveredNote(e *job.Event) string {
	if e.Run.Status == job.Completed && e.Run.Reason == job.ReasonCut {
		return textCut
	}
	return ""
}

// echo adds the output of a job to the session of a chat, so that a reply has its context.
// Nothing is learnt from it.
func (g *Gateway) echo(ctx context.Context, o owner.Owner, c *Chat, text string) error {
	if c.Session == "" {
		return nil
	}
	_, _, err := g.curator.Append(ctx, &curate.Addition{
		Owner: o, Session: c.Session, Key: c.Key, Source: SourceOf(c.Place.Platform),
		Messages: []session.Message{{Role: session.Assistant, Content: text, Note: session.EchoNote}},
	})
	return err
}

// textAwaited is what a job's run says of an output that waits.
const textAwaited = "The platform takes only an answer to the person now. The person was asked to write, and the output follows the next message."

// revised has a job look again at the delivery that a message may belong to: the message was sent that waited for a
// person, or the platform did not deliver what it had taken. Most messages belong to none.
func (g *Gateway) revised(ctx context.Context, o owner.Owner, s *Send) {
	if g.deliveries == nil {
		return
	}
	if err := g.deliveries.LookAgain(ctx, o, s.Origin); err != nil {
		g.log.Warn("a job was not told what became of its output; it looks by itself later", "event_id", s.Origin, "err", err)
	}
}

// handover is how far the messages of a delivery have come together.
type handover int

const (
	allTaken    handover = iota // by the platform
	personAsked                 // some wait for a person, who was asked to write; the others are taken
	underWay
)

// handover is how far one message has come.
func (s *Send) handover() handover {
	switch {
	case s.State == Sent:
		return allTaken
	case s.asked() && !s.SentAt.IsZero():
		return personAsked
	}
	return underWay
}

// handedOver is how far messages have come; a fault if the platform has refused one of them.
func (g *Gateway) handedOver(ctx context.Context, o owner.Owner, list []Send) (handover, error) {
	far := allTaken
	for i := range list {
		s, err := g.store.FindSend(ctx, o, list[i].Place, list[i].ID, "")
		switch {
		case fault.KindOf(err) == fault.NotFound: // erased meanwhile
		case err != nil:
			return far, fmt.Errorf("read a delivery: %w", err)
		case s.State == GaveUp:
			return far, fault.New(fault.Invalid, "undelivered", "The platform refused the message: "+s.Error)
		default:
			far = max(far, s.handover())
		}
	}
	return far, nil
}

// taken waits until the platform has taken messages, also if their chat gets another id meanwhile.
func (g *Gateway) taken(ctx context.Context, o owner.Owner, list []Send) error {
	const each = 250 * time.Millisecond
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		far, err := g.handedOver(ctx, o, list)
		switch {
		case err != nil:
			return err
		case far == allTaken:
			return nil
		case far == personAsked:
			return fault.New(fault.Unavailable, job.CodeAwaited, textAwaited)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fault.Wrap(fault.Unavailable, "undelivered", "The platform has not taken the message yet.", ctx.Err())
		}
	}
}

// Origin names the chat that a job belongs to, as a target: the chat that leads to the job's
// session, or else the one that was active last under the job's session key.
func (g *Gateway) Origin(ctx context.Context, o owner.Owner, j *job.Job) (job.Target, error) {
	chats, err := g.store.ListChats(ctx, o, "")
	if err != nil {
		return "", fmt.Errorf("list chats: %w", err)
	}
	for _, fits := range []func(Chat) bool{
		func(c Chat) bool { return j.Session != "" && c.Session == j.Session },
		func(c Chat) bool { return j.Key != "" && c.Key == j.Key },
	} {
		if i := slices.IndexFunc(chats, fits); i >= 0 { // the one that was active last comes first
			return targetOf(&chats[i]), nil
		}
	}
	return "", fault.New(fault.Invalid, "invalid_deliver",
		"No chat leads to the session or the session key of this job. Name a chat, such as telegram:<chat id>.").At("deliver")
}

// targetOf is a chat as the target of jobs.
func targetOf(c *Chat) job.Target {
	t := string(c.Place.Platform) + ":" + c.Place.Chat
	if c.Place.Thread != "" {
		t += ":" + c.Place.Thread
	}
	return job.Target(t)
}
