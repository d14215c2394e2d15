package gateway

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// intake is the intake of one bot.
type intake struct {
	g   *Gateway
	bot *Bot
}

// Position implements Intake.
func (in *intake) Position(ctx context.Context) (Position, error) {
	return in.g.store.BotPosition(ctx, in.bot.Owner, in.bot.Adapter.Platform(), in.bot.Account)
}

// Commit implements Intake.
func (in *intake) Commit(ctx context.Context, events []Event, after Position) error {
	_, err := in.g.commit(ctx, in.bot, arrived{events: events, after: after})
	return err
}

// arrived are events that came together.
type arrived struct {
	events []Event
	after  Position
	// late says that they were read after an outage.
	late bool
}

// commit decides what becomes of events, and stores them.
func (g *Gateway) commit(ctx context.Context, b *Bot, in arrived) (int, error) {
	c := Committed{Platform: b.Adapter.Platform(), Account: b.Account, After: in.after, At: g.moment()}
	var strangers []*Event
	addressAlbums(in.events)
	for i := range in.events {
		e := &in.events[i]
		e.Place.Platform, e.Place.Account = c.Platform, c.Account
		cleanEvent(e)
		if ok, err := g.happened(ctx, b, e); ok || err != nil {
			if err != nil {
				return 0, err
			}
			continue
		}
		a, err := g.admit(ctx, b, e)
		if err != nil {
			return 0, err
		}
		if in.late {
			a.outdate(c.At)
		}
		if a.Reason == reasonStranger {
			strangers = append(strangers, e)
		}
		c.Events = append(c.Events, a)
	}
	return g.keep(ctx, b, c, strangers)
}

// keep stores events, and asks for the work that they make.
func (g *Gateway) keep(ctx context.Context, b *Bot, c Committed, strangers []*Event) (int, error) {
	if len(c.Events) == 0 && c.After == "" { // all were about messages of the bot
		return 0, nil
	}
	kept, err := g.store.CommitEvents(ctx, b.Owner, c)
	if err != nil {
		return 0, fmt.Errorf("store events: %w", err)
	}
	for i := range c.Events {
		if a := &c.Events[i]; a.State == Waiting {
			g.notice(b, a.Owner, &a.Event, kept.Alone)
		}
	}
	if kept.Fresh > 0 {
		for _, e := range strangers {
			g.turnAway(b, e)
		}
	}
	return kept.Fresh, nil
}

// Why an event is ignored.
const (
	reasonStranger  = "not allowed"
	reasonElsewhere = "not addressed"
	reasonEmpty     = "nothing in it"
	reasonOld       = "too old"
)

// admit decides what becomes of an event.
func (g *Gateway) admit(ctx context.Context, b *Bot, e *Event) (Admitted, error) {
	known, err := g.known(ctx, b)
	if err != nil {
		return Admitted{}, err
	}
	person, err := g.person(ctx, b, e, known)
	if err != nil {
		return Admitted{}, err
	}
	a := Admitted{Owner: b.Owner, Event: *e, State: Ignored} // with the ids that are remembered of the sender
	may, err := g.mayWrite(ctx, b, e, &person, known)
	if err != nil {
		return a, err
	}
	if !may {
		a.Reason = reasonStranger
		return a, nil
	}
	missed, err := g.countsAsSaid(ctx, b, e)
	if err != nil {
		return a, err
	}
	a.Event = *e
	switch {
	case missed && e.Kind == Edited, !g.meant(ctx, b, e):
		a.Reason = reasonElsewhere
		return a, nil
	case b.saysNothing(e):
		a.Reason = reasonEmpty
		return a, nil
	}
	if err := g.remember(ctx, b, &e.From, &person); err != nil {
		return a, err
	}
	if e.Type == DM {
		a.Owner = person.data(b)
	}
	a.State, a.Keys = Waiting, keysOf(e, b.people(known), b.MemoryKey)
	return a, g.keepUp(ctx, &a)
}

// mayWrite reports whether the sender of an event may write: let in by a code, or by the settings,
// which may list a group by the id that it had before.
func (g *Gateway) mayWrite(ctx context.Context, b *Bot, e *Event, p *Person, known []Person) (bool, error) {
	if p.State == Approved || b.mayWrite(e) {
		return true, nil
	}
	if e.Type == DM || len(b.Chats) == 0 {
		return false, nil
	}
	if slices.Contains(b.Chats, personOf(known, e.Place.Chat).Listed) {
		return true, nil
	}
	at := e.Place
	at.Thread = ""
	chat, err := g.store.Chat(ctx, b.Owner, at)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the chat of a stranger: %w", err)
	}
	return slices.Contains(b.Chats, chat.Former), nil
}

// mayWrite reports whether the settings let the sender of an event write: as a user, or as
// a member of a group whose members may all write.
func (b *Bot) mayWrite(e *Event) bool {
	return b.allowed(&e.From) || e.Type != DM && named(b.Chats, &Sender{ID: e.Place.Chat})
}

// empty reports whether nothing is in a message.
func (e *Event) empty() bool {
	shows := len(e.Files)+len(e.Things) > 0 || e.Forwarded != nil
	return strings.TrimSpace(e.Text) == "" && !shows && !e.pointsAt()
}

// pointsAt reports whether a message asks about the one that it answers, also without words: in a
// group, a person mentions the bot in an answer to another message.
func (e *Event) pointsAt() bool {
	return e.Type != DM && e.Addressed && e.Replied != nil && e.Replied.Text != ""
}

// saysNothing reports whether a message has nothing to be answered. A mention without words has,
// but a bridge addresses the bot with all that it sends.
func (b *Bot) saysNothing(e *Event) bool { return e.Kind == Said && e.empty() && (b.Open || !e.bare()) }

// bare reports whether a message in a group mentions the bot, and says nothing.
func (e *Event) bare() bool { return e.Type != DM && e.Addressed && e.empty() }

// foreignCommand matches a command that names a bot. The adapters cut the name of their own bot.
var foreignCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z_]{1,32}@\w`) })

// meant reports whether an event is for the bot. A press and a command of the platform
// always are. In a group, a message is if it addresses the bot, or is in a thread that the
// bot takes part in, or in an album that addresses the bot.
func (g *Gateway) meant(ctx context.Context, b *Bot, e *Event) bool {
	if e.Type == DM || e.Addressed || e.Kind != Said { // an edit changes only a message that waits
		return true
	}
	if !b.Mention {
		return !foreignCommand().MatchString(leadless(e.Text))
	}
	return g.albumMeant(ctx, b, e) || g.inThread(ctx, b, e)
}

// inThread reports whether an event is in a thread that the bot takes part in.
func (g *Gateway) inThread(ctx context.Context, b *Bot, e *Event) bool {
	if e.Place.Thread == "" {
		return false
	}
	chat, err := g.store.Chat(ctx, b.Owner, e.Place)
	return err == nil && chat.Session != ""
}

// known are the people of a bot whom the store knows. All may write to a bridge's, and it knows none.
func (g *Gateway) known(ctx context.Context, b *Bot) ([]Person, error) {
	if b.Open {
		return nil, nil
	}
	list, err := g.store.ListPeople(ctx, b.Owner, b.Adapter.Platform())
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	return slices.DeleteFunc(list, func(p Person) bool { return p.Account != b.Account }), nil
}

// personOf is the person of an id; the zero Person for none.
func personOf(list []Person, id string) Person {
	if i := slices.IndexFunc(list, func(p Person) bool { return p.User == id }); i >= 0 {
		return list[i]
	}
	return Person{}
}

// person is what the store knows of a sender. Somebody who was let in with another id of the
// sender is let in with this one from now on. A remembered id joins the sender's aliases.
func (g *Gateway) person(ctx context.Context, b *Bot, e *Event, known []Person) (Person, error) {
	p := personOf(known, e.From.ID)
	b.recognise(&e.From, &p, known)
	if p.State == Approved {
		return p, nil
	}
	for _, id := range e.From.Aliases {
		if personOf(known, id).State != Approved {
			continue
		}
		moved, err := g.movePerson(ctx, b, id, e.From.ID)
		if err != nil || moved.State == Approved {
			return moved, err
		}
	}
	return p, nil
}

// movePerson gives somebody who was let in another id. It returns the person; the zero Person
// if nobody of the old id was let in.
func (g *Gateway) movePerson(ctx context.Context, b *Bot, from, to string) (Person, error) {
	p, err := g.store.MovePerson(ctx, b.Owner, b.Adapter.Platform(), b.Account, from, to)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, nil
	}
	if err != nil {
		return Person{}, fmt.Errorf("follow a person: %w", err)
	}
	g.record(ctx, b.Owner, "pairing.move", string(b.Adapter.Platform()), audit.OK)
	return p, nil
}

// people is how many may write to a bot.
func (b *Bot) people(known []Person) int {
	if b.Open {
		return 1 // its caller is one: further chats get the long form
	}
	n := len(b.Users)
	for i := range known {
		p := &known[i]
		if p.State == Approved && p.Owner == "" && !named(b.Users, &Sender{ID: p.User, Aliases: []string{p.Listed}}) {
			n++
		}
	}
	return n
}

// happened handles an event that is about messages of the bot, or about the chat itself.
func (g *Gateway) happened(ctx context.Context, b *Bot, e *Event) (bool, error) {
	switch e.Kind {
	case Moved, Failed, Arrived:
	case Said, Edited, Called, Pressed:
		return false, nil
	}
	if e.Kind == Arrived && g.delivered.has(e.Sent) {
		return true, nil
	}
	o, err := g.dataOf(ctx, b, e)
	if err != nil {
		return true, err
	}
	if e.Kind == Moved {
		return true, g.follows(ctx, b, o, e)
	}
	return true, g.heard(ctx, o, e)
}

// follows gives a chat its new id, and the person of a DM as well. The chat is first: its owner
// is known by the person's old id, also if the event comes again.
func (g *Gateway) follows(ctx context.Context, b *Bot, o owner.Owner, e *Event) error {
	if err := g.moveChat(ctx, o, e.Place, e.MovedTo); err != nil {
		return err
	}
	if e.Type != DM {
		return g.rememberGroup(ctx, b, e)
	}
	if e.From.ID == "" {
		return nil
	}
	p, err := g.movePerson(ctx, b, e.From.ID, e.MovedTo)
	if err != nil || p.State == Approved {
		return err
	}
	moved := Sender{ID: e.MovedTo, Name: e.From.Name, Aliases: append([]string{e.From.ID}, e.From.Aliases...)}
	return g.remember(ctx, b, &moved, &p)
}

// dataOf is the owner of an event's chat.
func (g *Gateway) dataOf(ctx context.Context, b *Bot, e *Event) (owner.Owner, error) {
	known, err := g.known(ctx, b)
	if err != nil {
		return b.Owner, err
	}
	p, err := g.person(ctx, b, e, known)
	if err != nil || e.Type != DM {
		return b.Owner, err
	}
	return p.data(b), nil
}

// data is the owner of a person's DMs with a bot.
func (p *Person) data(b *Bot) owner.Owner {
	if p.State == Approved && p.Owner != "" {
		return owner.Stored(p.Owner)
	}
	return b.Owner
}

// keepUp gives a person's DM the id that the person has now, if it is known by one of the
// person's other ids.
func (g *Gateway) keepUp(ctx context.Context, a *Admitted) error {
	e := &a.Event
	if e.Type != DM {
		return nil
	}
	for _, id := range e.From.Aliases {
		at := e.Place
		at.Chat = id
		_, err := g.store.Chat(ctx, a.Owner, at)
		if fault.KindOf(err) == fault.NotFound {
			continue
		}
		if err == nil {
			err = g.store.MoveChat(ctx, a.Owner, at, e.Place.Chat)
		}
		if err != nil {
			return fmt.Errorf("follow a person: %w", err)
		}
		g.drafts.leave(a.Owner, at)
		g.askAll(a.Owner, e.Place)
	}
	return nil
}

// cleanEvent removes what must not be in texts of strangers, and bounds them.
func cleanEvent(e *Event) {
	const maxText = 256 << 10
	e.From.Name, e.Title = oneLine(e.From.Name), oneLine(e.Title)
	e.Text = cut(e.Text, maxText)
	for _, q := range []*Quoted{e.Replied, e.Forwarded} {
		if q != nil {
			q.Name, q.Text = oneLine(q.Name), cut(q.Text, maxText)
		}
	}
	for i := range e.Files {
		e.Files[i].Name = oneLine(e.Files[i].Name)
	}
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
}
