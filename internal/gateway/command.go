package gateway

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// command is a command of the chats.
type command struct {
	name, args, usage string
	// changes says that only an admin may give it in a group.
	changes bool
	// plan decides what will be done, before it is done; nil for a command that can be
	// done twice. What it returns is stored, and is the same when the command is done again.
	plan func(*order, context.Context) (string, error)
	do   func(*order, context.Context) (reply, error)
}

// reply is what a command answers.
type reply struct {
	text    string // Markdown; "" for nothing
	origin  string // of the message; "" for the command's own
	buttons []Button
	// run is the turn that answers the command instead; "" for none.
	run string
}

// order is a command that was given.
type order struct {
	*Gateway
	bot   *Bot
	owner owner.Owner
	chat  *Chat
	event *Inbound
	arg   string
	plan  string
}

// commands are the commands in the order in which they are shown.
func commands() []command {
	return []command{
		{"new", "", "end this session and begin a new one; memory stays", true, (*order).planReset, (*order).reset},
		{"reset", "", "the same", true, (*order).planReset, (*order).reset},
		{"undo", "", "take the last exchange back", true, (*order).planUndo, (*order).undo},
		{"retry", "", "ask the last question again", true, (*order).planUndo, (*order).retry},
		{"title", "[text]", "show or set the title of the session", true, nil, (*order).title},
		{"compress", "", "fold older messages into a summary now", true, nil, (*order).compress},
		{"status", "", "show this session", false, nil, (*order).status},
		{"sessions", "[n]", "list the newest sessions of this chat", false, nil, (*order).list},
		{"resume", "[n, id or title]", "go on with another session", true, (*order).planResume, (*order).resumeOther},
		{"memory", "[words]", "show what is remembered", false, nil, (*order).memory},
		{"why", "", "show what the last answer was given", false, nil, (*order).why},
		{"forget", "thing", "erase everything about a thing, with proof", true, nil, (*order).forget},
		{"stop", "", "stop the answer", false, nil, (*order).stop},
		{"approve", "[n]", "let a tool run", false, nil, (*order).approve},
		{"deny", "[n]", "do not let a tool run", false, nil, (*order).deny},
		{"home", "", "let jobs report in this chat", true, nil, (*order).home},
		{"sethome", "", "the same", true, nil, (*order).home},
		{"help", "", "show the commands", false, nil, (*order).help},
		{"start", "", "say hello", false, nil, (*order).help},
	}
}

// CommandList describes the commands, for platforms that show them.
func CommandList() []CommandInfo {
	var out []CommandInfo
	for _, c := range commands() {
		out = append(out, CommandInfo{Name: c.name, Usage: c.usage, Args: c.args})
	}
	return out
}

// commandWord matches the first word of a command. A path such as /etc/hosts is none.
var commandWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[/!]([A-Za-z_]{1,32})(?:@\w+)?(?:\s|$)`) })

// isCommand reports whether an event is a command or the press of a button. A word behind "!"
// is a command only if there is one of that name: some platforms know no slash in threads.
func isCommand(e *Event) bool {
	switch e.Kind {
	case Called, Pressed:
		return true
	case Said:
		m := commandWord().FindStringSubmatch(e.Text)
		return m != nil && (e.Text[0] == '/' || known(m[1]))
	case Edited, Moved, Failed, Arrived:
	}
	return false
}

// known reports whether there is a command of exactly this name.
func known(name string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == strings.ToLower(name) })
}

// findCommand is the command that a text gives, with its argument. A beginning that only one
// command has is enough. near are similar names if there is none.
func findCommand(text string) (c command, arg string, near []string) {
	word, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(word, "/!")), "@")
	var starts []command
	for _, c := range commands() {
		switch {
		case c.name == name:
			return c, strings.TrimSpace(arg), nil
		case strings.HasPrefix(c.name, name):
			starts = append(starts, c)
		case distance(c.name, name) <= 2:
			near = append(near, "/"+c.name)
		}
	}
	if len(starts) == 1 {
		return starts[0], strings.TrimSpace(arg), nil
	}
	for _, c := range starts {
		near = append(near, "/"+c.name)
	}
	return command{}, "", near
}

// distance is the edit distance of two words: letters to change, add and remove.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// obey does the commands of a chat, in the order they were given.
func (g *Gateway) obey(ctx context.Context, l *lane) error {
	bot := g.botOf(l.place)
	if bot == nil {
		return nil
	}
	for ctx.Err() == nil {
		open, err := g.store.OpenEvents(ctx, l.owner, l.place, maxOpen)
		if err != nil {
			return fmt.Errorf("read commands: %w", err)
		}
		i := slices.IndexFunc(open, func(e Inbound) bool { return e.State == Waiting && isCommand(&e.Event) })
		if i < 0 {
			return nil
		}
		if err := g.order(ctx, bot, l, &open[i]); err != nil {
			return err
		}
	}
	return nil
}

// order does one command and answers it.
func (g *Gateway) order(ctx context.Context, bot *Bot, l *lane, e *Inbound) error {
	chat, err := g.store.Chat(ctx, l.owner, l.place)
	if err != nil {
		return fmt.Errorf("read chat: %w", err)
	}
	o := &order{Gateway: g, bot: bot, owner: l.owner, chat: &chat, event: e}
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
	if r.text != "" {
		if s.Sends, err = g.compose(ctx, bot, l.owner, &chat, o.message(&r)); err != nil {
			return err
		}
	}
	if err := g.store.SettleEvents(ctx, l.owner, s); err != nil {
		return fmt.Errorf("settle a command: %w", err)
	}
	g.lanes.ask(sending, l.owner, l.place)
	g.answered(runID(l.owner, &e.Event))
	return nil
}

// message is the answer to a command as it is sent.
func (o *order) message(r *reply) *message {
	origin := r.origin
	if origin == "" {
		origin = runID(o.owner, &o.event.Event)
	}
	m := &message{origin: origin, text: r.text, buttons: r.buttons, interaction: o.event.Interaction}
	if o.chat.Type != DM && o.event.Kind != Pressed {
		m.replyTo = o.event.Message
	}
	return m
}

// run finds the command of an order, and does it.
func (o *order) run(ctx context.Context) (reply, error) {
	if o.event.Kind == Pressed {
		return o.press(ctx)
	}
	c, arg, near := findCommand(o.event.Text)
	o.arg, o.plan = arg, o.event.Plan
	switch {
	case c.do == nil && len(near) > 0:
		return reply{text: "There is no such command. Did you mean " + strings.Join(near, " or ") + "?"}, nil
	case c.do == nil:
		return reply{text: "There is no such command. /help shows them."}, nil
	case c.changes && o.chat.Type != DM && !o.bot.admin(&o.event.From):
		return reply{text: "In a group, only an admin may do that."}, nil
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
func (o *order) number(standard, most int) (int, bool) {
	if o.arg == "" {
		return standard, true
	}
	n, err := strconv.Atoi(o.arg)
	return n, err == nil && 1 <= n && n <= most
}
