package slack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
	"github.com/hermes-memory/hermes/internal/recovery"
)

const (
	eventsPath   = "/platforms/slack/events"
	commandsPath = "/platforms/slack/commands"
	// goldenTime, goldenBody and goldenSignature are the example of Slack's documentation.
	goldenTime = 1531420618
	goldenBody = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
		"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands" +
		"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	goldenSignature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
)

// hook is a running adapter whose clock stands at a time, and which takes requests.
type hook struct {
	*running
	now time.Time
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{now: time.Unix(goldenTime, 0)}
	h.running = runWith(t, gatewaytest.SlackOptions{HTTP: true}, func(c *slack.Config) { c.Now = func() time.Time { return h.now } })
	h.awaitState(t, "webhook")
	return h
}

// post sends a request, and returns the status and the body of the answer.
func (h *hook) post(path string, header http.Header, body []byte) (int, string) {
	req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	req.Header = header
	w := httptest.NewRecorder()
	h.Webhooks()[path].ServeHTTP(w, req)
	return w.Code, w.Body.String()
}

func golden() http.Header {
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", strconv.Itoa(goldenTime))
	h.Set("X-Slack-Signature", goldenSignature)
	return h
}

func TestGoldenSignature(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for _, skew := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
		h.now = time.Unix(goldenTime, 0).Add(skew)
		if status, body := h.post(commandsPath, golden(), []byte(goldenBody)); status != http.StatusOK || body != "" {
			t.Errorf("%s: got %d %q, want 200", skew, status, body)
		}
	}
	if list := h.ledger.Events(); len(list) != 1 || list[0].Text != "/webhook-collect" || list[0].From.ID != "U2CERLKJA" {
		t.Errorf("got %+v, want the command once", list)
	}
}

func TestOldTimes(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for _, skew := range []time.Duration{5*time.Minute + time.Second, -5*time.Minute - time.Second, time.Hour, -24 * time.Hour, 1 << 62, -1 << 62} {
		h.now = time.Unix(goldenTime, 0).Add(skew)
		if status, _ := h.post(commandsPath, golden(), []byte(goldenBody)); status != http.StatusUnauthorized {
			t.Errorf("%s: got %d, want 401", skew, status)
		}
	}
	h.now = time.Unix(goldenTime, 0)
	for _, stamp := range []string{"", "x", "+1531420618", " 1531420618", "1531420618.0", "9223372036854775807", "-9223372036854775808", "99999999999999999999"} {
		header := golden()
		header.Set("X-Slack-Request-Timestamp", stamp)
		if status, _ := h.post(commandsPath, header, []byte(goldenBody)); status != http.StatusUnauthorized {
			t.Errorf("%q: got %d, want 401", stamp, status)
		}
	}
	if len(h.ledger.Events()) != 0 {
		t.Error("an event was stored")
	}
}

// TestBitFlips: 10,000 requests of which one bit is not as Slack signed it.
func TestBitFlips(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	accepted := 0
	for range 10_000 {
		header, body := golden(), []byte(goldenBody)
		switch rand.IntN(3) {
		case 0:
			flip(body)
		case 1:
			signature := []byte(goldenSignature)
			flip(signature)
			header.Set("X-Slack-Signature", string(signature))
		default:
			stamp := []byte(strconv.Itoa(goldenTime))
			flip(stamp)
			header.Set("X-Slack-Request-Timestamp", string(stamp))
		}
		if status, _ := h.post(commandsPath, header, body); status != http.StatusUnauthorized {
			accepted++
		}
	}
	if accepted != 0 || len(h.ledger.Events()) != 0 {
		t.Errorf("%d of 10,000 were accepted", accepted)
	}
}

// flip changes one bit.
func flip(b []byte) { b[rand.IntN(len(b))] ^= 1 << rand.IntN(8) }

// signedNow is the header of a body that was signed now.
func (h *hook) signedNow(body []byte) http.Header {
	return gatewaytest.SlackSign(gatewaytest.SlackSecret, h.now, body)
}

func TestWebhookAnswers(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	challenge := []byte(`{"type":"url_verification","token":"x","challenge":"3eZbrw1a <b>"}`)
	if status, body := h.post(eventsPath, h.signedNow(challenge), challenge); status != http.StatusOK || body != "3eZbrw1a <b>" {
		t.Errorf("got %d %q, want the challenge", status, body)
	}
	if status, body := h.post(eventsPath, http.Header{}, challenge); status != http.StatusUnauthorized || strings.Contains(body, "3eZ") {
		t.Errorf("a challenge without a signature: got %d %q", status, body)
	}
	for name, body := range map[string]string{"garbage": "{", "another type": `{"type":"app_rate_limited"}`, "nothing": ""} {
		for path := range h.Webhooks() {
			if status, _ := h.post(path, h.signedNow([]byte(body)), []byte(body)); status != http.StatusOK {
				t.Errorf("%s at %s: got %d, want 200, else it comes again and again", name, path, status)
			}
		}
	}
	large := bytes.Repeat([]byte("x"), 3<<20+1)
	if status, _ := h.post(eventsPath, h.signedNow(large), large); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over 3 MiB: got %d", status)
	}
	if status, _ := h.post(eventsPath, h.signedNow(large[1:]), large[1:]); status != http.StatusOK {
		t.Errorf("a body of 3 MiB: got %d", status)
	}
	w := httptest.NewRecorder()
	h.Webhooks()[eventsPath].ServeHTTP(w, httptest.NewRequest(http.MethodGet, eventsPath, nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d", w.Code)
	}
	if len(h.ledger.Events()) != 0 {
		t.Error("an event was stored")
	}
}

// TestWebhookCommits: 200 only after the commit, and a retry is the same event.
func TestWebhookCommits(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	body, err := json.Marshal(map[string]any{"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": map[string]any{
		"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": "1531420618.000100", "text": "hello",
	}})
	if err != nil {
		t.Fatal(err)
	}
	h.ledger.FailNext(1)
	for n, want := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
		header := h.signedNow(body)
		header.Set("X-Slack-Retry-Num", strconv.Itoa(n))
		if status, _ := h.post(eventsPath, header, body); status != want {
			t.Errorf("attempt %d: got %d, want %d", n, status, want)
		}
		if got := h.ledger.Offered(gatewaytest.SlackTeam + ":D1:1531420618.000100"); got != n+1 {
			t.Errorf("attempt %d: the event was offered %d times", n, got)
		}
	}
	if len(h.ledger.Events()) != 1 {
		t.Errorf("got %d events, want 1", len(h.ledger.Events()))
	}
}

// TestAcksOverHTTP: at each of 10,000 acknowledgements the event is stored, while commits fail.
// The number of an attempt changes nothing: most of the events are first seen at a later one.
func TestAcksOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	commits := 0
	h.ledger.FailBy(func() error {
		if commits++; commits%3 == 0 {
			return errStore
		}
		return nil
	})
	acks, early, refused := 0, 0, 0
	for i := range 10_000 {
		ts := fmt.Sprintf("%d.%06d", goldenTime-i/100, i%100)
		body := fmt.Appendf(nil, `{"type":"event_callback","team_id":%q,"event_id":"Ev%d","event":{"type":"message","channel":"D1",`+
			`"channel_type":"im","user":"U1","ts":%q,"text":"message %[2]d"}}`, gatewaytest.SlackTeam, i, ts)
		header := h.signedNow(body)
		for attempt := i % 4; ; attempt++ {
			header.Set("X-Slack-Retry-Num", strconv.Itoa(attempt))
			status, _ := h.post(eventsPath, header, body)
			if status == http.StatusOK {
				break
			}
			refused++
		}
		if acks++; !h.ledger.Has(gatewaytest.SlackTeam + ":D1:" + ts) {
			early++
		}
	}
	t.Logf("%d acknowledgements, %d before the commit; %d requests refused", acks, early, refused)
	if early != 0 || refused < 3000 || len(h.ledger.Events()) != 10_000 {
		t.Errorf("got %d events, %d early acknowledgements, %d refused requests", len(h.ledger.Events()), early, refused)
	}
}

// TestWebhookGate: no request is taken before Run and after it, and Run waits for the
// requests that it let in.
func TestWebhookGate(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	before := adapter(t, h.Slack, true)
	w := httptest.NewRecorder()
	before.Webhooks()[commandsPath].ServeHTTP(w, httptest.NewRequest(http.MethodPost, commandsPath, strings.NewReader(goldenBody)))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("before Run: got %d, want 503", w.Code)
	}
	inside, leave := make(chan struct{}), make(chan struct{})
	h.ledger.FailBy(func() error {
		close(inside)
		<-leave
		return nil
	})
	status := make(chan int, 1)
	recovery.Async(func() error {
		code, _ := h.post(commandsPath, golden(), []byte(goldenBody))
		status <- code
		return nil
	})
	<-inside
	stopped := recovery.Async(func() error { h.stop(); return nil })
	h.awaitClosed(t)
	select {
	case <-stopped:
		t.Error("Run ended during a commit")
	default:
	}
	close(leave)
	<-stopped
	if code := <-status; code != http.StatusOK || len(h.ledger.Events()) != 1 {
		t.Errorf("got %d, %d events, want the request to be answered", code, len(h.ledger.Events()))
	}
	if code, _ := h.post(commandsPath, golden(), []byte(goldenBody)); code != http.StatusServiceUnavailable {
		t.Errorf("after Run: got %d, want 503", code)
	}
}

// awaitClosed waits until no request is let in.
func (h *hook) awaitClosed(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if code, _ := h.post(eventsPath, http.Header{}, nil); code == http.StatusServiceUnavailable {
			return
		}
	}
	t.Fatal("requests are still let in")
}
