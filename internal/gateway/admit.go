package gateway

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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

// commit decides what becomes of events, and stores them. The position is stored with the last of them.
func (g *Gateway) commit(ctx context.Context, b *Bot, in arrived) (int, error) {
	addressAlbums(in.events)
	fresh, list := 0, parts(in.events)
	for i := range list {
		part := arrived{events: list[i], late: in.late}
		if i == len(list)-1 {
			part.after = in.after
		}
		n, err := g.commitPart(ctx, b, part)
		if fresh += n; err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

// commitPart is commit for events of which none is about another one.
func (g *Gateway) commitPart(ctx context.Context, b *Bot, in arrived) (int, error) {
	c := Committed{Platform: b.Adapter.Platform(), Account: b.Account, After: in.after, At: g.moment()}
	var strangers []*Event
	var past []withdrawn
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
		w, err := g.nowCommand(ctx, &a)
		if err != nil {
			return 0, err
		}
		past = append(past, w...)
		if a.Reason == reasonStranger {
			strangers = append(strangers, e)
		}
		c.Events = append(c.Events, a)
	}
	fresh, err := g.keep(ctx, b, c, strangers)
	for i := range past {
		if err == nil {
			err = g.withdraw(ctx, b, &past[i])
		}
	}
	return fresh, err
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
	if missed && e.Kind == Edited || !g.meant(ctx, b, e) {
		a.Reason = reasonElsewhere
		return a, nil
	}
	data := b.Owner
	if e.Type == DM {
		data = person.data(b)
	}
	if err := g.lookUpReplied(ctx, data, e); err != nil {
		return a, err
	}
	if b.saysNothing(e) {
		a.Reason = reasonEmpty
		return a, nil
	}
	if err := g.remember(ctx, b, &e.From, &person); err != nil {
		return a, err
	}
	a.Owner, a.State, a.Keys = data, Waiting, keysOf(e, b.people(known), b.MemoryKey)
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

// namedCommand matches a command that names a bot.
var namedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([/!])([A-Za-z0-9_]{1,32})@(\w+)`) })

// isForAnother reports whether a message is a command that names another bot. The adapters cut the name of their own
// bot where the platform tells where it stands. On a platform whose commands name no bots, it may be a text for this one.
func (b *Bot) isForAnother(e *Event) bool {
	m := namedCommand().FindStringSubmatch(leadless(e.Text))
	if m == nil {
		return false
	}
	if m[1] == "!" && !known(m[2]) { // words, and no command
		return false
	}
	if a, ok := b.Adapter.(Addressee); ok {
		return !a.IsName(m[3])
	}
	return !e.Addressed
}

// meant reports whether an event is for the bot. A press and a command of the platform
// always are. In a group, a message is if it addresses the bot, or is in a thread that the
// bot takes part in, or in an album that addresses the bot. A command that names another bot is not.
func (g *Gateway) meant(ctx context.Context, b *Bot, e *Event) bool {
	switch {
	case e.Type == DM, e.Kind != Said: // an edit changes only a message that waits
		return true
	case b.isForAnother(e):
		return false
	case e.Addressed, !b.Mention:
		return true
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

// writers is how many may write to a bot, also those to whose private chats the operator gave an owner of their own.
func (b *Bot) writers(known []Person) int {
	n := len(b.Users)
	for i := range known {
		if b.letIn(&known[i]) {
			n++
		}
	}
	return n
}

// letIn reports whether a person was let in by a code, and is not in the settings, too.
func (b *Bot) letIn(p *Person) bool {
	return p.State == Approved && !named(b.Users, &Sender{ID: p.User, Aliases: []string{p.Listed}})
}

// happened handles an event that is about messages of the bot, about a deleted message, or about the chat itself.
func (g *Gateway) happened(ctx context.Context, b *Bot, e *Event) (bool, error) {
	switch e.Kind {
	case Moved, Failed, Arrived:
	case Deleted:
		return true, g.deleted(ctx, b, e)
	case Said, Edited, Called, Pressed:
		return false, nil
	}
	if e.Kind == Arrived && g.knownToArrive(ctx, e.Sent) {
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
	e.From.Name, e.Title = personName(e.From.Name), oneLine(e.Title)
	e.Text = cut(e.Text, maxText)
	for _, q := range []*Quoted{e.Replied, e.Forwarded} {
		if q != nil {
			q.Name, q.Text = personName(q.Name), cut(q.Text, maxText)
		}
	}
	for i := range e.Files {
		e.Files[i].Name = oneLine(e.Files[i].Name)
	}
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
}
