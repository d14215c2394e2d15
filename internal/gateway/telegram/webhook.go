package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/go-telegram/bot"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxWebhook is the size of the largest update that a webhook takes, in bytes.
const maxWebhook = 3 << 20

// runWebhook registers the webhook, and lets it be served until the context ends.
func (a *Adapter) runWebhook(ctx context.Context, l *loop) error {
	a.serve(l.in)
	defer a.serve(nil)
	if err := l.untilDone(ctx, a.registerWebhook); err != nil || ctx.Err() != nil {
		return err
	}
	a.become("webhook", "")
	<-ctx.Done()
	return nil
}

// registerWebhook tells Telegram where to deliver. Pending updates stay.
func (a *Adapter) registerWebhook(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.pace.call)
	defer cancel()
	_, err := a.bot.SetWebhook(ctx, &bot.SetWebhookParams{
		URL: a.cfg.WebhookURL, SecretToken: a.cfg.WebhookSecret, AllowedUpdates: allowedUpdates(),
	})
	return err
}

// serve sets the intake of the webhook. It waits for the updates that are being stored.
func (a *Adapter) serve(in gateway.Intake) {
	a.serving.Lock()
	defer a.serving.Unlock()
	a.intake = in
}

// Webhooks are the handlers of Telegram's requests, by path; none for an adapter that polls.
func (a *Adapter) Webhooks() map[string]http.Handler {
	if a.cfg.WebhookURL == "" {
		return nil
	}
	return map[string]http.Handler{"/platforms/telegram": a.Webhook()}
}

// Webhook is the handler to which Telegram delivers updates. It answers 200 only after the
// commit, and 503 while Run does not run. An adapter that polls has an empty one.
func (a *Adapter) Webhook() http.Handler {
	if a.cfg.WebhookURL == "" {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(a.serveWebhook)
}

func (a *Adapter) serveWebhook(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(a.webhookStatus(w, r))
}

// webhookStatus takes one update, and returns the status of the answer. Telegram delivers
// the update again after any status but 200.
func (a *Adapter) webhookStatus(w http.ResponseWriter, r *http.Request) int {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	want, got := sha256.Sum256([]byte(a.cfg.WebhookSecret)), sha256.Sum256([]byte(r.Header.Get("X-Telegram-Bot-Api-Secret-Token")))
	if subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
		return http.StatusUnauthorized
	}
	if !a.serves() {
		return http.StatusServiceUnavailable
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil || !json.Valid(body) {
		return http.StatusBadRequest
	}
	return a.take(r.Context(), body)
}

// serves reports whether the adapter runs.
func (a *Adapter) serves() bool {
	a.serving.RLock()
	defer a.serving.RUnlock()
	return a.intake != nil
}

// take stores one update. The position of polling does not change: webhooks may come in
// another order.
func (a *Adapter) take(ctx context.Context, body []byte) int {
	a.serving.RLock()
	defer a.serving.RUnlock()
	if a.intake == nil {
		return http.StatusServiceUnavailable
	}
	a.become("webhook", "")
	list, err := a.readAll(ctx, []json.RawMessage{body})
	if err == nil {
		err = a.commit(ctx, a.intake, list, "")
	}
	if err != nil {
		a.log.WarnContext(ctx, "telegram: an update of the webhook was not stored", "err", a.client.masked(err))
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}
