package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-telegram/bot"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// allowedUpdates are the kinds of updates that are events.
func allowedUpdates() []string {
	return []string{"message", "edited_message", "channel_post", "edited_channel_post", "callback_query"}
}

// Run receives updates until the context ends. It returns an error only if Telegram
// refuses the token.
func (a *Adapter) Run(ctx context.Context, in gateway.Intake) error {
	ctx, cancel := context.WithCancel(ctx)
	answers := recovery.Async(func() error { return a.answerPresses(ctx) })
	err := a.receive(ctx, in)
	cancel()
	recovery.Log(context.WithoutCancel(ctx), a.log, "telegram: answer presses", <-answers)
	a.client.http.CloseIdleConnections()
	reason := ""
	if err != nil {
		reason = "Telegram refuses the bot's token."
	}
	a.become("stopped", reason)
	return err
}

// receive finds out who the bot is, and receives updates in one of two ways.
func (a *Adapter) receive(ctx context.Context, in gateway.Intake) error {
	l := &loop{a: a, in: in}
	if err := l.untilDone(ctx, a.identify); err != nil || ctx.Err() != nil {
		return err
	}
	if a.cfg.WebhookURL != "" {
		return a.runWebhook(ctx, l)
	}
	if err := l.untilDone(ctx, a.takeWebhookAway); err != nil || ctx.Err() != nil {
		return err
	}
	if err := l.untilDone(ctx, l.restore); err != nil {
		return err
	}
	return l.poll(ctx)
}

// identify asks who the bot is.
func (a *Adapter) identify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	me, err := a.bot.GetMe(ctx)
	if err != nil {
		return err
	}
	a.me.Store(me)
	a.log.InfoContext(ctx, "telegram: the bot is known", "account", a.account, "reads_all_group_messages", me.CanReadAllGroupMessages)
	if !me.CanReadAllGroupMessages {
		a.log.InfoContext(ctx, "telegram: "+privacyMode)
	}
	return nil
}

// takeWebhookAway makes polling possible. Pending updates stay.
func (a *Adapter) takeWebhookAway(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	_, err := a.bot.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
	return err
}

// answerPresses answers presses of buttons, so that their clients stop to wait.
func (a *Adapter) answerPresses(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case id := <-a.presses:
			one, cancel := context.WithTimeout(ctx, a.pace.call)
			_, err := a.bot.AnswerCallbackQuery(one, &bot.AnswerCallbackQueryParams{CallbackQueryID: id})
			cancel()
			if err != nil {
				a.log.DebugContext(ctx, "telegram: a press was not answered", "err", a.client.masked(err))
			}
		}
	}
}

// commit stores what updates say. Presses are answered after it.
func (a *Adapter) commit(ctx context.Context, in gateway.Intake, list []update, after gateway.Position) error {
	var events []gateway.Event
	var presses []string
	for i := range list {
		if !list[i].isEvent {
			continue
		}
		events = append(events, list[i].event)
		if id := list[i].event.Interaction; id != "" {
			presses = append(presses, id)
		}
	}
	// A commit that has begun is not broken off when the adapter ends.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.pace.commit)
	defer cancel()
	if err := in.Commit(ctx, events, after); err != nil {
		return fmt.Errorf("commit %d events: %w", len(events), err)
	}
	for _, id := range presses {
		select {
		case a.presses <- id:
		default: // Telegram's clients end their waiting by themselves
		}
	}
	return nil
}

// reader reads updates for the bot as it is known.
func (a *Adapter) reader() (*reader, error) {
	me := a.me.Load()
	if me == nil {
		return nil, errNotStarted
	}
	return &reader{account: a.account, me: me, now: a.cfg.Now}, nil
}

// loop is a run of the adapter.
type loop struct {
	a        *Adapter
	in       gateway.Intake
	offset   int64
	failures int
	conflict bool // another program polls, and that was said
}

// untilDone repeats a step of the start until it succeeds or the context ends. It returns
// an error if another try is useless.
func (l *loop) untilDone(ctx context.Context, step func(context.Context) error) error {
	for ctx.Err() == nil {
		err := step(ctx)
		if err == nil {
			l.failures = 0
			return nil
		}
		if err := l.failed(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// failed waits after a failure. It returns an error if another try is useless.
func (l *loop) failed(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
	}
	l.failures++
	wait := l.a.pace.after(l.failures)
	r, refused := errors.AsType[*refusal](err)
	switch {
	case refused && r.fatal():
		return tokenRefused(r)
	case refused && r.Code == http.StatusConflict:
		l.clash(ctx, r)
		sleep(ctx, l.a.pace.conflict)
		return nil
	case refused && r.Code == http.StatusTooManyRequests:
		wait = max(wait, time.Duration(r.Parameters.RetryAfter)*time.Second)
	}
	err = l.a.client.masked(err)
	l.a.become("connecting", reasonOf(err))
	l.a.log.WarnContext(ctx, "telegram: receiving failed", "err", err, "failures", l.failures, "wait", wait)
	sleep(ctx, wait)
	return nil
}

// clash says, once, that another program receives the updates of the bot.
func (l *loop) clash(ctx context.Context, r *refusal) {
	l.a.become("connecting", "Another program receives the messages of this bot.")
	if !l.conflict {
		l.conflict = true
		l.a.log.ErrorContext(ctx, "telegram: another program receives the messages of this bot", "err", r)
	}
}

// fatal reports whether the token is refused. Telegram answers 404 to a token without the
// right form.
func (r *refusal) fatal() bool {
	return !r.page && (r.Code == http.StatusUnauthorized || r.Code == http.StatusNotFound)
}

// reasonOf says why receiving fails, in words for a person.
func reasonOf(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return fmt.Sprintf("Telegram answers with code %d.", r.Code)
	}
	if _, ok := errors.AsType[*broken](err); ok {
		return "Telegram does not answer."
	}
	return "Messages cannot be stored."
}

// privacyMode says what privacy mode does, and the way out.
const privacyMode = "privacy mode is on: in groups the bot sees only commands, replies to it and messages that mention it. " +
	"To end that, send /setprivacy to @BotFather, choose Disable, and add the bot to its groups again"
