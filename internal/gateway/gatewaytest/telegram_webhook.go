package gatewaytest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// deliverAgain is how long the fake waits before it delivers an update again.
const deliverAgain = 5 * time.Millisecond

// DeliverTo delivers updates to a handler, one after the other, once the bot has registered
// a webhook. An update is delivered until the handler answers 200. Another call replaces
// the handler.
func (s *Telegram) DeliverTo(h http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun := s.handler != nil
	s.handler = h
	if !begun {
		s.delivery = recovery.Async(s.deliver)
	}
	s.wake()
}

// deliver delivers until the fake ends.
func (s *Telegram) deliver() error {
	for {
		s.mu.Lock()
		u, repeated, ok := s.next()
		handler, secret, pushed := s.handler, s.webhook.Secret, s.pushed
		s.mu.Unlock()
		var wait <-chan time.Time
		if ok && s.post(handler, secret, u, repeated) {
			continue
		} else if ok {
			wait = time.After(deliverAgain)
		}
		select {
		case <-s.closed:
			return nil
		case <-pushed:
		case <-wait:
		}
	}
}

// next is the update to be delivered now.
func (s *Telegram) next() (u tgUpdate, repeated, ok bool) {
	switch {
	case s.webhook.URL == "":
		return u, false, false
	case len(s.again) > 0:
		return s.again[0], true, true
	case len(s.pending) > 0:
		return s.pending[0], false, true
	}
	return u, false, false
}

// post delivers one update. It reports whether the bot has taken it.
func (s *Telegram) post(h http.Handler, secret string, u tgUpdate, repeated bool) bool {
	const url = "https://hermes.example/platforms/telegram"
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, url, bytes.NewReader(u.raw))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if repeated {
		s.again = slices.Delete(s.again, 0, 1)
	} else {
		s.ack(u.id + 1)
	}
	return true
}
