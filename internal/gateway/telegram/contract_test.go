package telegram_test

import (
	"log/slog"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
)

func TestContract(t *testing.T) {
	t.Parallel()
	gatewaytest.Contract(t, func(t *testing.T) *gatewaytest.Rig {
		s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{Unlimited: true})
		return s.Rig(func(t *testing.T, log *slog.Logger) gateway.Adapter { return adapter(t, s, telegram.Config{Log: log}) })
	})
}

// TestContractOfWebhook: the adapter does the same when Telegram delivers updates to it.
func TestContractOfWebhook(t *testing.T) {
	t.Parallel()
	gatewaytest.Contract(t, func(t *testing.T) *gatewaytest.Rig {
		s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{Unlimited: true})
		return s.Rig(func(t *testing.T, log *slog.Logger) gateway.Adapter {
			a := adapter(t, s, telegram.Config{Log: log, WebhookURL: webhookURL, WebhookSecret: webhookSecret})
			s.DeliverTo(a.Webhook())
			return a
		})
	})
}

const (
	webhookURL    = "https://hermes.example/platforms/telegram"
	webhookSecret = "a-secret_of_the-webhook"
)

// adapter is a hasty adapter for a fake.
func adapter(t *testing.T, s *gatewaytest.Telegram, cfg telegram.Config) *telegram.Adapter {
	t.Helper()
	cfg.Token, cfg.API, cfg.HTTP = s.Token, s.URL, s.Client(t)
	a, err := telegram.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a.Hasten()
}
