package gateway

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// reply is what a command answers.
type reply struct {
	text    string // Markdown; "" for nothing
	origin  string // of the message; "" for the command's own
	buttons []Button
	// run is the turn that answers the command instead; "" for none.
	run string
}

// call is a command that was given.
type call struct {
	*Gateway
	bot   *Bot
	owner owner.Owner
	chat  *Chat
	event *Inbound
	arg   string
	plan  string
}

// obey does the commands of a chat, in the order they were given.
func (g *Gateway) obey(ctx context.Context, l *lane) error {
	bot := g.botOf(l.place)
	if bot == nil {
		return nil
	}
	for ctx.Err() == nil {
		g.left.add(l) // before it looks: a turn that begins meanwhile asks it to look again
		open, err := g.store.OpenEvents(ctx, l.owner, l.place, maxOpen)
		if err != nil {
			return fmt.Errorf("read commands: %w", err)
		}
		begun, err := g.begunTurns(ctx, l, open)
		if err != nil {
			return err
		}
		i := nextCommand(open, begun)
		if i < 0 {
			if !withCommand(open) {
				g.left.remove(l)
				return nil
			}
			g.attend(l, open)
			return nil
		}
		if err := g.carryOut(ctx, bot, l, &open[i]); err != nil {
			return err
		}
	}
	return nil
}

// attend has the lane of messages look at the messages that a command waits for, and follow their turn. Another server may have
// taken them, and does not know of the command.
func (g *Gateway) attend(l *lane, open []Inbound) {
	if !g.shared || g.drafts.of(l.owner, l.place) != nil {
		return
	}
	first := slices.IndexFunc(open, func(e Inbound) bool { return isCommand(&e.Event) })
	if slices.ContainsFunc(open[:max(first, 0)], func(e Inbound) bool { return e.State == Taken || e.Kind != Edited }) {
		g.lanes.ask(answering, l.owner, l.place)
	}
}

// begunTurns are the turns of events that were taken, as far as they have begun. A turn reads the
// chat's session when it begins, which a command may change only after that.
func (g *Gateway) begunTurns(ctx context.Context, l *lane, open []Inbound) (map[string]bool, error) {
	begun := make(map[string]bool)
	for i := range open {
		id := open[i].Run
		if _, known := begun[id]; known || open[i].State != Taken {
			continue
		}
		_, err := g.runs.Run(ctx, callerOf(l.owner), id)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, fmt.Errorf("find a turn: %w", err)
		}
		begun[id] = err == nil
	}
	return begun, nil
}

// nextCommand is the first command that waits for nothing; -1 for none. The commands that wait
// keep their order. begun are the turns that have begun.
func nextCommand(open []Inbound, begun map[string]bool) int {
	free := afterTurns // what a command may wait for and still be next
	running := slices.Contains(slices.Collect(maps.Values(begun)), true)
	for i := range open {
		e := &open[i]
		switch {
		case e.State == Taken && begun[e.Run]:
			free = min(free, afterMessages)
		case e.State == Taken:
			free = atOnce
		case isCommand(&e.Event) && e.waitsFor(running) <= free:
			return i
		case e.Kind != Edited: // an edit belongs to a message before it
			free = atOnce
		}
	}
	return -1
}

// waitsFor is what a command waits for. running says that a turn is under way.
func (e *Inbound) waitsFor(running bool) order {
	if e.Kind == Pressed || e.Erased {
		return atOnce
	}
	c, _, _ := findCommand(e.Text)
	switch {
	case c.after != afterBegun:
		return c.after
	case running:
		return atOnce
	}
	return afterMessages
}

// waits reports whether a command is to be done behind the messages before it.
func (e *Inbound) waits() bool { return e.State == Waiting && e.waitsFor(false) != atOnce }

// carryOut does one command and answers it.
func (g *Gateway) carryOut(ctx context.Context, bot *Bot, l *lane, e *Inbound) error {
	chat, err := g.store.Chat(ctx, l.owner, l.place)
	if err != nil {
		return fmt.Errorf("read chat: %w", err)
	}
	o := &call{Gateway: g, bot: bot, owner: l.owner, chat: &chat, event: e}
	r, err := o.run(ctx)
	if err != nil {
		if fault.KindOf(err) == fault.Internal || ctx.Err() != nil {
			return err // it is done again
		}
		r = reply{text: fault.MessageOf(err)}
	}
	if r.run != "" {
		return g.takeOver(ctx, l, e, r.run)
	}
	if r.text == "" && e.Kind == Called && e.Interaction != "" {
		r.text = textDone
	}
	s := Settlement{Place: l.place, Events: []EventName{e.name()}, State: Commanded, At: g.moment()}
	if e.Erased && !e.isDone() {
		s.Reason = reasonErased
	}
	if r.text != "" {
		if s.Sends, err = g.compose(ctx, bot, l.owner, &chat, o.message(&r)); err != nil {
			return err
		}
	}
	_, err = g.store.SettleEvents(ctx, l.owner, s)
	g.lanes.ask(sending, l.owner, l.place) // also what the store has, and has failed to say so
	if err != nil {
		return fmt.Errorf("settle a command: %w", err)
	}
	g.lanes.ask(answering, l.owner, l.place) // messages behind the command may have waited for it
	g.answered(runID(l.owner, &e.Event), nil)
	return nil
}

// textBare is answered to who mentions the bot and says nothing.
const textBare = "Yes? Write what you want to know behind the mention, or answer one of my messages. %s shows the commands."

// message is the answer to a command as it is sent.
func (o *call) message(r *reply) *message {
	origin, command := r.origin, runID(o.owner, &o.event.Event)
	if origin == "" {
		origin, command = command, ""
	}
	m := &message{origin: origin, command: command, text: r.text, buttons: r.buttons, interaction: o.event.Interaction}
	if o.chat.Type == DM || o.event.Kind != Pressed {
		m.replyTo = o.event.replyTo(o.chat.Type)
	}
	return m
}

// run finds the command of an order, and does it.
func (o *call) run(ctx context.Context) (reply, error) {
	switch {
	case o.event.isDone():
		return reply{text: fmt.Sprintf(textProofless, o.named("forget"))}, nil
	case o.event.Erased:
		return reply{text: textErased}, nil
	}
	if o.event.Kind == Pressed {
		return o.press(ctx)
	}
	if o.event.bare() {
		return reply{text: fmt.Sprintf(textBare, o.named("help"))}, nil
	}
	if o.bot.isForAnother(&o.event.Event) {
		return o.leave(), nil
	}
	c, arg, near := findCommand(o.event.Text)
	o.arg, o.plan = arg, o.event.Plan
	if refused := o.refusal(&c, near); refused != "" {
		return reply{text: refused}, nil
	}
	if c.plan != nil && o.plan == "" {
		planned, err := c.plan(o, ctx)
		if err != nil {
			return reply{}, err
		}
		if o.plan, err = o.store.PlanCommand(ctx, o.owner, o.event.name(), planned); err != nil {
			return reply{}, fmt.Errorf("store a plan: %w", err)
		}
	}
	return c.do(o, ctx)
}

// textAnother answers a command that names another bot.
const textAnother = "That command names another bot, so nothing was done."

// leave leaves a command to the bot that it names, which answers it in a group.
func (o *call) leave() reply {
	if o.chat.Type == DM {
		return reply{text: textAnother}
	}
	return reply{}
}

// noSuch answers a command that is none. near are similar names.
func (o *call) noSuch(near []string) string {
	if len(near) == 0 {
		return "There is no such command. " + o.named("help") + " shows them."
	}
	names := make([]string, len(near))
	for i := range near {
		names[i] = o.named(near[i])
	}
	return "There is no such command. Did you mean " + strings.Join(names, " or ") + "?"
}

// refusal says why a command is not done; "" if it is.
func (o *call) refusal(c *command, near []string) string {
	switch {
	case c.do == nil:
		return o.noSuch(near)
	case !o.may(c.by):
		if c.by == admins {
			return textAdmins
		}
		return "In a group, only an admin may do that."
	case c.by != anybody && c.args == "" && o.arg != "":
		return "`" + o.named(c.name) + "` takes nothing behind it, so nothing was done. Send the text as a message of its own."
	}
	return ""
}

// may reports whether the sender has a rank in the chat.
func (o *call) may(by rank) bool {
	switch {
	case by == anybody, o.bot.admin(&o.event.From), o.own():
		return true
	}
	return by == chatAdmins && o.chat.Type == DM
}

// own reports whether the sender is the owner of all that a command can reach: a person to whose
// private chats the operator gave an owner of their own. All chats of a bridge are its caller's.
func (o *call) own() bool {
	return o.chat.Type == DM && !o.bot.Open && o.owner.ID() != o.bot.Owner.ID()
}

// takeOver gives a command to the turn that answers it.
func (g *Gateway) takeOver(ctx context.Context, l *lane, e *Inbound, run string) error {
	_, err := g.store.TakeEvents(ctx, l.owner, Taking{Place: l.place, Events: []EventName{e.name()}, Run: run, At: g.moment()})
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return fmt.Errorf("give a command to a turn: %w", err)
	}
	g.lanes.ask(answering, l.owner, l.place)
	return nil
}

// number is the number that a command is given, from 1 to most; without an argument it is
// the default.
func (o *call) number(standard, most int) (int, bool) {
	if o.arg == "" {
		return standard, true
	}
	n, err := strconv.Atoi(o.arg)
	return n, err == nil && 1 <= n && n <= most
}
