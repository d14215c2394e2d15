package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// bridgeAccount is the account of the chats that come through the generic webhook.
const bridgeAccount = "bridge"

// bridge is the adapter of the generic webhook. Nothing is sent through it: its caller reads
// the answers.
type bridge struct{ platform Platform }

// Platform implements Adapter.
func (b bridge) Platform() Platform { return b.platform }

// Run implements Adapter.
func (b bridge) Run(ctx context.Context, _ Intake) error {
	<-ctx.Done()
	return nil
}

// Send implements Adapter.
func (b bridge) Send(_ context.Context, o *Out) (MessageID, error) { return MessageID(o.ID), nil }

// Edit implements Adapter.
func (b bridge) Edit(context.Context, MessageID, *Out) error { return nil }

// Signal implements Adapter.
func (b bridge) Signal(context.Context, Place, MessageID, Mark) error { return nil }

// Fetch implements Adapter.
func (b bridge) Fetch(context.Context, FileRef) (io.ReadCloser, error) {
	return nil, fault.New(fault.NotFound, "", "The webhook takes no files.")
}

// Limits implements Adapter.
func (b bridge) Limits() Limits {
	return Limits{Length: math.MaxInt, Count: utf8.RuneCountInString, Dialect: markdown.Plain, Typing: time.Minute}
}

// bridgeBot is the bot of a platform at the generic webhook. The caller's key decides whose
// chats they are. Who is an admin, the bridge says with each message.
func bridgeBot(p Platform, o owner.Owner) *Bot {
	return &Bot{Adapter: bridge{p}, Account: bridgeAccount, Owner: owner.Stored(o.ID()), Open: true, Fetched: true, Admins: []string{}}
}

// bridgedSeparator is between the parts of the id of a bridge's event. No part has it.
const bridgedSeparator = "\x1f"

// bridgedID is the id of a bridge's event among all events of its platform: many platforms number
// the messages of each chat apart.
func bridgedID(e *Event) string {
	return strings.Join([]string{e.Place.Chat, e.Place.Thread, e.ID}, bridgedSeparator)
}

// GivenID is the id that an event has on its platform, as the platform or the bridge gave it.
func (e *Event) GivenID() string { return e.ID[strings.LastIndex(e.ID, bridgedSeparator)+1:] }

// platformName matches the names that a bridge may give itself: they are a part of keys and
// sources.
var platformName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_]{1,32}$`) })

// Bridged is what became of an event of a bridge.
type Bridged struct {
	EventID string
	RunID   string
	Session session.ID
	Key     session.Key
	State   EventState
	// Approvals are the calls of tools that wait for an approval, if the State is Undecided.
	Approvals []WaitingCall
	// Answer is what was answered, as Markdown; "" if there is no answer, or not yet.
	Answer string
}

// Undecided is the state of a bridge's event that was taken by a turn in which a tool waits for an approval. No
// event is stored with it.
const Undecided EventState = "waiting_for_approval"

// WaitingCall is a call of a tool that waits for an approval.
type WaitingCall struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // with secrets masked
	Deadline  time.Time       `json:"deadline"`  // the call counts as denied after it
	// Approve and Deny are the commands that decide about the call.
	Approve string `json:"approve"`
	Deny    string `json:"deny"`
}

// Bridge takes an event of a bridge. If wait is set, it returns when the event is over, or when a tool waits for
// an approval. An event with the id of an earlier one is that one.
func (g *Gateway) Bridge(ctx context.Context, o owner.Owner, e Event, wait bool) (Bridged, error) {
	if err := checkBridged(&e); err != nil {
		return Bridged{}, err
	}
	bot := bridgeBot(e.Place.Platform, o)
	e.Kind, e.Place.Account, e.Addressed = Said, bridgeAccount, true
	e.Message = MessageID(e.ID)
	e.ID = bridgedID(&e)
	run := runID(bot.Owner, &e)
	over := g.awaited(run)
	fresh, err := g.commitBridged(ctx, bot, &e)
	if err != nil {
		g.unawaited(run, over)
		return Bridged{}, err
	}
	if fresh == 0 || !wait { // an event that came before may be over
		b, err := g.bridged(ctx, bot.Owner, &e)
		if err != nil || !wait || b.tells() {
			g.unawaited(run, over)
			return b, err
		}
	}
	return g.outcome(ctx, bot.Owner, &e, over)
}

// lookEach is how often who waits for an event looks at what another server has made of it.
const lookEach = time.Second

// elsewhere ticks if another server may end events; otherwise it is nil, which never does.
func (g *Gateway) elsewhere() (looks <-chan time.Time, stop func()) {
	if !g.shared {
		return nil, func() {}
	}
	t := time.NewTicker(lookEach)
	return t.C, t.Stop
}

// codeDraining is the code of the fault that tells that this server is stopping.
const codeDraining = "draining"

// outcome waits until there is something to tell of an event. over gets it from this server. It fails if the server
// stops before: the next one goes on with the event.
func (g *Gateway) outcome(ctx context.Context, o owner.Owner, e *Event, over <-chan *Bridged) (Bridged, error) {
	run := runID(o, e)
	looks, stop := g.elsewhere()
	defer stop()
	for {
		again, stopped := false, false
		select {
		case b := <-over:
			if b != nil {
				out := *b // others may wait for the same event
				out.EventID = e.GivenID()
				return out, nil
			}
			again = true
		case <-looks:
		case <-g.stopped:
			stopped = true
		case <-ctx.Done():
			g.unawaited(run, over)
			return Bridged{}, ctx.Err()
		}
		if again {
			over = g.awaited(run) // before the look into the store, so that no change is missed
		}
		b, err := g.bridged(ctx, o, e)
		if err == nil && stopped && !b.tells() {
			err = fault.New(fault.Unavailable, codeDraining, "The server is stopping. The message is kept: send the event again to read the answer.")
		}
		if err != nil || b.tells() {
			g.unawaited(run, over)
			return b, err
		}
	}
}

// commitBridged stores an event of a bridge, unless its chat is known as another kind of chat, or as
// another person's. The first event of a chat decides that, so that one event of a chat is looked at at
// a time.
func (g *Gateway) commitBridged(ctx context.Context, bot *Bot, e *Event) (int, error) {
	leave, err := g.bridging.enter(ctx, laneKey{answering, bot.Owner.ID(), whole(e.Place)})
	if err != nil {
		return 0, err
	}
	defer leave()
	chat, err := g.bridgedChat(ctx, bot, e.Place)
	if err != nil {
		return 0, err
	}
	switch {
	case chat == nil:
	case chat.Type != e.Type:
		return 0, fault.New(fault.Invalid, "invalid_event",
			"This chat is known with the chat_type "+string(chat.Type)+", and remembers as such. Give it another chat_id if other people can read it now.").At("chat_type")
	case e.Type == DM && chat.User != e.From.ID:
		return 0, fault.New(fault.Invalid, "invalid_event",
			"This private chat is one of another user_id. A private chat is for one person: give each person a chat_id.").At("user_id")
	}
	return g.commit(ctx, bot, arrived{events: []Event{*e}})
}

// bridgedChat is a chat of a bridge, or one of its threads, which is of the same people; nil for none.
func (g *Gateway) bridgedChat(ctx context.Context, bot *Bot, at Place) (*Chat, error) {
	chat, err := g.store.Chat(ctx, bot.Owner, at)
	if err == nil {
		return &chat, nil
	}
	if fault.KindOf(err) != fault.NotFound {
		return nil, fmt.Errorf("find the chat of a bridge: %w", err)
	}
	all, err := g.store.ListChats(ctx, bot.Owner, at.Platform)
	if err != nil {
		return nil, fmt.Errorf("list chats: %w", err)
	}
	for i := range all {
		if whole(all[i].Place) == whole(at) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// tells reports whether a caller who waits is to be told of the event: nothing more becomes of it, or a person has
// to decide.
func (b *Bridged) tells() bool { return b.State != Waiting && b.State != Taken }

// checkBridged checks what a bridge sends.
func checkBridged(e *Event) error {
	wrong := func(param, msg string) error { return fault.New(fault.Invalid, "invalid_event", msg).At(param) }
	if !platformName().MatchString(string(e.Place.Platform)) {
		return wrong("platform", "Name the platform in 1–32 small letters, digits and underscores.")
	}
	if slices.Contains(Platforms(), e.Place.Platform) {
		return wrong("platform", "That platform has an adapter of its own, which has this name. Name the bridge otherwise, such as "+string(e.Place.Platform)+"_bridge.")
	}
	for param, id := range map[string]string{"event_id": e.ID, "chat_id": e.Place.Chat, "user_id": e.From.ID} {
		if _, err := session.ParseID(id); err != nil {
			return wrong(param, "Send "+param+": 1–256 characters of UTF-8 without control characters.")
		}
	}
	switch e.Type {
	case DM, Group, Channel:
	default:
		return wrong("chat_type", "chat_type is dm, group or channel.")
	}
	if strings.TrimSpace(e.Text) == "" {
		return wrong("text", "There is no text.")
	}
	return nil
}

// bridged is what became of an event of a bridge so far.
func (g *Gateway) bridged(ctx context.Context, o owner.Owner, e *Event) (Bridged, error) {
	in, err := g.store.ChatEvent(ctx, o, EventName{e.Place.Platform, e.Place.Account, e.ID})
	if fault.KindOf(err) == fault.NotFound && isCommand(e) {
		// A command that erases a thing names the thing, and is erased, too.
		in, err = Inbound{Event: *e, State: Commanded}, nil
	}
	if err != nil {
		return Bridged{}, err
	}
	b := Bridged{EventID: e.GivenID(), RunID: in.Run, State: in.State}
	chat, err := g.store.Chat(ctx, o, in.Place)
	if err != nil {
		return b, err
	}
	b.Session, b.Key = chat.Session, chat.Key
	if b.State == Taken {
		if b.Approvals, err = g.waitingCalls(ctx, o, &chat, in.Run); err != nil {
			return b, err
		}
		if len(b.Approvals) > 0 {
			b.State = Undecided
		}
	}
	origin := in.Run
	if origin == "" {
		origin = runID(o, e) // a command
	}
	sends, err := g.store.SendsOf(ctx, o, in.Place, origin)
	if err != nil {
		return b, fmt.Errorf("read the answer: %w", err)
	}
	b.Answer = answerOf(sends)
	return b, nil
}

// waitingCalls are the calls of a turn that wait for an approval.
func (g *Gateway) waitingCalls(ctx context.Context, o owner.Owner, chat *Chat, run string) ([]WaitingCall, error) {
	rec, err := g.runs.Run(ctx, callerOf(o), run)
	if fault.KindOf(err) == fault.NotFound { // the turn has not begun
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find a turn: %w", err)
	}
	var out []WaitingCall
	for i := range rec.Approvals {
		a := &rec.Approvals[i]
		number := " " + strconv.Itoa(a.Number)
		out = append(out, WaitingCall{
			CallID: a.CallID, Name: a.Name, Arguments: maskedArguments(a.Arguments), Deadline: a.Deadline,
			Approve: g.commandIn(chat, "approve") + number, Deny: g.commandIn(chat, "deny") + number,
		})
	}
	return out, nil
}

// answerOf is the answer that some messages make up.
func answerOf(sends []Send) string {
	texts := make([]string, len(sends))
	for i := range sends {
		texts[i] = sends[i].Text
	}
	return strings.Join(texts, "\n\n")
}

// outcomeOf is what a settlement makes of the events of a turn, for those who wait for them.
func outcomeOf(chat *Chat, run string, s *Settlement) Bridged {
	b := Bridged{RunID: run, Session: chat.Session, Key: chat.Key, State: s.State, Answer: answerOf(s.Sends)}
	if s.Session != "" {
		b.Session = s.Session
	}
	return b
}

// awaited gets what became of an event when it is over; nil if the store must be asked.
func (g *Gateway) awaited(run string) <-chan *Bridged {
	g.mu.Lock()
	defer g.mu.Unlock()
	over := make(chan *Bridged, 1)
	g.waiters[run] = append(g.waiters[run], over)
	return over
}

// unawaited ends the waiting for an event that was not stored.
func (g *Gateway) unawaited(run string, over <-chan *Bridged) {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := slices.DeleteFunc(g.waiters[run], func(c chan *Bridged) bool { return c == over })
	if len(left) == 0 {
		delete(g.waiters, run)
		return
	}
	g.waiters[run] = left
}
