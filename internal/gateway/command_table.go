package gateway

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hermes-memory/hermes/internal/language"
)

// command is a command of the chats.
type command struct {
	name, args, usage string
	by                rank
	after             order
	// plan decides what will be done, before it is done; nil for a command that can be
	// done twice. What it returns is stored, and is the same when the command is done again.
	plan func(*call, context.Context) (string, error)
	do   func(*call, context.Context) (reply, error)
}

// rank says who may give a command.
type rank int

const (
	anybody    rank = iota
	chatAdmins      // in a group, only an admin: it changes the chat
	admins          // only an admin, also in a private chat: it reaches beyond the chat
)

// order says what a command waits for.
type order int

const (
	atOnce        order = iota
	afterMessages       // the messages before it have begun their turn
	afterTurns          // the messages before it are answered
	afterBegun          // a turn has begun: nothing while one is under way, otherwise that of the messages before it
)

// commands are the commands in the order in which they are shown.
func commands() []command {
	return []command{
		{"new", "", "end this session and begin a new one; memory stays", chatAdmins, afterMessages, (*call).planReset, (*call).reset},
		{"reset", "", "the same", chatAdmins, afterMessages, (*call).planReset, (*call).reset},
		{"undo", "", "take the last exchange back", chatAdmins, afterTurns, (*call).planUndo, (*call).undo},
		{"retry", "", "ask the last question again", chatAdmins, afterTurns, (*call).planUndo, (*call).retry},
		{"title", "[text]", "show or set the title of the session", chatAdmins, atOnce, nil, (*call).title},
		{"compress", "", "fold older messages into a summary now", chatAdmins, atOnce, nil, (*call).compress},
		{"status", "", "show this session", anybody, atOnce, nil, (*call).status},
		{"sessions", "[n]", "list the newest sessions of this chat", anybody, atOnce, nil, (*call).list},
		{"resume", "[n, id or title]", "go on with another session", chatAdmins, afterMessages, (*call).planResume, (*call).resumeOther},
		{"memory", "[words]", "show what is remembered", anybody, atOnce, nil, (*call).memory},
		{"why", "", "show what the last answer was given", anybody, atOnce, nil, (*call).why},
		{"forget", "thing", "erase everything about a thing, with proof; --yes behind it does not ask", admins, atOnce, nil, (*call).forget},
		{"stop", "", "stop the answer", anybody, afterBegun, nil, (*call).stop},
		{"approve", "[n]", "let a tool run", anybody, atOnce, nil, (*call).approve},
		{"deny", "[n]", "do not let a tool run", anybody, atOnce, nil, (*call).deny},
		{"home", "", "let jobs report in this chat", admins, atOnce, nil, (*call).home},
		{"sethome", "", "the same", admins, atOnce, nil, (*call).home},
		{"help", "[command]", "show the commands", anybody, atOnce, nil, (*call).help},
		{"start", "", "say hello", anybody, atOnce, nil, (*call).hello},
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

// commandIn is what people write in a chat to give a command. All texts of a chat name commands by it.
func (g *Gateway) commandIn(c *Chat, name string) string {
	if bot := g.botOf(c.Place); bot != nil {
		if n, ok := bot.Adapter.(Namer); ok {
			return n.CommandName(name, c.Place, c.Type)
		}
	}
	return "/" + name
}

// commandAt is what a person writes to the bot of a platform to give a command.
func (g *Gateway) commandAt(p Platform, name string) string {
	return g.commandIn(&Chat{Place: Place{Platform: p}, Type: DM}, name)
}

// named is what people write in the chat of the command to give another command.
func (o *call) named(name string) string { return o.commandIn(o.chat, name) }

// commandWord matches the first word of a command. A path such as /etc/hosts is none, nor is a number such as /24.
var commandWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[/!]([A-Za-z_]\w{0,31})(?:@\w+)?(?:[\s\p{Z}]|$)`) })

// endedCommand matches a command that stands alone, with signs that end a sentence behind its word. A question mark is none of
// them: "/undo?" asks.
var endedCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([/!]([A-Za-z_]{1,32})(?:@\w+)?)[.,;:!…。，；：！]+[\s\p{Z}]*$`)
})

// commandText is a text from its first sign on. It ends at the word of a command that stands alone with signs behind it:
// "/stop!" is "/stop".
func commandText(text string) string {
	text = leadless(text)
	if m := endedCommand().FindStringSubmatch(text); m != nil && known(m[2]) {
		return m[1]
	}
	return text
}

// isCommand reports whether an event is a command or the press of a button, or mentions the bot
// without words, which is answered as a command is: without a model. A word behind "!"
// is a command only if there is one of that name: some platforms know no slash in threads.
func isCommand(e *Event) bool {
	if e.Erased {
		return e.Order
	}
	switch e.Kind {
	case Called, Pressed:
		return true
	case Said:
		return GivesCommand(e.Text) || e.bare()
	case Edited, Deleted, Moved, Failed, Arrived:
	}
	return false
}

// GivesCommand reports whether a text of a person gives a command.
func GivesCommand(text string) bool {
	text = commandText(text)
	m := commandWord().FindStringSubmatch(text)
	return m != nil && (text[0] == '/' || known(m[1]))
}

// leadless is a text from its first sign on. In Slack, people write a blank before a slash, so
// that Slack does not take the command for one of its own.
func leadless(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }

// known reports whether there is a command of exactly this name.
func known(name string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == strings.ToLower(name) })
}

// shortest is the length from which the beginning of a command's name stands for it.
const shortest = 3

// commandParts are the name of a command as it was written, without the bot that it names, and its argument.
func commandParts(text string) (name, arg string) {
	text = commandText(text)
	word := text
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		word, arg = text[:i], strings.TrimSpace(text[i:])
	}
	name, _, _ = strings.Cut(strings.TrimLeft(word, "/!"), "@")
	return strings.ToLower(name), arg
}

// findCommand is the command that a text gives, with its argument. A beginning that only one
// command has is enough, unless the command changes something. near are similar names if there
// is none.
func findCommand(text string) (c command, arg string, near []string) {
	name, arg := commandParts(text)
	var starts []command
	for _, c := range commands() {
		switch {
		case c.name == name:
			return c, arg, nil
		case strings.HasPrefix(c.name, name):
			starts = append(starts, c)
		case language.Distance(c.name, name) <= 2:
			near = append(near, c.name)
		}
	}
	if len(starts) == 1 && len(name) >= shortest && starts[0].by == anybody {
		return starts[0], arg, nil
	}
	for _, c := range starts {
		near = append(near, c.name)
	}
	return command{}, "", near
}
