// Package gateway is the door of the chat platforms. It stores what adapters receive,
// takes one turn for each message, and sends the answers through the adapters, once.
//
// An adapter knows the protocol of its platform, and nothing of sessions or turns. The
// gateway knows no platform: what differs between platforms is in [Limits].
//
// An event goes down the package once: admit.go decides whether it counts and stores it,
// converse.go gathers events into a turn, turn.go writes the turn, answer.go follows it,
// and deliver.go sends its text. Each step is a row before it is done, so that the next
// server goes on where this one stopped.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// Gateway runs the bots. It is safe for concurrent use.
type Gateway struct {
	store    Store
	sessions Sessions
	runs     *live.Registry
	curator  *curate.Curator
	guard    Guard
	saver    Saver
	// deliveries are told what becomes of them later; nil for none.
	deliveries Deliveries
	shared     bool
	files      *attachment.Files
	hears      Transcriber
	log        *slog.Logger
	audit      Auditor
	now        func() time.Time
	settings   Settings
	bots       []*Bot
	began      time.Time // when Run began

	lanes  *lanes
	resets turnstile // one reset of a chat at a time
	// bridging lets one event of a bridge's chat be stored at a time.
	bridging    turnstile
	owed        owed
	drafts      drafts
	left        left
	parked      parked
	slow        slow
	tries       ongoing[string] // of messages, by their ids
	busy        ongoing[Place]  // chats that are sent something
	unstored    unstored
	unconfirmed unconfirmed
	delivered   delivered
	// hourglasses are the messages that people see waiting.
	hourglasses hourglasses
	marking     marking
	pace        pace
	bell        *claim.Bell   // of the resets
	stopped     chan struct{} // closed when Run has ended: no event is worked on any more
	mu          sync.Mutex
	waiters     map[string][]chan *Bridged // of the answers to events, by the turn's id
	// greeted is when a stranger was last sent a code.
	greeted map[string]time.Time
	wrong   wrongCodes
	asking  sync.Mutex // held while a stranger is given a code
}

// Sessions are the sessions that chats lead to.
type Sessions interface {
	session.Store
	// SpokenCounts is the method of [session.Catalog].
	SpokenCounts(ctx context.Context, o owner.Owner, roots []session.ID) (map[session.ID]int, error)
}

// Guard says whether a session has work under way that a reset would interrupt.
type Guard interface {
	// Busy reports whether a job fires in a session, or a process runs for it.
	Busy(ctx context.Context, o owner.Owner, at session.ID) (bool, error)
}

// Saver takes the turn in which a model saves memories and skills before a reset.
type Saver interface {
	// Save takes the turn. Its failure loses nothing.
	Save(ctx context.Context, o owner.Owner, s session.Session) error
}

// Deliveries are the outputs of jobs that were handed to chats.
type Deliveries interface {
	// LookAgain has a delivery looked at again. It does nothing for an id that is no delivery's.
	LookAgain(ctx context.Context, o owner.Owner, id string) error
}

// Transcriber writes voice messages down.
type Transcriber interface {
	// Transcribe returns what is said in a recording. Its type is a MIME type; "" if unknown.
	Transcribe(ctx context.Context, recording []byte, mime string) (string, error)
}

// Auditor records who did what.
type Auditor interface {
	Enter(ctx context.Context, o owner.Owner, e audit.Entry) error
}

// Parts are what a Gateway is made of.
type Parts struct {
	Store    Store
	Sessions Sessions
	Runs     *live.Registry
	Curator  *curate.Curator
	Guard    Guard // nil: nothing else is under way
	Saver    Saver // nil: nothing is saved
	// Shared says that other servers use the store.
	Shared bool
	// Deliveries are told what becomes of the outputs of jobs later; nil: they look by themselves.
	Deliveries Deliveries
	// Files keeps the files that people send; nil: they are named in the transcript only.
	Files *attachment.Files
	// Transcriber writes voice messages down; nil: they are not transcribed.
	Transcriber Transcriber
	Audit       Auditor
	Settings    Settings
	Bots        []*Bot
	Now         func() time.Time
	Log         *slog.Logger
}

// New returns a Gateway. Nothing is received or sent before Run.
func New(p Parts) *Gateway {
	g := &Gateway{
		store: p.Store, sessions: p.Sessions, runs: p.Runs, curator: p.Curator, guard: p.Guard, saver: p.Saver, audit: p.Audit, log: p.Log,
		files: p.Files, hears: p.Transcriber, deliveries: p.Deliveries, shared: p.Shared,
		now: p.Now, settings: p.Settings, bots: p.Bots, bell: claim.NewBell(p.Now), waiters: make(map[string][]chan *Bridged),
		greeted: make(map[string]time.Time), stopped: make(chan struct{}),
	}
	g.lanes = &lanes{now: p.Now, log: p.Log, do: g.do, active: make(map[laneKey]*lane)}
	g.resets.inside, g.owed.by = make(map[laneKey]chan struct{}), make(map[laneKey]reset)
	g.bridging.inside = make(map[laneKey]chan struct{})
	g.drafts, g.hourglasses.by, g.marking = newDrafts(), make(map[laneKey][]MessageID), newMarking()
	g.pace, g.left, g.parked, g.slow, g.unstored = newPace(p.Now), newLeft(), newParked(), newSlow(), newUnstored()
	g.unconfirmed = newUnconfirmed()
	g.tries, g.busy = newOngoing[string](), newOngoing[Place]()
	return g
}

// moment is the time in the precision of the store.
func (g *Gateway) moment() time.Time { return g.now().UTC().Truncate(time.Millisecond) }

// do does one kind of work for one chat.
func (g *Gateway) do(ctx context.Context, t task, l *lane) error {
	switch t {
	case answering:
		return g.converse(ctx, l)
	case commanding:
		return g.obey(ctx, l)
	case sending:
		return g.deliver(ctx, l)
	case resetting:
		return g.resetLane(ctx, l)
	}
	return nil
}

// Run runs the bots until ctx ends. It then stops receiving, and gives up waiting for turns
// and sends: they are rows, and the next server goes on with them. Only the turns whose answers a
// bridge fetches are followed as long as the server carries them.
func (g *Gateway) Run(ctx context.Context) error {
	g.began = g.moment()
	g.lanes.open(ctx)
	defer close(g.stopped)
	defer g.lanes.close()
	if err := g.restOn(ctx); err != nil {
		return err
	}
	if err := g.resume(ctx); err != nil {
		return err
	}
	next := g.tend(ctx) // before anybody is heard again
	var receiving sync.WaitGroup
	defer receiving.Wait()
	for _, b := range g.bots {
		logged := recovery.Logged(ctx, g.log, "a platform", "platform", b.Adapter.Platform())
		receiving.Go(recovery.Func(func() { g.receive(ctx, b) }, logged))
		if c := g.catcherOf(b); c != nil {
			receiving.Go(recovery.Func(func() { c.watch(ctx) }, logged))
		}
	}
	return g.keepTending(ctx, next)
}

// resume takes up what the last server left.
func (g *Gateway) resume(ctx context.Context) error {
	due, err := g.store.UnfinishedChats(ctx)
	if err != nil {
		return fmt.Errorf("find what is unfinished: %w", err)
	}
	for _, d := range due {
		if g.botOf(d.Place) != nil {
			g.askAll(d.Owner, d.Place)
		}
	}
	return nil
}

// askAll asks for all work on a chat.
func (g *Gateway) askAll(o owner.Owner, at Place) {
	for _, t := range []task{answering, commanding, sending} {
		g.lanes.ask(t, o, at)
	}
}

// notice asks for the work that an event makes. alone is the event as it is stored, if it is the only open one of
// its chat; nil otherwise.
func (g *Gateway) notice(b *Bot, o owner.Owner, e *Event, alone *Inbound) {
	if isCommand(e) {
		g.lanes.ask(commanding, o, e.Place)
		return
	}
	g.lanes.askKnowing(answering, o, e.Place, alone) // before the draft is looked for: a turn that begins meanwhile looks for messages then
	if d := g.drafts.of(o, e.Place); d != nil {
		g.lanes.aside(func(ctx context.Context) {
			if err := g.crowdWaiting(ctx, b, o, e, d); err != nil && ctx.Err() == nil {
				g.log.Warn("a turn was not stopped for a newer message, which waits", "platform", e.Place.Platform, "err", err)
			}
		})
	}
	if g.parked.any(b) {
		g.lanes.ask(sending, o, e.Place) // what was parked may be sent now
	}
}

// receive runs an adapter, and registers the commands beside it.
func (g *Gateway) receive(ctx context.Context, b *Bot) {
	running, stop := context.WithCancel(ctx)
	var registering sync.WaitGroup
	registering.Go(recovery.Func(func() { g.register(running, b) },
		recovery.Logged(ctx, g.log, "a platform", "platform", b.Adapter.Platform())))
	err := b.Adapter.Run(ctx, &intake{g, b})
	stop()
	registering.Wait()
	if err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		g.log.Error("the platform was given up until the next start",
			"platform", b.Adapter.Platform(), "reason", fault.MessageOf(err), "err", err)
	}
}

// botOf is the bot of a place; nil if it is not configured any more.
func (g *Gateway) botOf(at Place) *Bot {
	if at.Account == bridgeAccount {
		return bridgeBot(at.Platform, owner.Owner{})
	}
	for _, b := range g.bots {
		if b.Adapter.Platform() == at.Platform && (b.Account == at.Account || at.Account == "") {
			return b
		}
	}
	return nil
}
