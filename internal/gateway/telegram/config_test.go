package telegram_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	const token = gatewaytest.TelegramToken
	for name, tt := range map[string]struct {
		cfg  telegram.Config
		code string // "" for a good one
	}{
		"a token":             {telegram.Config{Token: token}, ""},
		"a webhook":           {telegram.Config{Token: token, WebhookURL: webhookURL, WebhookSecret: webhookSecret}, ""},
		"no token":            {telegram.Config{}, "invalid_token"},
		"no number":           {telegram.Config{Token: "abc:defghijk"}, "invalid_token"},
		"a path":              {telegram.Config{Token: "1:../../defghijk"}, "invalid_token"},
		"no URL":              {telegram.Config{Token: token, API: "api.telegram.org"}, "invalid_url"},
		"a file":              {telegram.Config{Token: token, API: "file:///etc/passwd"}, "invalid_url"},
		"no secret":           {telegram.Config{Token: token, WebhookURL: webhookURL}, "incomplete_webhook"},
		"only a secret":       {telegram.Config{Token: token, WebhookSecret: webhookSecret}, "incomplete_webhook"},
		"a blank in a secret": {telegram.Config{Token: token, WebhookURL: webhookURL, WebhookSecret: "a b"}, "invalid_webhook_secret"},
		"plain http":          {telegram.Config{Token: token, WebhookURL: "http://hermes.example/", WebhookSecret: webhookSecret}, "invalid_url"},
	} {
		a, err := telegram.New(tt.cfg)
		if got := fault.CodeOf(err); got != tt.code {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, tt.code)
		}
		if err == nil && a.Account() != "7700123" {
			t.Errorf("%s: got account %s", name, a.Account())
		}
		if err != nil && tt.cfg.Token != "" && strings.Contains(err.Error(), tt.cfg.Token) {
			t.Errorf("%s: the error holds the token", name)
		}
	}
}
