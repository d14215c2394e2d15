package whatsapp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/hermes-memory/hermes/internal/gateway"
)

const (
	// maxWebhook is the size of the largest request to the webhook, in bytes.
	maxWebhook = 3 << 20
	// maxChallenge is the length of the longest challenge.
	maxChallenge = 1024
)

// serve sets the intake of the webhook. It waits for the requests that are being stored.
func (a *Adapter) serve(in gateway.Intake) {
	a.serving.Lock()
	defer a.serving.Unlock()
	a.intake = in
}

// Webhooks are the handlers of Meta's requests, by path.
func (a *Adapter) Webhooks() map[string]http.Handler {
	return map[string]http.Handler{"/platforms/whatsapp": a.Webhook()}
}

// Webhook is the handler to which Meta delivers. It answers 200 only after the commit, and
// 503 while Run does not run. Meta delivers again for seven days.
func (a *Adapter) Webhook() http.Handler { return http.HandlerFunc(a.serveWebhook) }

func (a *Adapter) serveWebhook(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		a.subscribe(w, r.URL.Query())
	case http.MethodPost:
		w.WriteHeader(a.webhookStatus(w, r))
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// subscribe answers Meta's question whether the webhook knows the verify token.
func (a *Adapter) subscribe(w http.ResponseWriter, query url.Values) {
	challenge := query.Get("hub.challenge")
	known := same(a.cfg.VerifyToken, query.Get("hub.verify_token"))
	if query.Get("hub.mode") != "subscribe" || !known || len(challenge) > maxChallenge {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, challenge)
}

// same compares a secret with what somebody shows, in a time that tells nothing of either.
func same(secret, shown string) bool {
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// signed reports whether a signature is that of a body. Only the form that Meta writes
// counts: another spelling of the same number is another signature.
func (a *Adapter) signed(body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(a.cfg.AppSecret))
	mac.Write(body)
	return same("sha256="+hex.EncodeToString(mac.Sum(nil)), signature)
}

// webhookStatus takes one request, and returns the status of the answer.
func (a *Adapter) webhookStatus(w http.ResponseWriter, r *http.Request) int {
	if !a.serves() {
		return http.StatusServiceUnavailable
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	if !a.signed(body, r.Header.Get("X-Hub-Signature-256")) {
		return http.StatusUnauthorized
	}
	return a.take(r.Context(), body)
}

// serves reports whether the adapter runs.
func (a *Adapter) serves() bool {
	a.serving.RLock()
	defer a.serving.RUnlock()
	return a.intake != nil
}

// take stores what one request says.
func (a *Adapter) take(ctx context.Context, body []byte) int {
	a.serving.RLock()
	defer a.serving.RUnlock()
	if a.intake == nil {
		return http.StatusServiceUnavailable
	}
	r := reader{account: a.cfg.PhoneNumberID, now: a.cfg.Now}
	if err := r.read(body); err != nil {
		a.log.WarnContext(ctx, "whatsapp: a request to the webhook cannot be read")
		return http.StatusBadRequest
	}
	a.become("webhook", "")
	if r.unreadable > 0 {
		a.log.WarnContext(ctx, "whatsapp: parts of a request to the webhook cannot be read", "parts", r.unreadable)
	}
	for _, code := range r.failures {
		a.log.WarnContext(ctx, "whatsapp: a message that no turn waits for was not delivered", "code", code)
	}
	a.outcomes.note(r.outcomes)
	if err := a.commit(ctx, r.events); err != nil {
		a.log.WarnContext(ctx, "whatsapp: a request to the webhook was not stored", "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// commit stores events. A commit that has begun is not broken off when Meta hangs up.
func (a *Adapter) commit(ctx context.Context, events []gateway.Event) error {
	if len(events) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.pace.commit)
	defer cancel()
	if err := a.intake.Commit(ctx, events, ""); err != nil {
		return fmt.Errorf("commit %d events: %w", len(events), err)
	}
	return nil
}
