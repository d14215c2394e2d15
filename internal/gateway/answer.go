package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/markdown"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// exists reports whether an error says that a run has begun before.
func exists(err error) bool { return fault.CodeOf(err) == "run_exists" }

// follow follows the turn of a batch to its end, and shows people what becomes of it.
func (g *Gateway) follow(ctx context.Context, bot *Bot, l *lane, chat *Chat, b *batch) error {
	if bot.Fetched { // its caller may wait for the answer in a request that ends with this server
		ctx = context.WithoutCancel(ctx) // a server that stops ends the turn, or puts it back and says so
	}
	o := l.owner
	caller := callerOf(o)
	d := g.drafts.begin(o, chat, b, bot.streams(chat))
	var answer allSends
	defer func() {
		g.drafts.end(d)
		g.deliverSoon(bot, o, chat.Place, answer) // and forget it, once all of it is shown
	}()
	if away, err := g.movedAway(ctx, o, chat.Place, b); away || err != nil {
		return err
	}
	newest := b.events[len(b.events)-1].Message
	marked := g.unmark(ctx, bot, o, chat, newest)
	g.signalWorks(bot, chat.Place, b, marked)
	if !b.alone || g.lanes.askedAgain(l) { // what comes from now on sees the draft
		if err := g.crowded(ctx, bot, d); err != nil {
			return err
		}
	}
	typing := time.NewTicker(max(bot.Adapter.Limits().Typing*3/4, time.Second))
	defer typing.Stop()
	g.signal(ctx, bot, chat.Place, newest, Typing)
	for e, err := range g.runs.Follow(ctx, caller, b.run, 0, typing.C) {
		if err != nil {
			return g.unfollowed(ctx, bot, o, chat, b, err)
		}
		switch {
		case d.hasLeft():
			return nil
		case e.Run != nil:
			answer, err = g.settle(ctx, bot, o, chat, b, e.Run)
			return err
		case e.Seq == 0: // a tick
			if d.silent() {
				g.signal(ctx, bot, chat.Place, newest, Typing)
			}
		default:
			b.accepted = b.accepted || e.Type == live.RunStarted
			if err := g.tell(ctx, o, d, b, &e); err != nil {
				return err
			}
		}
	}
	return ctx.Err() // this server is stopping: the next one follows the turn
}

// unfollowed handles a turn that cannot be followed.
func (g *Gateway) unfollowed(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch, err error) error {
	switch {
	case fault.CodeOf(err) == codeDraining || ctx.Err() != nil:
		return ctx.Err()
	case fault.KindOf(err) == fault.NotFound: // the turn was erased while it was under way
		return g.cutOff(ctx, bot, o, chat, b)
	}
	return fmt.Errorf("follow a turn: %w", err)
}

// tell handles one event of the turn of a batch.
func (g *Gateway) tell(ctx context.Context, o owner.Owner, d *draft, b *batch, e *live.Event) error {
	switch e.Type {
	case live.RunStarted:
		d.restart()
		return g.voidApprovals(ctx, o, d)
	case live.MessageDelta:
		var p live.Piece
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return fmt.Errorf("read a piece of an answer: %w", err)
		}
		if d.add(p.Content, e.At, g.moment()) {
			g.lanes.ask(sending, o, d.chat.Place)
		}
	case live.ApprovalRequest:
		g.mentionApproval(o, b)
		return g.askApproval(ctx, o, d, e)
	case live.ApprovalResolved:
		return g.showApproval(ctx, o, d, e)
	case live.ToolStarted, live.ToolCompleted, live.RunCompleted, live.RunFailed, live.RunCancelled, live.RunInterrupted:
	}
	return nil
}

// settle ends a turn: its answer becomes messages, and its events are over. It returns the messages as
// conclude does.
func (g *Gateway) settle(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch, rec *live.Run) (allSends, error) {
	if rec.Erased() {
		return g.settleErased(ctx, bot, o, chat, b, rec)
	}
	if err := g.retainUnread(ctx, o, chat, b, rec); err != nil {
		return allSends{}, err
	}
	text := answerText(rec, g.commandIn(chat, "retry"))
	s := Settlement{Place: chat.Place, Events: b.names(), State: Answered, Session: rec.Session, At: g.moment()}
	switch {
	case fell(rec):
		s.State, s.Reason = Lost, reasonOf(rec)
	case rec.State == live.Cancelled:
		s.Reason = reasonStopped(text)
	}
	if text == "" && b.interaction() != "" {
		text = textSilent
	}
	return g.conclude(ctx, bot, o, chat, b, &s, &message{text: text, note: noteOf(rec)})
}

// conclude ends the events of a batch with an answer, of which it gets the text, "" for none, and the note. The
// caller has the answer sent. It returns the messages of the answer, if they are all that is to be sent in the
// chat, and none was sent before.
func (g *Gateway) conclude(
	ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch, s *Settlement, m *message,
) (allSends, error) {
	unsent, moves := b.fresh && !g.drafts.sent(o, chat.Place), g.drafts.moved()
	if m.text != "" {
		if chat.Notice != "" {
			m.text, s.Noticed = chat.Notice+"\n\n"+m.text, true
		}
		m.origin, m.replyTo, m.interaction, m.unsent = b.run, b.replyTo(chat), b.interaction(), unsent
		list, err := g.compose(ctx, bot, o, chat, m)
		if err != nil {
			return allSends{}, err
		}
		s.Sends, s.Edited = list, bot.editEach(chat.Type) > 0
		s.undelivered()
	}
	if err := g.reviseMissing(ctx, o, chat, b); err != nil {
		return allSends{}, err
	}
	alone, err := g.store.SettleEvents(ctx, o, *s)
	switch {
	case fault.CodeOf(err) == CodeMoved: // the lane of the new id follows the turn, too
		return allSends{}, nil
	case err != nil:
		return allSends{}, fmt.Errorf("settle a turn: %w", err)
	}
	mark := Clear
	if s.State == Lost {
		mark = Broke
	}
	g.signal(ctx, bot, chat.Place, b.events[len(b.events)-1].Message, mark)
	over := outcomeOf(chat, b.run, s)
	for i := range b.events {
		g.answered(runID(o, &b.events[i].Event), &over)
	}
	if !alone || !unsent {
		return allSends{}, nil
	}
	return allSends{s.Sends, moves}, nil
}

// deliverSoon asks for the messages of a chat to be sent, or to show their newest text. A bridge's caller fetches
// them. all are all messages that are to be sent in the chat; none if the caller does not know them.
func (g *Gateway) deliverSoon(bot *Bot, o owner.Owner, at Place, all allSends) {
	if bot.Fetched {
		g.drafts.forget(o, at)
		return
	}
	g.lanes.askKnowing(sending, o, at, all)
}

// answerText is what people are told at the end of a turn; "" for nothing. retry is the command that asks again.
func answerText(rec *live.Run, retry string) string {
	text := spoken(rec)
	if isSilent(text) || markdown.Blank(text) {
		text = ""
	}
	if !fell(rec) {
		return text
	}
	return strings.TrimSpace(markdown.Complete(text) + "\n\n" + sentence(reasonOf(rec)) + " " + retry + " asks again.")
}

// spoken is what the model of a turn says, without what it thinks before.
func spoken(rec *live.Run) string {
	text, _ := session.AfterThoughts(rec.Output())
	return strings.TrimSpace(text)
}

// textCut stands behind an answer that the model did not write to its end.
const textCut = "✂️ The model has reached its limit here, so this answer is not complete."

// noteOf is the line behind an answer; "" for none.
func noteOf(rec *live.Run) string {
	if rec.State == live.Completed && rec.Result != nil && rec.Result.Answer.FinishReason == "length" {
		return textCut
	}
	return ""
}

// fell reports whether a turn ended without the answer that people wait for. A model that has
// nothing to say says so; one that says nothing at all, or nothing that people can see, has failed.
func fell(rec *live.Run) bool {
	empty := rec.State == live.Completed && markdown.Blank(spoken(rec))
	return empty || rec.State == live.Failed || rec.State == live.Interrupted
}

// reasonOf says why a turn has no complete answer.
func reasonOf(rec *live.Run) string {
	if rec.State == live.Completed {
		return "⚠️ The model gave an empty answer."
	}
	switch f := rec.Failure; {
	case f == nil || f.Message == "":
		return "⚠️ The answer broke off."
	case f.Foreign:
		return "⚠️ " + cmp.Or(modelFailed[f.Kind], "The model server has failed.")
	default:
		return "⚠️ " + f.Message
	}
}

// modelFailed says in a chat why a model server gave no answer. Its own words are for the operator, and may
// repeat what it was asked. Never written.
var modelFailed = map[fault.Kind]string{
	fault.Invalid:     "The model server refused the request.",
	fault.Forbidden:   "The model server does not let this bot in.",
	fault.NotFound:    "The model server does not have this model.",
	fault.TooLarge:    "The conversation is too large for the model server.",
	fault.RateLimited: "The model server has too many requests.",
	fault.Unavailable: "The model server cannot answer now.",
	fault.Timeout:     "The model server did not answer in time.",
}

// reasonStopped says why a turn that was stopped has no whole answer. text is what there is of it.
func reasonStopped(text string) string {
	if text == "" {
		return "stopped before there was an answer"
	}
	return "stopped before the end of the answer"
}

// replyTo is the message that an answer refers to.
func (b *batch) replyTo(chat *Chat) MessageID { return b.events[len(b.events)-1].replyTo(chat.Type) }

// interaction is the one that the answer must carry; "" for none.
func (b *batch) interaction() string { return b.events[len(b.events)-1].Interaction }

// streams reports whether answers in a chat are shown while they are written.
func (b *Bot) streams(c *Chat) bool {
	if !b.Stream {
		return false
	}
	if _, drafts := b.Adapter.(Drafter); drafts && c.Type == DM {
		return true
	}
	return b.editEach(c.Type) > 0
}

// editEach is the least time between two edits in a chat; 0 if there are none.
func (b *Bot) editEach(t ChatType) time.Duration {
	l := b.Adapter.Limits()
	if t == DM {
		return l.Edit
	}
	return l.GroupEdit
}

// mentionApproval has those who wait for the events of a turn look into the store, which says that a tool waits.
func (g *Gateway) mentionApproval(o owner.Owner, b *batch) {
	for i := range b.events {
		g.answered(runID(o, &b.events[i].Event), nil)
	}
}

// answered tells those who wait for an event that it is over, and what became of it; nil if the store
// must be asked.
func (g *Gateway) answered(run string, b *Bridged) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.waiters[run] {
		c <- b
	}
	delete(g.waiters, run)
}
