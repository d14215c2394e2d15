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
			fmt.Sprintf("%s has no home chat. Send /home in the chat, or name a chat: %s:<chat id>.", t.platform, t.platform)).At("deliver")
	case id == bot.Home && o.ID() == bot.Owner.ID(): // nobody has written there yet
		return Chat{Place: Place{Platform: t.platform, Account: bot.Account, Chat: bot.Home}, Type: Group}, nil
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

// Deliver implements job.Deliverer. It returns once the platform has taken the messages. A
// later attempt finds those of the earlier ones.
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
		if list, err = g.compose(ctx, bot, data, &chat, &message{origin: e.ID, text: text}); err != nil {
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

// deliveredText is the output of a job as it is sent.
func deliveredText(e *job.Event) string {
	switch {
	case e.Run.Status != job.Completed:
		return fmt.Sprintf("⚠️ The job %s failed: %s", plain(e.JobName), plain(e.Run.Error))
	case strings.TrimSpace(e.Run.Output) == "": // no platform takes an empty message
		return fmt.Sprintf("⚠️ The job %s gave an empty answer.", plain(e.JobName))
	}
	return e.Run.Output
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

// taken waits until the platform has taken messages, also if their chat gets another id meanwhile.
func (g *Gateway) taken(ctx context.Context, o owner.Owner, list []Send) error {
	const each = 250 * time.Millisecond
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		open := false
		for i := range list {
			s, err := g.store.FindSend(ctx, o, list[i].Place, list[i].ID, "")
			if fault.KindOf(err) == fault.NotFound {
				continue // erased meanwhile
			}
			if err != nil {
				return fmt.Errorf("read a delivery: %w", err)
			}
			switch s.State {
			case GaveUp:
				return fault.New(fault.Invalid, "undelivered", "The platform refused the message: "+s.Error)
			case Parked:
				open = open || s.WakeAt.IsZero() || s.SentAt.IsZero() // once the person was asked to write, the message is on its way
			case Sent:
			case ToSend, Sending, Doubtful, ToEdit:
				open = true
			}
		}
		if !open {
			return nil
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
