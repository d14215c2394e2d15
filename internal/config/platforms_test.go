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
