package telegram

import (
	"testing"

	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestCommandNames: a command names the bot in a group, where it is not for the bot otherwise.
func TestCommandNames(t *testing.T) {
	t.Parallel()
	a := &Adapter{}
	var names gateway.Namer = a
	name := func(chat gateway.ChatType) string { return names.CommandName("new", gateway.Place{Chat: "1"}, chat) }
	if got := name(gateway.Group); got != "/new" {
		t.Errorf("before the bot is known: got %s", got)
	}
	a.me.Store(&models.User{Username: "hermes_bot"})
	if dm, group := name(gateway.DM), name(gateway.Group); dm != "/new" || group != "/new@hermes_bot" {
		t.Errorf("got %s in a DM and %s in a group", dm, group)
	}
}

// TestNamesOfTheBot: a command may name the bot in letters of any case. Until the name is known, every name may be it.
func TestNamesOfTheBot(t *testing.T) {
	t.Parallel()
	a := new(Adapter)
	var _ gateway.Addressee = a
	if !a.IsName("otherbot") {
		t.Error("a name is another's before the bot's own is known")
	}
	a.me.Store(&models.User{Username: "hermes_bot"})
	if !a.IsName("Hermes_Bot") || a.IsName("otherbot") {
		t.Error("the bot's name is not told from another one")
	}
}
