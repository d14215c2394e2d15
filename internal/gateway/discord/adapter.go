// Package discord is the adapter of Discord. It speaks Discord's REST API through disgo,
// and Discord's gateway by itself: an event is resumed from the last one that was
// committed, and a heartbeat never waits for a commit.
package discord

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/markdown"
)

// Config configures an adapter. Only the token is needed.
type Config struct {
	// Token is the bot's token. Its first part is the id of the bot in base64.
	Token string
	// APIURL is the REST API, such as "https://discord.com/api/v10", which "" stands for.
	APIURL string
	// GatewayURL is the gateway; "" asks the REST API for it.
	GatewayURL string
	// FileHost is a host from which files may be fetched without TLS; "" is none. It is for
	// tests.
	FileHost string
	// HTTP makes the requests; nil is a client of the adapter's own.
	HTTP *http.Client
	// Log takes what is worth a line; nil drops it.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Retry is the shortest wait between two connections, and the longest is 60 times that; 0
	// is one second.
	Retry time.Duration
}

// Adapter is the adapter of one bot.
type Adapter struct {
	cfg      Config
	account  string
	http     *http.Client
	api      *api
	channels *channels
	roles    *roles
	marks    *marks
	sent     *sent
	state    *state

	deferrals    *deferrals
	readyTimeout time.Duration
}

// The interfaces of the gateway.
var (
	_ gateway.Adapter   = (*Adapter)(nil)
	_ gateway.CatchUp   = (*Adapter)(nil)
	_ gateway.Finder    = (*Adapter)(nil)
	_ gateway.Commander = (*Adapter)(nil)
	_ gateway.Checker   = (*Adapter)(nil)
	_ gateway.Reporter  = (*Adapter)(nil)
)

// apiURL is Discord's REST API.
const apiURL = "https://discord.com/api/v10"

// New makes an adapter. It connects to nothing.
func New(c Config) (*Adapter, error) {
	account, ok := accountOf(c.Token)
	if !ok {
		return nil, fault.New(fault.Invalid, "invalid_discord_token", "The token of the Discord bot is not one: it has three parts with dots between, the first with the bot's id. "+
			"Set DISCORD_BOT_TOKEN to the token of the page Bot in the Developer Portal.").
			At("token")
	}
	if c.APIURL == "" {
		c.APIURL = apiURL
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Retry == 0 {
		c.Retry = time.Second
	}
	a := &Adapter{
		cfg: c, account: account, marks: &marks{}, sent: &sent{}, state: newState(c.Now),
		deferrals: &deferrals{}, readyTimeout: readyTimeout,
	}
	a.http = newHTTP(c.HTTP)
	a.api = newAPI(&c, a.http)
	a.channels = newChannels(a.api, account, c.Now)
	a.roles = newRoles(a.api, account)
	return a, nil
}

// accountOf returns the id of the bot that a token belongs to.
func accountOf(token string) (string, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", false
	}
	id, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(parts[0], "="))
	return string(id), err == nil && isID(string(id))
}

// isID reports whether a text is an id of Discord. Only such a text becomes a part of a
// path.
func isID(text string) bool {
	return text != "" && len(text) <= 20 && strings.Trim(text, "0123456789") == ""
}

// areIDs reports whether all texts are ids of Discord.
func areIDs(list ...string) bool {
	return !slices.ContainsFunc(list, func(id string) bool { return !isID(id) })
}

// Platform is the name of the platform.
func (a *Adapter) Platform() gateway.Platform { return gateway.Discord }

// Account is the id of the bot's user.
func (a *Adapter) Account() string { return a.account }

// Bounds of Discord.
const (
	maxLength  = 2000
	maxButtons = 5
	maxFile    = 10 << 20
	// allPerSecond is how many requests Discord takes from a bot in a second.
	allPerSecond = 50
)

// channelSpace is the time between two messages in a channel. Discord takes five in five seconds.
// They do not arrive as evenly as they are sent, so that a second would be too little.
const channelSpace = 1100 * time.Millisecond

// Limits are Discord's bounds. Beside them the adapter keeps to the rate limits that
// Discord sends with each answer.
func (a *Adapter) Limits() gateway.Limits {
	return gateway.Limits{
		Length:     maxLength,
		Count:      lengthOf,
		Dialect:    markdown.DiscordMarkdown,
		Space:      channelSpace,
		GroupSpace: channelSpace,
		AllSpace:   time.Second / allPerSecond,
		Edit:       1200 * time.Millisecond,
		GroupEdit:  1200 * time.Millisecond,
		EditsApart: true,
		Typing:     10 * time.Second,
		Buttons:    maxButtons,
		FileSize:   maxFile,
	}
}

// channelOf is the id of the channel that a place is. A thread is a channel.
func channelOf(p gateway.Place) string {
	if p.Thread != "" {
		return p.Thread
	}
	return p.Chat
}
