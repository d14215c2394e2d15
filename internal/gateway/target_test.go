package gateway_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestSilentHome: a home of the settings in which no one has written is no target, as any other chat is none. The
// first message there makes it one, of its owner alone.
func TestSilentHome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Home = ada })
		defer h.end()
		target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
		for _, place := range []string{"", ada, "777"} {
			if err := target.Check(t.Context(), h.bot.Owner, place); err == nil || !strings.Contains(err.Error(), "Write to the bot there first") {
				t.Errorf("to %q before a word: got %v", place, err)
			}
		}
		if err := target.Check(t.Context(), h.bot.Owner, ""); err == nil || !strings.Contains(err.Error(), "platforms.telegram.home") {
			t.Errorf("got %v, want an error that names the setting", err)
		}
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		for _, place := range []string{"", ada} {
			if err := target.Check(t.Context(), h.bot.Owner, place); err != nil {
				t.Errorf("to %q: %v", place, err)
			}
		}
		if err := target.Check(t.Context(), owner.Stored("bob"), ""); err == nil {
			t.Error("the home chat of alice is a target of bob")
		}
	})
}

// TestHomeOfAMuteChat: a chat in which the bot cannot write becomes no home, and the person is told why.
func TestHomeOfAMuteChat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "/home"))
		h.settled()
		e := h.dm(ada, "/home")
		e.Kind, e.Place.Chat, e.Type, e.Mute, e.Interaction = gateway.Called, "-9", gateway.Group, true, "i1"
		h.receive(e)
		h.settled()
		if !h.chat(ada).Home || h.chat("-9").Home {
			t.Errorf("got %+v and %+v, want the home as it was", h.chat(ada), h.chat("-9"))
		}
		said := h.wire.said()
		want(t, "answer", said[len(said)-1], "Jobs cannot report here: the bot is not in this chat. Add the bot, then send the command again.")
	})
}
