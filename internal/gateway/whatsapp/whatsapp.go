// Package whatsapp is the adapter of WhatsApp's Cloud API.
//
// Meta delivers messages and statuses to a webhook. The webhook answers 200 only after the
// commit, so Meta delivers again whatever was not stored. The client of the API is small
// and part of this package.
package whatsapp

import (
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/markdown"
)

// Config is what an adapter needs. The first four values are required.
type Config struct {
	PhoneNumberID string
	AccessToken   string
	// AppSecret signs the requests to the webhook.
	AppSecret string
	// VerifyToken is what Meta shows when the webhook is set up.
	VerifyToken string
	// Template is sent to a person whose window of 24 hours is closed. Without a name, such
	// a message fails.
	Template Template
	// API is the server of the Graph API; "" is Meta's own.
	API  string
	Log  *slog.Logger     // nil logs nothing
	Now  func() time.Time // nil is time.Now
	HTTP *http.Client     // nil is a client of the adapter's own
}

// Template is a message that Meta has approved. It has no parameters.
type Template struct {
	Name     string
	Language string // "" is "en"
}

const (
	// officialAPI is Meta's own server.
	officialAPI = "https://graph.facebook.com"
	// version is the version of the API.
	version = "v26.0"
)

// Adapter is a phone number of a WhatsApp business. It is safe for concurrent use.
type Adapter struct {
	cfg      Config
	client   *client
	log      *slog.Logger
	pace     pace
	outcomes *outcomes
	waits    waits

	mu      sync.Mutex // guards health and trouble
	health  gateway.Health
	trouble string // why requests to the API fail; "" while they do not

	serving sync.RWMutex // read-locked while the webhook is served; guards intake
	intake  gateway.Intake
}

// New makes an adapter. It sends nothing.
func New(cfg Config) (*Adapter, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	a := &Adapter{cfg: cfg, log: cfg.Log, pace: usualPace(), outcomes: newOutcomes()}
	a.client = newClient(cfg.HTTP, strings.TrimRight(cfg.API, "/"), cfg.AccessToken)
	a.become("connecting", "not started")
	return a, nil
}

// complete checks a configuration and fills in what is missing.
func (c *Config) complete() error {
	if err := c.needed(); err != nil {
		return err
	}
	if !regexp.MustCompile(`^[0-9]{1,32}$`).MatchString(c.PhoneNumberID) {
		return invalid("phone_number_id", "has digits only: it is the id of the phone number, not the number itself.")
	}
	if !regexp.MustCompile(`^[!-~]+$`).MatchString(c.AccessToken) {
		return invalid("access_token", "has letters, digits and signs, without blanks.")
	}
	if c.API == "" {
		c.API = officialAPI
	}
	if u, err := url.Parse(c.API); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalid("api_url", "must begin with https:// or http://.")
	}
	if err := c.Template.complete(); err != nil {
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

// needed checks that the required values are there.
func (c *Config) needed() error {
	for _, v := range []struct{ name, value string }{
		{"phone_number_id", c.PhoneNumberID}, {"access_token", c.AccessToken}, {"app_secret", c.AppSecret}, {"verify_token", c.VerifyToken},
	} {
		if strings.TrimSpace(v.value) == "" {
			return invalid(v.name, "is missing. WhatsApp needs phone_number_id, access_token, app_secret and verify_token.")
		}
	}
	return nil
}

// complete checks a template and fills in its language.
func (t *Template) complete() error {
	if t.Name == "" {
		return nil
	}
	if t.Language == "" {
		t.Language = "en"
	}
	if !regexp.MustCompile(`^[a-z0-9_]{1,512}$`).MatchString(t.Name) {
		return invalid("template.name", "has small letters, digits and _ only.")
	}
	if !regexp.MustCompile(`^[A-Za-z]{2,3}(_[A-Za-z0-9]{2,8})?$`).MatchString(t.Language) {
		return invalid("template.language", "must look like en or en_US.")
	}
	return nil
}

// invalid is the error of a setting.
func invalid(name, what string) error {
	return fault.New(fault.Invalid, "invalid_"+strings.ReplaceAll(name, ".", "_"), "platforms.whatsapp."+name+" "+what).At(name)
}

// Platform is WhatsApp.
func (a *Adapter) Platform() gateway.Platform { return gateway.WhatsApp }

// Account is the id of the phone number.
func (a *Adapter) Account() string { return a.cfg.PhoneNumberID }

// Limits are WhatsApp's. Messages cannot be edited.
func (a *Adapter) Limits() gateway.Limits {
	return gateway.Limits{
		Length: maxText, Count: length, Dialect: markdown.WhatsAppText,
		Space: time.Second, GroupSpace: time.Second, AllSpace: 13 * time.Millisecond, Burst: 5, BurstSpace: 6 * time.Second,
		Typing: 25 * time.Second, Buttons: maxButtons, FileSize: maxFile,
	}
}

// length counts a text in units of UTF-16.
func length(text string) int { return markdown.WhatsAppText.Length(text) }

// Health is the state of the webhook.
func (a *Adapter) Health() gateway.Health {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.health
	if a.trouble != "" {
		h.Reason = a.trouble
	}
	return h
}

// become changes the state of the webhook.
func (a *Adapter) become(state, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.health.State != state || a.health.Since.IsZero() {
		a.health.Since = a.cfg.Now()
	}
	a.health.State, a.health.Reason = state, reason
}

// troubled notes why requests to the API fail; "" says that they do not.
func (a *Adapter) troubled(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.trouble = reason
}
