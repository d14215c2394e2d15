package discord_test

import (
	"cmp"
	"log/slog"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	gatewaytest.Contract(t, func(t *testing.T) *gatewaytest.Rig {
		d := gatewaytest.NewDiscord(t, gatewaytest.DiscordOptions{Messages: -1})
		return d.Rig(func(t *testing.T, log *slog.Logger) gateway.Adapter { return adapter(t, d, discord.Config{Log: log}) })
	})
}

// adapter is a hasty adapter for a fake.
func adapter(t *testing.T, d *gatewaytest.Discord, c discord.Config) *discord.Adapter {
	t.Helper()
	c.Token, c.APIURL, c.FileHost = cmp.Or(c.Token, gatewaytest.DiscordToken), cmp.Or(c.APIURL, d.URL), d.FileHost
	c.HTTP, c.Now = d.Client(t), d.Now
	if c.Retry == 0 {
		c.Retry = 5 * time.Millisecond
	}
	a, err := discord.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
