package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// command is a slash command, with what differs between two of them.
type command struct {
	Type        int      `json:"type"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Options     []option `json:"options"`
}

// option is an argument of a command: a text.
type option struct {
	Type        int    `json:"type"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

const (
	slashCommand   = 1
	textOption     = 3
	optionName     = "text"
	maxDescription = 100
)

func equalCommands(a, b command) bool {
	return a.Type == b.Type && a.Name == b.Name && a.Description == b.Description && slices.Equal(a.Options, b.Options)
}

// commandsOf are the slash commands of a list.
func commandsOf(list []gateway.CommandInfo) []command {
	out := []command{}
	for _, c := range list {
		if !isCommandName(c.Name) {
			continue // Discord would refuse the whole list
		}
		made := command{Type: slashCommand, Name: strings.ToLower(c.Name), Description: describe(c.Usage, c.Name), Options: []option{}}
		if c.Args != "" {
			made.Options = append(made.Options, option{Type: textOption, Name: optionName, Description: describe(c.Args, optionName)})
		}
		out = append(out, made)
	}
	slices.SortFunc(out, byName)
	return out
}

// isCommandName reports whether Discord takes a name.
func isCommandName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, wordSigns+"-") == ""
}

func byName(a, b command) int { return strings.Compare(a.Name, b.Name) }

// describe cuts a description to what Discord takes.
func describe(text, other string) string {
	if text == "" {
		text = other
	}
	signs := []rune(text)
	return string(signs[:min(maxDescription, len(signs))])
}

// Commands registers the commands, if others are registered.
func (a *Adapter) Commands(ctx context.Context, list []gateway.CommandInfo) error {
	app, err := a.application(ctx)
	if err != nil {
		return err
	}
	var there []command
	if err := a.api.do(ctx, rest.GetGlobalCommands.Compile(nil, app.ID), nil, &there); err != nil {
		return err
	}
	slices.SortFunc(there, byName)
	want := commandsOf(list)
	if slices.EqualFunc(there, want, equalCommands) {
		return nil
	}
	return a.api.do(ctx, rest.SetGlobalCommands.Compile(nil, app.ID), want, nil)
}

// application is what is read of the bot's application.
type application struct {
	ID    string `json:"id"`
	Flags int    `json:"flags"`
	Bot   *user  `json:"bot"`
}

func (a *Adapter) application(ctx context.Context) (*application, error) {
	var app application
	if err := a.api.do(ctx, rest.GetCurrentApplication.Compile(nil), nil, &app); err != nil {
		return nil, err
	}
	return &app, nil
}

// contentIntent is switched on by hand in the developer portal.
const contentIntent = discord.ApplicationFlagGatewayMessageContent | discord.ApplicationFlagGatewayMessageContentLimited

const noContentIntent = "The Message Content Intent is off, so that the bot cannot read messages. " +
	"Switch it on in the Discord Developer Portal: Bot, Privileged Gateway Intents."

// Check asks Discord who the bot is, and whether it may read messages.
func (a *Adapter) Check(ctx context.Context) (gateway.Checked, error) {
	app, err := a.application(ctx)
	if err != nil {
		return gateway.Checked{}, a.checkError(err)
	}
	out := gateway.Checked{Account: a.account}
	if app.Bot != nil {
		out.Name = nameOf(app.Bot, nil)
	}
	if app.Flags&contentIntent == 0 {
		out.Missing = append(out.Missing, noContentIntent)
	}
	return out, nil
}

// checkError is why Discord does not say who the bot is, in words for a person.
func (a *Adapter) checkError(err error) error {
	e, answered := errors.AsType[*answerError](err)
	foreign := answered && e.page || errors.Is(err, errNoAnswer)
	switch {
	case answered && e.status >= http.StatusInternalServerError:
		text := fmt.Sprintf("Discord answers with status %d, a failure of its own. Try again later.", e.status)
		return fault.Wrap(fault.Unavailable, "discord_unavailable", text, err)
	case foreign:
		return fault.Wrap(fault.Unavailable, "discord_unavailable", "What answers in Discord's place does not speak Discord's API. "+
			"Look whether a proxy, or a page on which the network asks for a login, stands between this machine and Discord.", err)
	case answered && e.status == http.StatusUnauthorized:
		return fault.Wrap(fault.Unauthenticated, "discord_"+strconv.Itoa(e.status), refusedToken, err)
	case answered:
		text := fmt.Sprintf("Discord answers with status %d, code %d. Try again later.", e.status, e.code)
		return fault.Wrap(fault.Unavailable, "discord_unavailable", text, err)
	}
	return fault.Wrap(fault.Unavailable, "discord_unreachable",
		"Discord does not answer. Look whether this machine reaches Discord's API, over a proxy if it needs one (HTTPS_PROXY).", err)
}
