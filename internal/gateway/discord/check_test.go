package discord_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// TestCheck: the bot has a name, and an intent that is off is named with the way out.
func TestCheck(t *testing.T) {
	t.Parallel()
	for flags, missing := range map[int]bool{1 << 18: false, 1 << 19: false, 1<<19 | 1<<15: false, 1 << 15: true} {
		d := newFake(t, gatewaytest.DiscordOptions{Flags: flags})
		c, err := adapter(t, d, discord.Config{}).Check(t.Context())
		if err != nil || c.Account != gatewaytest.DiscordBot || c.Name != "hermes" {
			t.Errorf("flags %d: got %+v, %v", flags, c, err)
		}
		if named := len(c.Missing) == 1 && strings.Contains(c.Missing[0], "Message Content Intent"); named != missing {
			t.Errorf("flags %d: got %q", flags, c.Missing)
		}
	}
}

// TestCheckFails: a refused token is told from a platform that is away.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]fault.Kind{401: fault.Unauthenticated, 502: fault.Unavailable} {
		d := newFake(t, gatewaytest.DiscordOptions{})
		d.Always("", gatewaytest.DiscordFault{Status: status})
		_, err := adapter(t, d, discord.Config{}).Check(t.Context())
		if fault.KindOf(err) != kind {
			t.Errorf("status %d: got %v (%s)", status, err, fault.KindOf(err))
		}
		if kind == fault.Unauthenticated && !strings.Contains(fault.MessageOf(err), "DISCORD_BOT_TOKEN") {
			t.Errorf("got %q, want what to do", fault.MessageOf(err))
		}
	}
}

// TestConfig: a token that is none is refused at the start, and is not shown.
func TestConfig(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "abc", "a.b", "OTAw", "Zm9v.a.secret", "OTAwMDAwMDAwMDAwMDAwMDAx.fake", "///.a.secret", ".a.secret"} {
		_, err := discord.New(discord.Config{Token: token})
		if fault.CodeOf(err) != "invalid_discord_token" {
			t.Errorf("%q: got %v", token, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the token: %v", token, err)
		}
	}
	a, err := discord.New(discord.Config{Token: gatewaytest.DiscordToken})
	if err != nil || a.Account() != gatewaytest.DiscordBot {
		t.Errorf("got %v, account %s", err, a.Account())
	}
	if h := a.Health(); h.State != "stopped" {
		t.Errorf("got %+v before the start", h)
	}
}
