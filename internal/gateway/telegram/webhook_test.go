package telegram_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/telegram"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// aMessage is an update with a message of a person.
const aMessage = `{"update_id":5,"message":{"message_id":9,"date":1,"chat":{"id":42,"type":"private"},"from":{"id":42,"first_name":"Ann"},"text":"hello"}}`

// post sends an update to a webhook.
func post(t *testing.T, a *telegram.Adapter, secret, body string) int {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, webhookURL, strings.NewReader(body))
	r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	w := httptest.NewRecorder()
	a.Webhook().ServeHTTP(w, r)
	if w.Body.Len() > 0 {
		t.Errorf("the answer has a body: %s", w.Body)
	}
	return w.Code
}

// hooked is an adapter with a webhook that runs.
func hooked(t *testing.T) (*gatewaytest.Ledger, *telegram.Adapter, func()) {
	t.Helper()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	a := adapter(t, s, telegram.Config{WebhookURL: webhookURL, WebhookSecret: webhookSecret})
	if got := post(t, a, webhookSecret, aMessage); got != http.StatusServiceUnavailable {
		t.Errorf("before Run: got %d, want 503", got)
	}
	ledger := gatewaytest.NewLedger()
	stop := run(t, a, ledger)
	s.DeliverTo(a.Webhook())
	id, _ := s.Emit(t, dm("the first"))
	ledger.AwaitEvents(t, id)
	if got := s.Webhook(); got.URL != webhookURL || got.Secret != webhookSecret {
		t.Errorf("got the webhook %+v", got)
	}
	return ledger, a, stop
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	ledger, a, stop := hooked(t)
	for name, tt := range map[string]struct {
		secret, body string
		want         int
	}{
		"no secret":    {"", aMessage, 401},
		"a prefix":     {webhookSecret[:5], aMessage, 401},
		"more":         {webhookSecret + "x", aMessage, 401},
		"garbage":      {webhookSecret, "{", 400},
		"too large":    {webhookSecret, `{"x":"` + strings.Repeat("x", 3<<20) + `"}`, 413},
		"unreadable":   {webhookSecret, `{"update_id":6,"message":7}`, 200},
		"without text": {webhookSecret, `{"update_id":7}`, 200},
	} {
		if got := post(t, a, tt.secret, tt.body); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
	for i := range len(webhookSecret) * 8 {
		flipped := []byte(webhookSecret)
		flipped[i/8] ^= 1 << (i % 8)
		if got := post(t, a, string(flipped), aMessage); got != 401 {
			t.Errorf("a secret with bit %d flipped: got %d, want 401", i, got)
		}
	}
	if ledger.Has("5") {
		t.Error("an update without the secret was stored")
	}
	ledger.FailNext(1)
	if got := post(t, a, webhookSecret, aMessage); got != http.StatusServiceUnavailable || ledger.Has("5") {
		t.Errorf("a failed commit: got %d, want 503", got)
	}
	if got := post(t, a, webhookSecret, aMessage); got != http.StatusOK || !ledger.Has("5") {
		t.Errorf("got %d, want 200 and the event", got)
	}
	if position, _ := ledger.Position(t.Context()); position != "" {
		t.Errorf("got position %q: a webhook must not acknowledge for a poll", position)
	}
	stop()
	if got := post(t, a, webhookSecret, aMessage); got != http.StatusServiceUnavailable {
		t.Errorf("after Run: got %d, want 503", got)
	}
}

// TestWebhookEnds: Run ends after the commit that has begun.
func TestWebhookEnds(t *testing.T) {
	t.Parallel()
	ledger, a, stop := hooked(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	ledger.FailBy(func() error {
		close(begun)
		<-goOn
		over.Store(true)
		return nil
	})
	answered := make(chan int, 1)
	posted := recovery.Async(func() error {
		answered <- post(t, a, webhookSecret, aMessage)
		return nil
	})
	<-begun
	stopped := recovery.Async(func() error {
		stop()
		if !over.Load() {
			return errors.New("run ended during a commit")
		}
		return nil
	})
	select {
	case err := <-stopped:
		t.Fatal(err)
	case <-time.After(20 * time.Millisecond):
		close(goOn)
	}
	for _, done := range []<-chan error{posted, stopped} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := <-answered; got != http.StatusOK || !ledger.Has("5") {
		t.Errorf("got %d, want 200 and the event", got)
	}
}

// TestNoWebhook: an adapter that polls has no webhook.
func TestNoWebhook(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewTelegram(t, gatewaytest.TelegramOptions{})
	w := httptest.NewRecorder()
	adapter(t, s, telegram.Config{}).Webhook().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, webhookURL, strings.NewReader(aMessage)))
	if w.Code != http.StatusNotFound {
		t.Errorf("got %d, want 404", w.Code)
	}
}
