package slack

import (
	"context"
	"errors"
	"time"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// errDoubt ends a connection after Slack has refused the bot token for a message.
var errDoubt = errors.New("Slack refuses the bot token for a message") //nolint:staticcheck // the name of a company begins with a capital

// Run receives events until ctx ends. It returns an error only if Slack refuses a token.
func (a *Adapter) Run(ctx context.Context, in gateway.Intake) error {
	a.state("connecting", "")
	err := a.stay(ctx, in)
	reason := ""
	if err != nil {
		reason = fault.MessageOf(err)
	}
	a.state("stopped", reason)
	a.http.CloseIdleConnections()
	return err
}

// stay connects again and again until ctx ends.
func (a *Adapter) stay(ctx context.Context, in gateway.Intake) error {
	wait := &backoff{first: a.pace.first, longest: a.pace.longest}
	for ctx.Err() == nil {
		began := time.Now()
		err := a.attempt(ctx, in)
		if fault.CodeOf(err) == invalidToken {
			return err
		}
		a.rest(ctx, wait, time.Since(began), err)
	}
	return nil
}

// rest waits after a connection that has lived for a time, and has ended with an error.
func (a *Adapter) rest(ctx context.Context, wait *backoff, lived time.Duration, err error) {
	if ctx.Err() != nil {
		return
	}
	if lived > steady {
		wait.reset()
	}
	a.state("connecting", why(err))
	a.log.WarnContext(ctx, "slack: the connection ended", "err", harmless(err))
	if errors.Is(err, errAsked) && lived > 10*a.pace.first {
		return // Slack asks for a new socket each few hours
	}
	pause(ctx, max(wait.next(), askedWait(err)))
}

// why says in words for a person why there is no connection.
func why(err error) string {
	switch {
	case errors.Is(err, errAsked):
		return err.Error() + "."
	case errors.Is(err, errSilent):
		return "Slack was silent for too long, so a new connection is made."
	case errors.Is(err, errDoubt):
		return "Slack refused the bot token for a message, so the token is checked."
	}
	return failure(err, false).Text
}

// askedWait is the wait that Slack asks for; 0 for none.
func askedWait(err error) time.Duration {
	if e, ok := errors.AsType[*api.RateLimitedError](err); ok {
		return e.RetryAfter
	}
	return 0
}

// attempt learns who the bot is, and receives until the connection fails.
func (a *Adapter) attempt(ctx context.Context, in gateway.Intake) error {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	a.cutBy(cut)
	defer a.cutBy(nil)
	granted, err := a.introduce(ctx)
	if err != nil {
		return orToken(err, botToken())
	}
	if lacking := lacking(granted); len(lacking) > 0 {
		a.log.WarnContext(ctx, "slack: the app may not do all that it needs", "missing", lacking)
	}
	if a.config.AppToken == "" {
		return a.serve(ctx, in)
	}
	return a.socket(ctx, in)
}

// cutBy sets what ends the connection; nil for nothing.
func (a *Adapter) cutBy(cut context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cut = cut
}

// doubt ends the connection, so that the next attempt asks Slack whether the bot token is
// good. A socket does not end by itself when the token is revoked.
func (a *Adapter) doubt() {
	a.mu.Lock()
	cut := a.cut
	a.mu.Unlock()
	if cut != nil {
		cut(errDoubt)
	}
}
