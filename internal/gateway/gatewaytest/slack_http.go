package gatewaytest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// openDoor starts the server to which signed requests are sent.
func (s *Slack) openDoor(t TB) {
	t.Helper()
	s.door = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		h := s.handlers[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			http.Error(w, "no adapter", http.StatusBadGateway)
			return
		}
		h.ServeHTTP(w, r)
	}))
	s.wait.Go(recovery.Func(s.deliver, func(err error) { t.Errorf("the fake of Slack: %v", err) }))
}

// Connect sets the handlers of the adapter, by path.
func (s *Slack) Connect(handlers map[string]http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers = handlers
}

// SlackSign signs a request as Slack does.
func SlackSign(secret string, at time.Time, body []byte) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return h
}

// deliver sends the events as signed requests, in order: an event waits for those before it.
func (s *Slack) deliver() {
	pool := &http.Transport{}
	defer pool.CloseIdleConnections()
	client := &http.Client{Transport: pool, Timeout: s.options.Resend}
	for {
		e, ok := s.awaitEnvelope()
		if !ok {
			return
		}
		for attempt := 0; ; attempt++ {
			if s.request(client, e, attempt) {
				s.acknowledge(e.id)
				break
			}
			if attempt >= len(s.options.Retries) {
				s.mu.Lock()
				s.counts.Dropped++
				delete(s.outgoing.all, e.id)
				s.outgoing.wake()
				s.mu.Unlock()
				break
			}
			if !s.sleep(s.options.Retries[attempt]) {
				return
			}
		}
	}
}

// awaitEnvelope waits for the next event.
func (s *Slack) awaitEnvelope() (*envelope, bool) {
	for {
		s.mu.Lock()
		changed := s.outgoing.changed
		if len(s.outgoing.fresh) > 0 {
			e := s.outgoing.fresh[0]
			s.outgoing.fresh = s.outgoing.fresh[1:]
			s.mu.Unlock()
			return e, true
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-s.ctx.Done():
			return nil, false
		}
	}
}

// sleep waits, and reports false when the fake ends.
func (s *Slack) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// request sends an event once, and reports whether the answer was 200.
func (s *Slack) request(client *http.Client, e *envelope, attempt int) bool {
	path, contentType, body := e.request()
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.door.URL+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header = SlackSign(SlackSecret, time.Now(), body)
	req.Header.Set("Content-Type", contentType)
	if attempt > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(attempt))
		req.Header.Set("X-Slack-Retry-Reason", "http_error")
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// request is the event as the body of a request.
func (e *envelope) request() (path, contentType string, body []byte) {
	const form = "application/x-www-form-urlencoded"
	switch e.kind {
	case "slash_commands":
		var fields map[string]any
		_ = json.Unmarshal(e.payload, &fields)
		values := url.Values{}
		for name, value := range fields {
			values.Set(name, fmt.Sprint(value))
		}
		return "/platforms/slack/commands", form, []byte(values.Encode())
	case "interactive":
		return "/platforms/slack/interactions", form, []byte(url.Values{"payload": {string(e.payload)}}.Encode())
	default:
		return "/platforms/slack/events", "application/json", e.payload
	}
}
