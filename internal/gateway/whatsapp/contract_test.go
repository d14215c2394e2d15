package whatsapp_test

import (
	"log/slog"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
)

// TestContract: people show a number and a user id, or only one of them.
func TestContract(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]gatewaytest.WhatsAppOptions{
		"numbers and user ids": {Unlimited: true},
		"user ids":             {Unlimited: true, NoNumbers: true},
		"numbers":              {Unlimited: true, NoUserIDs: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gatewaytest.Contract(t, func(t *testing.T) *gatewaytest.Rig {
				s := gatewaytest.NewWhatsApp(t, o)
				return s.Rig(func(t *testing.T, log *slog.Logger) gateway.Adapter {
					a := adapter(t, s, whatsapp.Config{Log: log})
					s.DeliverTo(a.Webhook())
					return a
				})
			})
		})
	}
}

// config is a configuration for the fake.
func config() whatsapp.Config {
	return whatsapp.Config{
		PhoneNumberID: gatewaytest.WhatsAppPhoneID, AccessToken: gatewaytest.WhatsAppToken,
		AppSecret: gatewaytest.WhatsAppSecret, VerifyToken: gatewaytest.WhatsAppVerify,
	}
}

// adapter is a hasty adapter for a fake.
func adapter(t *testing.T, s *gatewaytest.WhatsApp, more whatsapp.Config) *whatsapp.Adapter {
	t.Helper()
	cfg := config()
	cfg.API, cfg.HTTP, cfg.Log, cfg.Now, cfg.Template = s.URL, s.Client(t), more.Log, more.Now, more.Template
	a, err := whatsapp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a.Hasten()
}
