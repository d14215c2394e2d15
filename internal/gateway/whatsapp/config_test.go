package whatsapp_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
)

// TestConfig: an adapter does not start without its secrets, and says which one is missing.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(*whatsapp.Config)
		setting string // "" for a good configuration
	}{
		"all":               {func(*whatsapp.Config) {}, ""},
		"a template":        {func(c *whatsapp.Config) { c.Template.Name = "hermes_update" }, ""},
		"no phone":          {func(c *whatsapp.Config) { c.PhoneNumberID = "" }, "phone_number_id"},
		"no token":          {func(c *whatsapp.Config) { c.AccessToken = "" }, "access_token"},
		"no secret":         {func(c *whatsapp.Config) { c.AppSecret = "" }, "app_secret"},
		"a blank secret":    {func(c *whatsapp.Config) { c.AppSecret = " \t" }, "app_secret"},
		"no verify token":   {func(c *whatsapp.Config) { c.VerifyToken = "" }, "verify_token"},
		"a blank one":       {func(c *whatsapp.Config) { c.VerifyToken = " " }, "verify_token"},
		"a path":            {func(c *whatsapp.Config) { c.PhoneNumberID = "1/../me" }, "phone_number_id"},
		"a number":          {func(c *whatsapp.Config) { c.PhoneNumberID = "+1555" }, "phone_number_id"},
		"a line in a token": {func(c *whatsapp.Config) { c.AccessToken += "\nX: y" }, "access_token"},
		"no URL":            {func(c *whatsapp.Config) { c.API = "graph.facebook.com" }, "api_url"},
		"a file":            {func(c *whatsapp.Config) { c.API = "file:///etc/passwd" }, "api_url"},
		"a bad template":    {func(c *whatsapp.Config) { c.Template.Name = "Hermes Update" }, "template.name"},
		"a bad language": {func(c *whatsapp.Config) {
			c.Template = whatsapp.Template{Name: "hermes_update", Language: "English, please"}
		}, "template.language"},
	} {
		cfg := config()
		tt.change(&cfg)
		a, err := whatsapp.New(cfg)
		if tt.setting == "" {
			if err != nil || a.Account() != gatewaytest.WhatsAppPhoneID {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "platforms.whatsapp."+tt.setting) {
			t.Errorf("%s: got %v, want an error that names %s", name, err, tt.setting)
		}
		for _, secret := range []string{gatewaytest.WhatsAppToken, gatewaytest.WhatsAppSecret, gatewaytest.WhatsAppVerify} {
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error holds a secret", name)
			}
		}
	}
}
