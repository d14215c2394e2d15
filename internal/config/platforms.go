package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Platform are the settings of one chat platform. A token switches it on.
type Platform struct {
	// The secrets. Each platform uses some of them.
	Token         string // of the bot
	AppToken      string // Slack: Socket Mode
	SigningSecret string // Slack: the Events API
	AccessToken   string // WhatsApp
	AppSecret     string // WhatsApp
	VerifyToken   string // WhatsApp
	PhoneNumberID string // WhatsApp
	WebhookURL    string // Telegram
	WebhookSecret string // Telegram

	Owner     string // whose data its chats are
	Users     []string
	Admins    []string
	Chats     []string
	Mention   bool
	Stream    bool
	Home      string
	Timezone  string
	MemoryKey string
	APIURL    string

	Template, TemplateLanguage string // WhatsApp
}

// On reports whether the platform is configured.
func (p *Platform) On() bool {
	return p.Token != "" || p.AccessToken != ""
}

// Platforms are the settings of all platforms.
type Platforms struct {
	Telegram, Discord, Slack, WhatsApp Platform
	// AllowedUsers may write on any platform: "platform:id".
	AllowedUsers []string
}

// Reset is a policy of resets. A zero field of an override is that of the default.
type Reset struct {
	Mode        string
	IdleMinutes int
	AtHour      *int
}

// SessionReset are the policies of resets.
type SessionReset struct {
	Reset
	Notify    bool
	Save      string
	Platforms map[string]Reset
	Types     map[string]Reset
}

// Gateway are the settings of all platforms together.
type Gateway struct {
	Busy          string
	Reactions     bool
	Transcribe    string
	Vision        bool
	FilesKeepDays int
}

// The names of platforms and types of chats in the settings.
func platformNames() []string { return []string{"telegram", "discord", "slack", "whatsapp"} }
func chatTypes() []string     { return []string{"dm", "group", "channel"} }
func resetModes() []string    { return []string{"idle", "daily", "both", "none"} }

// ByName is the platform of a name; nil for none.
func (p *Platforms) ByName(name string) *Platform {
	switch name {
	case "telegram":
		return &p.Telegram
	case "discord":
		return &p.Discord
	case "slack":
		return &p.Slack
	case "whatsapp":
		return &p.WhatsApp
	}
	return nil
}

// defaultPlatforms sets what holds without a configuration.
func (c *Config) defaultPlatforms() {
	for _, name := range platformNames() {
		p := c.Platforms.ByName(name)
		p.Owner, p.Mention, p.Stream = "local", true, true
	}
	hour := 4
	c.SessionReset = SessionReset{Reset: Reset{Mode: "both", IdleMinutes: 1440, AtHour: &hour}, Notify: true, Save: "auto"}
	c.Gateway = Gateway{Busy: "queue", Reactions: true, FilesKeepDays: 90}
}

// platformSettings are the settings of the chat platforms.
func platformSettings() []setting {
	var out []setting
	for _, name := range platformNames() {
		out = append(out, secretsOf(name)...)
		out = append(out, commonOf(name)...)
	}
	return append(out,
		list("platforms.allowed_users", "GATEWAY_ALLOWED_USERS", "people who may write on a platform: platform:id, with commas between",
			func(c *Config) *[]string { return &c.Platforms.AllowedUsers }),
		choice("session_reset.mode", "", "", "when the session of a chat is reset: idle, daily, both, none",
			func(c *Config) *string { return &c.SessionReset.Mode }, resetModes()...),
		number("session_reset.idle_minutes", "SESSION_IDLE_MINUTES", "minutes without a word after which a session is reset",
			func(c *Config) *int { return &c.SessionReset.IdleMinutes }),
		hour("session_reset.at_hour", "SESSION_RESET_HOUR", "hour of the day at which sessions are reset, 0 to 23"),
		flag("session_reset.notify", "", "", "say in the chat that a new session has begun",
			func(c *Config) *bool { return &c.SessionReset.Notify }),
		choice("session_reset.save", "", "", "auto: a model saves memories before a reset; off",
			func(c *Config) *string { return &c.SessionReset.Save }, "auto", "off"),
		choice("gateway.busy", "", "", "what becomes of a message during a turn: queue, interrupt",
			func(c *Config) *string { return &c.Gateway.Busy }, "queue", "interrupt"),
		flag("gateway.reactions", "", "", "mark messages while they are worked on",
			func(c *Config) *bool { return &c.Gateway.Reactions }),
		flag("gateway.vision", "", "", "send images that people send to the model, in their own turn",
			func(c *Config) *bool { return &c.Gateway.Vision }),
		text("gateway.transcribe_model", "", "", "model of the upstream that writes voice messages down; empty: none",
			func(c *Config) *string { return &c.Gateway.Transcribe }),
		number("gateway.files_keep_days", "", "days for which the files are kept that people send",
			func(c *Config) *int { return &c.Gateway.FilesKeepDays }),
	)
}

// at is how a setting finds its place in the settings of a platform.
func at(name string, field func(*Platform) *string) func(*Config) *string {
	return func(c *Config) *string { return field(c.Platforms.ByName(name)) }
}

// secretsOf are the tokens and secrets of a platform.
func secretsOf(name string) []setting {
	secret := func(key, env, usage string, field func(*Platform) *string) setting {
		return text("platforms."+name+"."+key, env, "", usage, at(name, field)).hidden()
	}
	switch name {
	case "telegram":
		return []setting{
			secret("token", "TELEGRAM_BOT_TOKEN", "the bot's token; switches Telegram on",
				func(p *Platform) *string { return &p.Token }),
			text("platforms.telegram.webhook_url", "TELEGRAM_WEBHOOK_URL", "",
				"public URL of /platforms/telegram; empty: ask Telegram for messages",
				at(name, func(p *Platform) *string { return &p.WebhookURL })),
			secret("webhook_secret", "TELEGRAM_WEBHOOK_SECRET", "what Telegram shows with each message to the webhook",
				func(p *Platform) *string { return &p.WebhookSecret }),
		}
	case "discord":
		return []setting{secret("token", "DISCORD_BOT_TOKEN", "the bot's token; switches Discord on",
			func(p *Platform) *string { return &p.Token })}
	case "slack":
		return []setting{
			secret("token", "SLACK_BOT_TOKEN", "the bot's token; switches Slack on", func(p *Platform) *string { return &p.Token }),
			secret("app_token", "SLACK_APP_TOKEN", "the app's token, for Socket Mode",
				func(p *Platform) *string { return &p.AppToken }),
			secret("signing_secret", "SLACK_SIGNING_SECRET", "the app's signing secret, for the Events API",
				func(p *Platform) *string { return &p.SigningSecret }),
		}
	}
	return []setting{
		text("platforms.whatsapp.phone_number_id", "WHATSAPP_CLOUD_PHONE_NUMBER_ID", "", "id of the phone number",
			at(name, func(p *Platform) *string { return &p.PhoneNumberID })),
		secret("access_token", "WHATSAPP_CLOUD_ACCESS_TOKEN", "the access token; switches WhatsApp on",
			func(p *Platform) *string { return &p.AccessToken }),
		secret("app_secret", "WHATSAPP_CLOUD_APP_SECRET", "the app's secret, which signs webhooks",
			func(p *Platform) *string { return &p.AppSecret }),
		secret("verify_token", "WHATSAPP_CLOUD_VERIFY_TOKEN", "what Meta shows when the webhook is set up",
			func(p *Platform) *string { return &p.VerifyToken }),
		text("platforms.whatsapp.template.name", "", "", "template that is sent outside the window of 24 hours",
			at(name, func(p *Platform) *string { return &p.Template })),
		text("platforms.whatsapp.template.language", "", "", "its language, such as en",
			at(name, func(p *Platform) *string { return &p.TemplateLanguage })),
	}
}

// commonOf are the settings that all platforms have.
func commonOf(name string) []setting {
	env := strings.ToUpper(name)
	if name == "whatsapp" {
		env = "WHATSAPP_CLOUD"
	}
	lists := func(key, variable, usage string, field func(*Platform) *[]string) setting {
		return list("platforms."+name+"."+key, variable, usage, func(c *Config) *[]string { return field(c.Platforms.ByName(name)) })
	}
	flags := func(key, usage string, field func(*Platform) *bool) setting {
		return flag("platforms."+name+"."+key, "", "", usage, func(c *Config) *bool { return field(c.Platforms.ByName(name)) })
	}
	one := func(key, variable, usage string, field func(*Platform) *string) setting {
		return text("platforms."+name+"."+key, variable, "", usage, at(name, field))
	}
	return []setting{
		one("owner", "", "whose data its chats are", func(p *Platform) *string { return &p.Owner }),
		lists("users", env+"_ALLOWED_USERS", "ids of the people who may write", func(p *Platform) *[]string { return &p.Users }),
		lists("admins", "", "ids of the people who may change things in groups; empty: all users",
			func(p *Platform) *[]string { return &p.Admins }),
		lists("chats", "", "ids of groups whose members may all write", func(p *Platform) *[]string { return &p.Chats }),
		flags("mention", "answer in groups only when addressed", func(p *Platform) *bool { return &p.Mention }),
		flags("stream", "show answers while they are written", func(p *Platform) *bool { return &p.Stream }),
		one("home", env+"_HOME_CHANNEL", "id of the chat in which jobs report that name none",
			func(p *Platform) *string { return &p.Home }),
		one("timezone", "", "time zone of people whose platform tells none", func(p *Platform) *string { return &p.Timezone }),
		one("memory_key", "", "session key under which private chats of a single user remember",
			func(p *Platform) *string { return &p.MemoryKey }),
		one("api_url", "", "address of the platform's API, if it is not the public one",
			func(p *Platform) *string { return &p.APIURL }),
	}
}

// hour is a setting for an hour of the day.
func hour(name, env, usage string) setting {
	s := named(name, env, "", usage)
	s.get = func(c *Config) string { return strconv.Itoa(*c.SessionReset.AtHour) }
	s.set = func(c *Config, v string) error {
		n, err := hourOf(v)
		c.SessionReset.AtHour = &n
		return err
	}
	return s
}

func hourOf(v string) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > 23 {
		return 0, fmt.Errorf("%q is not an hour from 0 to 23", v)
	}
	return n, nil
}

// resetOverride is the setting of a policy for one platform or type of chat:
// session_reset.platforms.discord.mode, session_reset.types.group.at_hour.
func resetOverride(name string) (setting, bool) {
	rest, ok := strings.CutPrefix(name, "session_reset.")
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 {
		return setting{}, false
	}
	of := map[string][]string{"platforms": platformNames(), "types": chatTypes()}[parts[0]]
	if !slices.Contains(of, parts[1]) || !slices.Contains([]string{"mode", "idle_minutes", "at_hour"}, parts[2]) {
		return setting{}, false
	}
	return setting{name: name, set: func(c *Config, v string) error { return c.override(parts[0], parts[1], parts[2], v) }}, true
}

// override sets one field of a policy for a platform or a type of chat.
func (c *Config) override(section, name, field, v string) error {
	all := &c.SessionReset.Platforms
	if section == "types" {
		all = &c.SessionReset.Types
	}
	if *all == nil {
		*all = make(map[string]Reset)
	}
	r := (*all)[name]
	switch field {
	case "mode":
		if !slices.Contains(resetModes(), v) {
			return fmt.Errorf("%q is not one of %s", v, strings.Join(resetModes(), ", "))
		}
		r.Mode = v
	case "idle_minutes":
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of minutes", v)
		}
		r.IdleMinutes = n
	case "at_hour":
		n, err := hourOf(v)
		if err != nil {
			return err
		}
		r.AtHour = &n
	}
	(*all)[name] = r
	return nil
}

// checkPlatforms validates the settings of the platforms.
func (c *Config) checkPlatforms() error {
	p := &c.Platforms
	if err := p.Slack.checkSlack(); err != nil {
		return err
	}
	switch {
	case isSet(p.Telegram.WebhookURL, p.Telegram.WebhookSecret) == 1:
		return errors.New("platforms.telegram: set webhook_url (TELEGRAM_WEBHOOK_URL) and webhook_secret (TELEGRAM_WEBHOOK_SECRET) both, or neither")
	case !wholeWhatsApp(&p.WhatsApp):
		return errors.New("platforms.whatsapp: set phone_number_id, access_token, app_secret and verify_token all, or none of them")
	case c.SessionReset.IdleMinutes < 1:
		return errors.New("session_reset.idle_minutes: use 1 or more; mode: none switches resets off")
	case c.Gateway.FilesKeepDays < 1:
		return errors.New("gateway.files_keep_days: use 1 or more")
	}
	for _, name := range platformNames() {
		if zone := p.ByName(name).Timezone; zone != "" {
			if _, err := time.LoadLocation(zone); err != nil {
				return fmt.Errorf("platforms.%s.timezone: %q is not a time zone such as Europe/Berlin", name, zone)
			}
		}
	}
	for _, user := range p.AllowedUsers {
		if name, id, _ := strings.Cut(user, ":"); id == "" || p.ByName(name) == nil {
			return fmt.Errorf("platforms.allowed_users: %q is not platform:id, such as telegram:123456789", user)
		}
	}
	return p.checkPeople()
}

// wholeWhatsApp reports whether all or none of WhatsApp's four values are set.
func wholeWhatsApp(p *Platform) bool {
	set := isSet(p.PhoneNumberID, p.AccessToken, p.AppSecret, p.VerifyToken)
	return set == 0 || set == 4
}

// isSet counts the values that are set.
func isSet(values ...string) int {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}

// checkSlack checks that Slack has a token and one way to receive messages.
func (p *Platform) checkSlack() error {
	ways := isSet(p.AppToken, p.SigningSecret)
	switch {
	case p.Token == "" && ways > 0:
		return errors.New("platforms.slack.token: set SLACK_BOT_TOKEN, too")
	case p.Token != "" && ways == 0:
		return errors.New("platforms.slack: set app_token (SLACK_APP_TOKEN) for Socket Mode, or signing_secret (SLACK_SIGNING_SECRET) for the Events API")
	case p.Token != "" && ways > 1:
		return errors.New("platforms.slack: app_token (SLACK_APP_TOKEN) and signing_secret (SLACK_SIGNING_SECRET) are both set. " +
			"Keep app_token for Socket Mode, or signing_secret for the Events API")
	}
	return nil
}

// Allowed are the people who may write on a platform.
func (p *Platforms) Allowed(name string) []string {
	out := slices.Clone(p.ByName(name).Users)
	for _, user := range p.AllowedUsers {
		if of, id, _ := strings.Cut(user, ":"); of == name && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
