package cli

import (
	"context"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

// setOperator lets the operator of the server see the settings, and have the installation
// examined, over HTTP.
func (s *server) setOperator(c *httpapi.Config, doctor func(context.Context, bool) []finding) {
	c.Settings = func() []httpapi.Setting { return settingsOf(s.cfg) }
	if doctor == nil {
		return
	}
	c.Doctor = func(ctx context.Context, deep bool) []httpapi.Finding {
		var out []httpapi.Finding
		for _, f := range doctor(ctx, deep) {
			out = append(out, httpapi.Finding{About: f.About, Level: string(f.Level), Says: f.Says, Do: f.Do})
		}
		return out
	}
}

// settingsOf are the settings of a configuration. Of a secret only whether it is set is told.
func settingsOf(c *config.Config) []httpapi.Setting {
	var out []httpapi.Setting
	for _, r := range c.Rows() {
		if r.Secret && r.Value != "" {
			r.Value = "set"
		}
		out = append(out, httpapi.Setting{Name: r.Name, Value: r.Value, Source: r.Source, Usage: r.Usage, Secret: r.Secret})
	}
	return out
}
