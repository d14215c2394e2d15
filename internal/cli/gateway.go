package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/discord"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/tool"
)

// platforms are the chat platforms with an adapter, and how their adapters are made from
// the settings. Making an adapter sends nothing.
func platforms() map[gateway.Platform]func(*config.Platform, *slog.Logger) (account, error) {
	return map[gateway.Platform]func(*config.Platform, *slog.Logger) (account, error){
		gateway.Telegram: func(p *config.Platform, log *slog.Logger) (account, error) {
			return telegram.New(telegram.Config{
				Token: p.Token, API: p.APIURL, WebhookURL: p.WebhookURL, WebhookSecret: p.WebhookSecret, Log: log,
			})
		},
		gateway.WhatsApp: func(p *config.Platform, log *slog.Logger) (account, error) {
			return whatsapp.New(whatsapp.Config{
				PhoneNumberID: p.PhoneNumberID, AccessToken: p.AccessToken, AppSecret: p.AppSecret, VerifyToken: p.VerifyToken,
				API: p.APIURL, Template: whatsapp.Template{Name: p.Template, Language: p.TemplateLanguage}, Log: log,
			})
		},
		gateway.Discord: func(p *config.Platform, log *slog.Logger) (account, error) {
			return discord.New(discord.Config{Token: p.Token, APIURL: p.APIURL, Log: log})
		},
		gateway.Slack: func(p *config.Platform, log *slog.Logger) (account, error) {
			return slack.New(slack.Config{
				BotToken: p.Token, AppToken: p.AppToken, SigningSecret: p.SigningSecret, APIURL: p.APIURL, Log: log,
			})
		},
	}
}

// account is an adapter that knows the platform's id of its bot.
type account interface {
	gateway.Adapter
	Account() string
}

// botsOf makes the bots of the configured platforms.
func botsOf(cfg *config.Config, log *slog.Logger) ([]*gateway.Bot, error) {
	var bots []*gateway.Bot
	makers := platforms()
	for _, name := range gateway.Platforms() {
		p := cfg.Platforms.ByName(string(name))
		if !p.On() || makers[name] == nil {
			continue
		}
		a, err := makers[name](p, log)
		if err != nil {
			return nil, wrongPlatform(name, err)
		}
		b := &gateway.Bot{
			Adapter: a, Account: a.Account(), Owner: owner.Stored(p.Owner), Users: cfg.Platforms.Allowed(string(name)),
			Admins: p.Admins, Chats: p.Chats,
			Mention: p.Mention, Stream: p.Stream, Home: p.Home, MemoryKey: session.Key(p.MemoryKey), Zone: time.UTC,
		}
		if b.Zone, err = time.LoadLocation(p.Timezone); err != nil {
			return nil, usageError{fmt.Errorf("platforms.%s.timezone: %w", name, err)}
		}
		bots = append(bots, b)
	}
	return bots, nil
}

// wrongPlatform is the error of a setting that an adapter refuses, with the name of the setting and its variable.
func wrongPlatform(name gateway.Platform, err error) error {
	setting := "platforms." + string(name)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return fmt.Errorf("%s: %w", setting, err)
	}
	if f.Param != "" {
		setting += "." + f.Param
	}
	if variables := config.Variables(setting); len(variables) > 0 {
		setting += " (" + strings.Join(variables, ", ") + ")"
	}
	return usageError{fault.Wrap(f.Kind, f.Code, setting+": "+f.Msg, f.Err).At(f.Param)}
}

// gatewaySettings are the settings of all bots.
func gatewaySettings(cfg *config.Config) gateway.Settings {
	r := &cfg.SessionReset
	standard := policyOf(gateway.Policy{}, &r.Reset)
	out := gateway.Settings{
		Busy: gateway.Busy(cfg.Gateway.Busy), Reactions: cfg.Gateway.Reactions,
		FilesKept: time.Duration(cfg.Gateway.FilesKeepDays) * 24 * time.Hour,
		Resets: gateway.Resets{
			Default: standard, Notify: r.Notify, Save: r.Save == "auto",
			Types: make(map[gateway.ChatType]gateway.Policy), Platforms: make(map[gateway.Platform]gateway.Policy),
		},
	}
	for name, own := range r.Types {
		out.Resets.Types[gateway.ChatType(name)] = policyOf(standard, &own)
	}
	for name, own := range r.Platforms {
		out.Resets.Platforms[gateway.Platform(name)] = policyOf(standard, &own)
	}
	return out
}

// policyOf is a policy that is set in part; the rest is that of another one.
func policyOf(p gateway.Policy, r *config.Reset) gateway.Policy {
	if r.Mode != "" {
		p.Mode = gateway.ResetMode(r.Mode)
	}
	if r.IdleMinutes > 0 {
		p.Idle = time.Duration(r.IdleMinutes) * time.Minute
	}
	if r.AtHour != nil {
		p.Hour = *r.AtHour
	}
	return p
}

// setGateway makes the gateway over the bots. Only `hermes serve` runs it.
func (s *server) setGateway() {
	s.gateway = gateway.New(gateway.Parts{
		Store: s.chats(), Sessions: s.db, Runs: s.live, Curator: s.curator, Guard: gateway.NewGuard(s.db, s.live, s.db), Audit: s.db,
		Saver: gateway.NewSaver(s.runner, s.db, tool.Saving()), Files: s.files, Transcriber: s.transcriber(),
		Deliveries: deliveries{s}, Shared: s.nodes != nil, Settings: gatewaySettings(s.cfg), Bots: s.bots, Now: s.now, Log: s.log,
	})
}

// deliveries are those of the scheduler of jobs, which is made after the gateway.
type deliveries struct{ server *server }

// LookAgain implements gateway.Deliveries.
func (d deliveries) LookAgain(ctx context.Context, o owner.Owner, id string) error {
	return d.server.jobs.LookAgain(ctx, o, id)
}

// targets are the places that jobs deliver to.
func (s *server) targets() job.Targets {
	out := job.Targets{"webhook": job.NewWebhook(s.cfg.Webhooks.AllowPrivate, s.now)}
	the := func() *gateway.Gateway { return s.gateway }
	for _, name := range gateway.Platforms() {
		out[string(name)] = gateway.NewTarget(name, the)
	}
	return out
}

// runGateway runs the bots until ctx ends.
func (s *server) runGateway(ctx context.Context) {
	if err := s.gateway.Run(ctx); err != nil && ctx.Err() == nil {
		s.log.Error("the chat platforms are not served until a restart", "err", err)
	}
}
