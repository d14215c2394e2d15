// Package telegram is the adapter of Telegram's Bot API.
//
// Updates are acknowledged only after their commit: by the offset of the next poll, or by
// status 200 to a webhook. The library go-telegram/bot carries out all other methods and
// has the types of updates. Its own receivers are not used, because they acknowledge
// before anything is stored.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/markdown"
)

// Config is what an adapter needs.
type Config struct {
	Token string
	// API is the server of the Bot API; "" is Telegram's own.
	API string
	// WebhookURL is where Telegram delivers updates; "" means that the adapter polls.
	WebhookURL string
	// WebhookSecret proves that an update comes from Telegram. A webhook needs it.
	WebhookSecret string
	Log           *slog.Logger     // nil logs nothing
	Now           func() time.Time // nil is time.Now
	HTTP          *http.Client     // nil is a client of the adapter's own
}

// officialAPI is Telegram's own server.
const officialAPI = "https://api.telegram.org"

// Adapter is a bot of Telegram. It is safe for concurrent use.
type Adapter struct {
	account string // the bot's id
	secret  string // the part of the token that is secret
	api     string // without a slash at the end
	cfg     Config
	client  *client
	bot     *bot.Bot
	log     *slog.Logger
	pace    pace
	presses chan string // ids of presses to be answered

	me atomic.Pointer[models.User] // who the bot is, once Telegram has said so

	mu     sync.Mutex // guards health
	health gateway.Health

	serving sync.RWMutex // read-locked while a webhook is served; guards intake
	intake  gateway.Intake
}

// New makes an adapter. It sends nothing.
func New(cfg Config) (*Adapter, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	account, secret, _ := strings.Cut(cfg.Token, ":")
	a := &Adapter{
		account: account, secret: secret, api: strings.TrimRight(cfg.API, "/"), cfg: cfg, log: cfg.Log, pace: usualPace(),
		presses: make(chan string, 64),
	}
	a.client = newClient(cfg.HTTP, secret)
	library, err := bot.New(cfg.Token,
		bot.WithSkipGetMe(), bot.WithServerURL(a.api), bot.WithHTTPClient(time.Minute, a.client),
		bot.WithErrorsHandler(func(err error) { a.log.Debug("telegram: the client failed", "err", a.client.masked(err)) }),
		bot.WithDebugHandler(func(string, ...any) {}),
		bot.WithDefaultHandler(func(context.Context, *bot.Bot, *models.Update) {}))
	if err != nil {
		return nil, fmt.Errorf("make the client of Telegram: %w", a.client.masked(err))
	}
	a.bot = library
	a.become("connecting", "not started")
	return a, nil
}

// complete checks a configuration and fills in what is missing.
func (c *Config) complete() error {
	if !regexp.MustCompile(`^[0-9]{1,18}:[A-Za-z0-9_-]{8,}$`).MatchString(c.Token) {
		return fault.New(fault.Invalid, "invalid_token", "The token of the Telegram bot must look like 123456:ABC-DEF, in one line. "+
			"Set TELEGRAM_BOT_TOKEN to the token of @BotFather.").At("token")
	}
	if c.API == "" {
		c.API = officialAPI
	}
	if u, err := url.Parse(c.API); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fault.New(fault.Invalid, "invalid_url", "The URL of the Bot API must begin with https:// or http://.").At("api_url")
	}
	if err := c.completeWebhook(); err != nil {
		return err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return nil
}

// completeWebhook checks the webhook. Telegram takes only these secrets and URLs.
func (c *Config) completeWebhook() error {
	switch {
	case c.WebhookURL == "" && c.WebhookSecret == "":
		return nil
	case c.WebhookURL == "" || c.WebhookSecret == "":
		return fault.New(fault.Invalid, "incomplete_webhook", "A webhook of Telegram needs both a URL and a secret.").At("webhook_secret")
	case !regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`).MatchString(c.WebhookSecret):
		return fault.New(fault.Invalid, "invalid_webhook_secret",
			"The secret of a Telegram webhook has up to 256 letters, digits, _ and -.").At("webhook_secret")
	}
	if u, err := url.Parse(c.WebhookURL); err != nil || u.Scheme != "https" || u.Host == "" {
		return fault.New(fault.Invalid, "invalid_url", "The URL of a Telegram webhook must begin with https://.").At("webhook_url")
	}
	return nil
}

// Platform is Telegram.
func (a *Adapter) Platform() gateway.Platform { return gateway.Telegram }

// Account is the bot's id.
func (a *Adapter) Account() string { return a.account }

// IsName implements gateway.Addressee.
func (a *Adapter) IsName(name string) bool {
	me := a.me.Load()
	return me == nil || me.Username == "" || named(name, me)
}

// Limits are Telegram's.
func (a *Adapter) Limits() gateway.Limits {
	return gateway.Limits{
		Length: 4096, Count: visibleLength, Dialect: markdown.TelegramHTML,
		Space: time.Second, GroupSpace: 3 * time.Second, AllSpace: 34 * time.Millisecond,
		Edit: 1200 * time.Millisecond, GroupEdit: 4 * time.Second,
		Typing: 5 * time.Second, Buttons: 8, FileSize: maxFile,
	}
}

// Health is the state of the connection.
func (a *Adapter) Health() gateway.Health {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.health
}

// become changes the state of the connection.
func (a *Adapter) become(state, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.health.State != state || a.health.Since.IsZero() {
		a.health.Since = a.cfg.Now()
	}
	a.health.State, a.health.Reason = state, reason
}

// errNotStarted is the error of work that needs to know who the bot is.
var errNotStarted = errors.New("telegram: the bot is not known yet")
