package whatsapp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// begin runs an adapter, and returns a function that ends it.
func begin(t *testing.T, a *whatsapp.Adapter, in gateway.Intake) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := recovery.Async(func() error { return a.Run(ctx, in) })
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// dm is a message of a person to the number.
func dm(text string) gatewaytest.Act {
	return gatewaytest.Act{Kind: gateway.Said, Type: gateway.DM, Chat: "alice", Name: "alice", Text: text}
}

// body is a request to the webhook with a message of a person.
func body(id, text string) []byte {
	return fmt.Appendf(nil, `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{"messaging_product":"whatsapp",`+
		`"metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},"contacts":[{"profile":{"name":"Ann"},"wa_id":"491234567","user_id":"DE.42"}],`+
		`"messages":[{"from":"491234567","from_user_id":"DE.42","id":%q,"timestamp":"1700000000","type":"text","text":{"body":%q}}]}}]}]}`, id, text)
}

// post delivers a request with any signature, and returns the status of the answer.
func post(t *testing.T, h http.Handler, body []byte, signature string) int {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://hermes.example/platforms/whatsapp", strings.NewReader(string(body)))
	r.Header.Set("X-Hub-Signature-256", signature)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Body.Len() > 0 {
		t.Errorf("the answer has a body: %s", w.Body)
	}
	return w.Code
}

// hooked is a webhook that is served.
func hooked(t *testing.T) (*gatewaytest.Ledger, http.Handler, func()) {
	t.Helper()
	s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	a := adapter(t, s, whatsapp.Config{})
	if got := gatewaytest.WhatsAppPost(a.Webhook(), body("early", "x")); got != http.StatusServiceUnavailable {
		t.Errorf("before Run: got %d, want 503", got)
	}
	ledger := gatewaytest.NewLedger()
	stop := begin(t, a, ledger)
	s.DeliverTo(a.Webhook())
	id, _ := s.Emit(t, dm("the first"))
	ledger.AwaitEvents(t, id)
	return ledger, a.Webhook(), stop
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	ledger, h, stop := hooked(t)
	message, huge := body("wamid.5", "hello"), []byte(`{"x":"`+strings.Repeat("x", 3<<20)+`"}`)
	right := gatewaytest.WhatsAppSignature(gatewaytest.WhatsAppSecret, message)
	for name, tt := range map[string]struct {
		body      []byte
		signature string
		want      int
	}{
		"no signature":   {message, "", 401},
		"another secret": {message, gatewaytest.WhatsAppSignature("another", message), 401},
		"another body":   {body("wamid.5", "Hello"), right, 401},
		"spaces":         {append([]byte(" "), message...), right, 401},
		"garbage":        {[]byte("{"), gatewaytest.WhatsAppSignature(gatewaytest.WhatsAppSecret, []byte("{")), 400},
		"too large":      {huge, gatewaytest.WhatsAppSignature(gatewaytest.WhatsAppSecret, huge), 413},
		"nothing in it":  {[]byte("{}"), gatewaytest.WhatsAppSignature(gatewaytest.WhatsAppSecret, []byte("{}")), 200},
	} {
		if got := post(t, h, tt.body, tt.signature); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
	if ledger.Has("wamid.5") {
		t.Error("a message without the signature was stored")
	}
	ledger.FailNext(1)
	if got := post(t, h, message, right); got != http.StatusServiceUnavailable || ledger.Has("wamid.5") {
		t.Errorf("a failed commit: got %d, want 503", got)
	}
	if got := post(t, h, message, right); got != http.StatusOK || !ledger.Has("wamid.5") {
		t.Errorf("got %d, want 200 and the event", got)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "https://hermes.example/", strings.NewReader(""))
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("PUT: got %d, want 405", w.Code)
	}
	stop()
	if got := post(t, h, message, right); got != http.StatusServiceUnavailable {
		t.Errorf("after Run: got %d, want 503", got)
	}
}

// TestSubscribe: only who knows the verify token is answered with the challenge.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	a, err := whatsapp.New(config())
	if err != nil {
		t.Fatal(err)
	}
	if !gatewaytest.WhatsAppSubscribe(a.Webhook(), gatewaytest.WhatsAppVerify) {
		t.Error("the right token was refused")
	}
	for _, token := range []string{"", "x", gatewaytest.WhatsAppVerify[1:], gatewaytest.WhatsAppVerify + "x", "FAKE-verify-token-0123456789"} {
		if gatewaytest.WhatsAppSubscribe(a.Webhook(), token) {
			t.Errorf("%q was taken", token)
		}
	}
	for _, query := range []string{
		"", "?hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=" + gatewaytest.WhatsAppVerify,
		"?hub.mode=subscribe&hub.verify_token=" + gatewaytest.WhatsAppVerify + "&hub.challenge=" + strings.Repeat("9", 2000),
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://hermes.example/platforms/whatsapp"+query, strings.NewReader(""))
		w := httptest.NewRecorder()
		if a.Webhook().ServeHTTP(w, r); w.Code != http.StatusForbidden || w.Body.Len() > 0 {
			t.Errorf("%.60s: got %d, %q, want 403", query, w.Code, w.Body)
		}
	}
}

// TestAcks: of 10,000 requests, with commits that fail and are slow, none is answered 200
// before its event is stored.
func TestAcks(t *testing.T) {
	t.Parallel()
	const requests = 10_000
	s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	a, ledger := adapter(t, s, whatsapp.Config{}), gatewaytest.NewLedger()
	stop := begin(t, a, ledger)
	var commits atomic.Int64
	ledger.FailBy(func() error {
		switch n := commits.Add(1); {
		case n%3 == 0:
			return errors.New("the store refuses")
		case n%500 == 0:
			<-time.After(time.Millisecond)
		}
		return nil
	})
	order := rand.Perm(requests)
	var work sync.WaitGroup
	var acked, early, refused atomic.Int64
	for part := range 8 {
		work.Go(recovery.Func(func() {
			for i := part; i < requests; i += 8 {
				id := fmt.Sprintf("wamid.%d", order[i])
				for {
					status := gatewaytest.WhatsAppPost(a.Webhook(), body(id, "hello"))
					if status == http.StatusOK {
						break
					}
					refused.Add(1)
				}
				acked.Add(1)
				if !ledger.Has(id) {
					early.Add(1)
				}
			}
		}, func(err error) { t.Error(err) }))
	}
	work.Wait()
	stop()
	all, failed := ledger.Commits()
	t.Logf("%d requests acknowledged, %d before the commit; %d refused; %d commits, %d of them failed", acked.Load(), early.Load(), refused.Load(), all, failed)
	if acked.Load() != requests || early.Load() != 0 || int(refused.Load()) < failed || failed < requests/4 {
		t.Errorf("got %d acknowledged, %d before the commit, %d refused for %d failures", acked.Load(), early.Load(), refused.Load(), failed)
	}
	if got := len(ledger.Events()); got != requests {
		t.Errorf("got %d events, want %d", got, requests)
	}
}

// TestWebhookEnds: Run ends after the commit that has begun.
func TestWebhookEnds(t *testing.T) {
	t.Parallel()
	ledger, h, stop := hooked(t)
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
		answered <- gatewaytest.WhatsAppPost(h, body("wamid.5", "x"))
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
	if got := <-answered; got != http.StatusOK || !ledger.Has("wamid.5") {
		t.Errorf("got %d, want 200 and the event", got)
	}
}

// TestServedWithoutTheAPI: while the API is away, what people say is stored.
func TestServedWithoutTheAPI(t *testing.T) {
	t.Parallel()
	s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	s.Fault(gatewaytest.Unreachable)
	a, ledger := adapter(t, s, whatsapp.Config{}), gatewaytest.NewLedger()
	begin(t, a, ledger)
	s.DeliverTo(a.Webhook())
	id, _ := s.Emit(t, dm("hello"))
	ledger.AwaitEvents(t, id)
	s.Fault(gatewaytest.Healthy)
}
