package discord_test

import (
	"strings"
	"testing"
	"time"

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

// TestCheckFails: a refused token is told from a platform that fails, from a page of a proxy, and
// from a platform that is away, each with what to do.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  func(d *gatewaytest.Discord) discord.Config
		kind fault.Kind
		says string
	}{
		"a refused token": {func(*gatewaytest.Discord) discord.Config {
			return discord.Config{Token: strings.Replace(gatewaytest.DiscordToken, ".fake.", ".other.", 1)}
		}, fault.Unauthenticated, "DISCORD_BOT_TOKEN"},
		"a failure": {func(d *gatewaytest.Discord) discord.Config {
			d.Always("", gatewaytest.DiscordFault{Status: 500})
			return discord.Config{}
		}, fault.Unavailable, "status 500"},
		"a page that asks for a login": {func(d *gatewaytest.Discord) discord.Config {
			d.Always("", gatewaytest.DiscordFault{Status: 401})
			return discord.Config{}
		}, fault.Unavailable, "login"},
		"a page without a failure": {func(d *gatewaytest.Discord) discord.Config {
			d.Always("", gatewaytest.DiscordFault{Status: 200})
			return discord.Config{}
		}, fault.Unavailable, "login"},
		"an answer that breaks off": {func(d *gatewaytest.Discord) discord.Config {
			d.Always("", gatewaytest.DiscordFault{CutBefore: true})
			return discord.Config{}
		}, fault.Unavailable, "HTTPS_PROXY"},
		"a wait": {func(d *gatewaytest.Discord) discord.Config {
			d.Always("", gatewaytest.DiscordFault{RetryAfter: 7 * time.Second})
			return discord.Config{}
		}, fault.Unavailable, "status 429"},
		"out of reach": {func(*gatewaytest.Discord) discord.Config {
			return discord.Config{APIURL: "http://127.0.0.1:1/api/v10"}
		}, fault.Unavailable, "HTTPS_PROXY"},
	} {
		d := newFake(t, gatewaytest.DiscordOptions{})
		_, err := adapter(t, d, tt.cfg(d)).Check(t.Context())
		if fault.KindOf(err) != tt.kind || !strings.Contains(fault.MessageOf(err), tt.says) {
			t.Errorf("%s: got %q (%s), want %q", name, fault.MessageOf(err), fault.KindOf(err), tt.says)
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
