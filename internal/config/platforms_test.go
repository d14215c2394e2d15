package config

import (
	"strings"
	"testing"
)

func TestPlatforms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
platforms:
  telegram:
    users: [123, 456]
    mention: false
    timezone: Europe/Berlin
session_reset:
  mode: idle
  idle_minutes: 60
  platforms: { discord: { mode: none } }
  types: { group: { at_hour: 0 } }
`)
	w.env["TELEGRAM_BOT_TOKEN"], w.env["GATEWAY_ALLOWED_USERS"] = "7:secret", "telegram:789,discord:1"
	w.env["SESSION_RESET_HOUR"] = "5"
	c := w.mustLoad(t)
	if got := strings.Join(c.Platforms.Allowed("telegram"), " "); got != "123 456 789" {
		t.Errorf("allowed on Telegram: got %q", got)
	}
	if !c.Platforms.Telegram.On() || c.Platforms.Discord.On() || c.Platforms.Telegram.Mention || !c.Platforms.Discord.Mention {
		t.Errorf("got %+v", c.Platforms)
	}
	r := c.SessionReset
	if r.Mode != "idle" || r.IdleMinutes != 60 || *r.AtHour != 5 || r.Platforms["discord"].Mode != "none" || *r.Types["group"].AtHour != 0 {
		t.Errorf("got %+v", r)
	}
}

// TestIDsOfPeople: the ids that platforms give to people and chats are taken.
func TestIDsOfPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
platforms:
  telegram: { users: [123456789, 1], admins: [6012345678], chats: [-42, -1001234567890] }
  discord: { users: [80351110224678912], chats: ["1288888888888888888"] }
  slack: { users: [U0123ABCD, W012A3CDE], admins: [nobody], chats: [C0123ABCD, G0123ABCD] }
  whatsapp: { users: [4915112345678, DE.1234567890, US.ENT.11815799212886844830], chats: ["120363012345678901@g.us"] }
`)
	w.env["GATEWAY_ALLOWED_USERS"] = "telegram:789,discord:1,slack:U1,whatsapp:4915112345678"
	if _, err := w.load(); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestHomes: the ids of chats that can be a home are taken.
func TestHomes(t *testing.T) {
	t.Parallel()
	for name, ids := range map[string][]string{
		"TELEGRAM_HOME_CHANNEL":       {"123456789", "-42", "-1001234567890"},
		"DISCORD_HOME_CHANNEL":        {"1288888888888888888", "1"},
		"SLACK_HOME_CHANNEL":          {"C0123ABCD", "D0123ABCD", "G0123ABCD"},
		"WHATSAPP_CLOUD_HOME_CHANNEL": {"4915112345678", "DE.1234567890", "US.ENT.11815799212886844830", "120363012345678901@g.us"},
	} {
		for _, id := range ids {
			w := newWorld(t, "")
			w.env[name] = id
			if _, err := w.load(); err != nil {
				t.Errorf("%s=%s: got %v", name, id, err)
			}
		}
	}
}

func TestFilesOfPlatforms(t *testing.T) {
	t.Parallel()
	if got := newWorld(t, "").mustLoad(t).Gateway; got.Vision || got.Transcribe != "" || got.FilesKeepDays != 90 {
		t.Errorf("by default: got %+v", got)
	}
	got := newWorld(t, "gateway: {vision: true, transcribe_model: whisper-1, files_keep_days: 7}").mustLoad(t).Gateway
	if !got.Vision || got.Transcribe != "whisper-1" || got.FilesKeepDays != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestWrongPlatforms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, env, want string
	}{
		{"half of a webhook", "", "TELEGRAM_WEBHOOK_URL=https://x.org", "webhook_secret"},
		{"Slack without a way in", "", "SLACK_BOT_TOKEN=t", "app_token"},
		{"Slack without its token", "", "SLACK_APP_TOKEN=t", "SLACK_BOT_TOKEN"},
		{"a part of WhatsApp", "", "WHATSAPP_CLOUD_ACCESS_TOKEN=t", "verify_token"},
		{"a zone that is none", "platforms: {discord: {timezone: Nowhere/City}}", "", "platforms.discord.timezone"},
		{"an hour that is none", "session_reset: {at_hour: 24}", "", "session_reset.at_hour"},
		{"a mode that is none", "session_reset: {platforms: {slack: {mode: weekly}}}", "", "weekly"},
		{"a platform that is none", "session_reset: {platforms: {icq: {mode: idle}}}", "", "icq"},
		{"files that are kept for no day", "gateway: {files_keep_days: 0}", "", "gateway.files_keep_days"},
		{"a vision that is none", "gateway: {vision: maybe}", "", "gateway.vision"},
		{"a user without a platform", "", "GATEWAY_ALLOWED_USERS=123", "platform:id"},
		{"a name on Telegram", "", "TELEGRAM_ALLOWED_USERS=123, @alex", `platforms.telegram.users: "@alex" matches nobody`},
		{"everybody on Telegram", "", "TELEGRAM_ALLOWED_USERS=*", "such as 123456789"},
		{"a group among people", "", "TELEGRAM_ALLOWED_USERS=-1001234567890", "platforms.telegram.users"},
		{"a name among people of all platforms", "", "GATEWAY_ALLOWED_USERS=telegram:@alex", "platforms.allowed_users"},
		{"a name among admins", "platforms: {telegram: {admins: [alex]}}", "", "platforms.telegram.admins"},
		{"a person among groups", "platforms: {telegram: {chats: [123]}}", "", "platforms.telegram.chats"},
		{"a name on Discord", "", "DISCORD_ALLOWED_USERS=alex#1234", "Copy User ID"},
		{"a channel's name on Discord", "platforms: {discord: {chats: ['#general']}}", "", "Copy Channel ID"},
		{"a name on Slack", "", "SLACK_ALLOWED_USERS=@alex", "Copy member ID"},
		{"a person among channels on Slack", "platforms: {slack: {chats: [U0123ABCD]}}", "", "platforms.slack.chats"},
		{"a number with signs on WhatsApp", "", "WHATSAPP_CLOUD_ALLOWED_USERS=+49 151 12345678", "in digits only"},
		{"a name as the home on Telegram", "platforms: {telegram: {home: alex}}", "", `platforms.telegram.home: "alex" can be no chat`},
		{"a topic as the home on Telegram", "", "TELEGRAM_HOME_CHANNEL=-1001:7", "platforms.telegram.home"},
		{"a number too great for Telegram", "platforms: {telegram: {home: '99999999999999999999'}}", "", "platforms.telegram.home"},
		{"a number that begins with a zero on Telegram", "platforms: {telegram: {home: '0123'}}", "", "platforms.telegram.home"},
		{"a channel's name as the home on Telegram", "", "TELEGRAM_HOME_CHANNEL=@news", "platforms.telegram.home"},
		{"a channel's name as the home on Discord", "platforms: {discord: {home: '#general'}}", "", "platforms.discord.home"},
		{"a number below 0 on Discord", "", "DISCORD_HOME_CHANNEL=-100", "platforms.discord.home"},
		{"a channel's name as the home on Slack", "platforms: {slack: {home: '#general'}}", "", "platforms.slack.home"},
		{"a letter as the home on Slack", "", "SLACK_HOME_CHANNEL=C", "platforms.slack.home"},
		{"a person as the home on Slack", "", "SLACK_HOME_CHANNEL=U0123ABCD", "platforms.slack.home"},
		{"a number with signs as the home on WhatsApp", "", "WHATSAPP_CLOUD_HOME_CHANNEL=+49 151 12345678", "platforms.whatsapp.home"},
		{"a name as the home on WhatsApp", "platforms: {whatsapp: {home: family}}", "", "platforms.whatsapp.home"},
		{"a number without its country on WhatsApp", "", "WHATSAPP_CLOUD_ALLOWED_USERS=015112345678", "country code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.file)
			if name, value, found := strings.Cut(c.env, "="); found {
				w.env[name] = value
			}
			_, err := w.load()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error that names %q", err, c.want)
			}
		})
	}
}
