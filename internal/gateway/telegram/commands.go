package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// Commands shows the commands in private chats and in groups, where they differ from those
// shown. A name that Telegram does not allow is left out.
func (a *Adapter) Commands(ctx context.Context, list []gateway.CommandInfo) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	want := commands(list)
	for _, scope := range []models.BotCommandScope{&models.BotCommandScopeAllPrivateChats{}, &models.BotCommandScopeAllGroupChats{}} {
		have, err := a.bot.GetMyCommands(ctx, &bot.GetMyCommandsParams{Scope: scope})
		if err != nil {
			return fmt.Errorf("read the commands: %w", a.client.masked(err))
		}
		if slices.Equal(have, want) {
			continue
		}
		if _, err := a.bot.SetMyCommands(ctx, &bot.SetMyCommandsParams{Commands: want, Scope: scope}); err != nil {
			return fmt.Errorf("register the commands: %w", a.client.masked(err))
		}
	}
	return nil
}

// CommandName implements gateway.Namer. In a group, a command is meant for the bot that it names.
func (a *Adapter) CommandName(name string, _ gateway.Place, t gateway.ChatType) string {
	if me := a.me.Load(); t != gateway.DM && me != nil && me.Username != "" {
		return "/" + name + "@" + me.Username
	}
	return "/" + name
}

// commands are commands as Telegram shows them: at most 100, with up to 256 characters.
func commands(list []gateway.CommandInfo) []models.BotCommand {
	out := []models.BotCommand{}
	for _, c := range list {
		if !regexp.MustCompile(`^[a-z0-9_]{1,32}$`).MatchString(c.Name) || len(out) == 100 {
			continue
		}
		text := c.Usage
		if c.Args != "" {
			text += " (" + c.Args + ")"
		}
		if text == "" {
			text = "/" + c.Name
		}
		if runes := []rune(text); len(runes) > 256 {
			text = string(runes[:255]) + "…"
		}
		out = append(out, models.BotCommand{Command: c.Name, Description: text})
	}
	return out
}

// Check asks Telegram who the bot is and where its updates go, and names what is missing.
func (a *Adapter) Check(ctx context.Context) (gateway.Checked, error) {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	me, err := a.bot.GetMe(ctx)
	if err != nil {
		return gateway.Checked{}, a.checkError(err)
	}
	c := gateway.Checked{Account: a.account, Name: "@" + me.Username}
	if !me.CanReadAllGroupMessages {
		c.Missing = append(c.Missing, privacyMode)
	}
	if !me.CanJoinGroups {
		c.Missing = append(c.Missing, "the bot cannot be added to groups. To allow that, send /setjoingroups to @BotFather")
	}
	hook, err := a.bot.GetWebhookInfo(ctx)
	if err != nil {
		return gateway.Checked{}, a.checkError(err)
	}
	c.Missing = append(c.Missing, a.undelivered(hook)...)
	return c, nil
}

// undelivered names why Telegram does not deliver to this server.
func (a *Adapter) undelivered(hook *models.WebhookInfo) []string {
	switch {
	case hook.URL == "" && a.cfg.WebhookURL != "":
		return []string{"no webhook is registered yet. The server registers it when it starts"}
	case hook.URL != a.cfg.WebhookURL:
		host := "another address"
		if u, err := url.Parse(hook.URL); err == nil && u.Host != "" {
			host = u.Host
		}
		return []string{fmt.Sprintf("Telegram delivers to a webhook at %s, which another program or an earlier setting has set. "+
			"End the other program, and restart the server", host)}
	case hook.LastErrorMessage != "" && hook.PendingUpdateCount > 0:
		at := time.Unix(int64(hook.LastErrorDate), 0).UTC().Format(time.DateTime)
		return []string{fmt.Sprintf("Telegram could not deliver to the webhook at %s UTC, and %d updates wait. Telegram says: %s",
			at, hook.PendingUpdateCount, a.client.masked(errors.New(hook.LastErrorMessage)))}
	}
	return nil
}

// tokenRefused says what to do about a token that Telegram refuses.
func tokenRefused(cause error) error {
	return fault.Wrap(fault.Unauthenticated, "telegram_token",
		"Telegram refuses the bot's token. Send /token to @BotFather, and set TELEGRAM_BOT_TOKEN to what it answers.", cause)
}

// checkError is why Telegram does not say who the bot is, in words for a person.
func (a *Adapter) checkError(err error) error {
	cause := a.client.masked(err)
	r, refused := errors.AsType[*refusal](err)
	switch {
	case refused && r.fatal():
		return tokenRefused(cause)
	case refused:
		text := fmt.Sprintf("Telegram answers with code %d. Try again later.", r.Code)
		return fault.Wrap(fault.Unavailable, "telegram_unavailable", text, cause)
	}
	return fault.Wrap(fault.Unavailable, "telegram_unreachable",
		"Telegram does not answer. Look whether this machine reaches the Bot API, over a proxy if it needs one (HTTPS_PROXY).", cause)
}
