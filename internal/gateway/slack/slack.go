// Package slack speaks with Slack for one bot. It receives events over Socket Mode or over
// signed HTTP requests, and acknowledges an event after its commit. It sends with the Web
// API. It knows nothing of sessions, turns or people's rights.
package slack

import (
	"cmp"
	"context"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/markdown"
)

// maxText is the longest text of a message. Slack recommends at most 4,000 characters.
const maxText = 3900

// maxFile is the size of the largest file that is fetched or sent.
const maxFile = 20 << 20

// Config is what an adapter needs.
type Config struct {
	// BotToken begins with "xoxb-".
	BotToken string
	// AppToken begins with "xapp-" and selects Socket Mode.
	AppToken string
	// SigningSecret selects HTTP requests, if there is no AppToken.
	SigningSecret string
	// APIURL is the root of the Web API; "" for Slack's.
	APIURL string
	Log    *slog.Logger
	// Now is the clock; nil for the system's.
	Now func() time.Time
	// HTTP makes the requests; nil for a client with a timeout of a minute.
	HTTP *http.Client
}

// Adapter is a bot in a workspace.
type Adapter struct {
	config  Config
	account string
	pace    pace
	api     *api.Client
	http    *http.Client
	root    *url.URL // of the Web API
	log     *slog.Logger
	now     func() time.Time
	started time.Time
	people  *cache[person]
	chats   *cache[chat]
	threads *cache[bool] // threads in which the bot takes part
	marks   *cache[marks]
	roots   *cache[first]  // first messages of threads
	hooks   *cache[string] // response URLs, by the interaction
	gate    gate

	mu     sync.Mutex
	self   identity
	health gateway.Health
	cut    context.CancelCauseFunc // ends the connection; nil without one
}

// New returns an adapter. It makes no request.
func New(c Config) (*Adapter, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	root, err := apiRoot(cmp.Or(c.APIURL, api.APIURL))
	if err != nil {
		return nil, err
	}
	a := &Adapter{
		config: c, account: accountOf(c.BotToken), root: root, log: c.Log, now: c.Now, http: httpClient(c.HTTP), pace: usualPace(),
		started: c.Now(),
	}
	a.people, a.chats, a.roots = newCache[person](maxPeople), newCache[chat](maxPeople), newCache[first](maxPeople)
	a.threads, a.marks = newCache[bool](maxThreads), newCache[marks](maxThreads)
	a.hooks = newCache[string](maxPeople)
	a.health = gateway.Health{State: "stopped", Since: a.started}
	a.api = api.New(c.BotToken, api.OptionAPIURL(root.String()), api.OptionAppLevelToken(c.AppToken),
		api.OptionHTTPClient(bounded{a.http}), api.OptionLog(log.New(io.Discard, "", 0)))
	return a, nil
}

// complete checks a configuration and fills in what is missing.
func (c *Config) complete() error {
	c.BotToken, c.AppToken = strings.TrimSpace(c.BotToken), strings.TrimSpace(c.AppToken)
	c.SigningSecret = strings.TrimSpace(c.SigningSecret)
	if !botTokenForm().MatchString(c.BotToken) {
		return fault.New(fault.Invalid, invalidToken, "The bot token of Slack begins with xoxb-. Set SLACK_BOT_TOKEN.").At("token")
	}
	switch {
	case c.AppToken != "" && !appTokenForm().MatchString(c.AppToken):
		return fault.New(fault.Invalid, invalidToken, "The app token of Slack begins with xapp-. Set SLACK_APP_TOKEN.").At("app_token")
	case c.AppToken == "" && c.SigningSecret == "":
		return fault.New(fault.Invalid, "incomplete_slack",
			"Slack needs SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for the Events API.").At("app_token")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return nil
}

// apiRoot checks the address of the Web API. The token is sent in clear to this computer only.
func apiRoot(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, fault.New(fault.Invalid, "invalid_url", "The URL of the Web API must begin with https://.").At("api_url")
	}
	if u.Scheme != "https" && !localHTTP(u) {
		return nil, fault.New(fault.Invalid, "invalid_url", "The URL of the Web API must begin with https://, or name this computer.").At("api_url")
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// localHTTP reports whether a URL names this computer, without encryption.
func localHTTP(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "http" && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// Platform is Slack.
func (a *Adapter) Platform() gateway.Platform { return gateway.Slack }

// Account is a name of the bot that is known before Slack has been asked.
func (a *Adapter) Account() string { return a.account }

// Limits are Slack's. A text is counted in UTF-16, the larger of the counts that clients make.
func (a *Adapter) Limits() gateway.Limits {
	return gateway.Limits{
		Length:  maxText,
		Count:   units,
		Dialect: markdown.SlackMrkdwn,
		Space:   time.Second, GroupSpace: time.Second,
		Edit: 1500 * time.Millisecond, GroupEdit: 1500 * time.Millisecond, EditsApart: true,
		Typing:   2 * time.Minute,
		Buttons:  5,
		FileSize: maxFile,
	}
}

// units is the length of a text in UTF-16.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r) // a broken byte is one replacement character
	}
	return n
}

// Health is the state of the connection.
func (a *Adapter) Health() gateway.Health {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.health
}

// state changes the state of the connection.
func (a *Adapter) state(state, reason string) {
	a.mu.Lock()
	changed := a.health.State != state
	if changed {
		a.health.Since = a.now()
	}
	a.health.State, a.health.Reason = state, reason
	a.mu.Unlock()
	if changed {
		a.log.Info("slack: the connection has another state", "state", state, "reason", reason)
	}
}

// who is the bot, as far as it is known.
func (a *Adapter) who() identity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.self
}
