package gatewaytest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// waPerBody is how many changes one request to the webhook can have.
const waPerBody = 3

// waQueue are the changes that the client has not acknowledged.
type waQueue struct {
	pending  []waChange
	again    []waChange // delivered once more, acknowledged or not
	past     map[string]waChange
	pushed   chan struct{} // closed and made anew by each push
	acked    func(eventID string)
	handler  http.Handler
	delivery <-chan error
}

// waChange is one change of a request to the webhook.
type waChange struct {
	events []string // the ids of its events
	raw    json.RawMessage
}

func newWaQueue() waQueue {
	return waQueue{past: map[string]waChange{}, pushed: make(chan struct{})}
}

// OnAck sets a function that is called for each event that the client acknowledges, before
// the fake forgets it.
func (s *WhatsApp) OnAck(acked func(eventID string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked = acked
}

// Pending is how many changes the client has not acknowledged.
func (s *WhatsApp) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}

// Repeat delivers events once more, in the order given.
func (s *WhatsApp) Repeat(eventIDs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range eventIDs {
		s.again = append(s.again, s.past[id])
	}
	s.wake()
}

// pushChange adds a change to what is delivered.
func (s *WhatsApp) pushChange(field string, value map[string]any, events ...string) {
	value["messaging_product"] = "whatsapp"
	value["metadata"] = map[string]any{"display_phone_number": WhatsAppNumber, "phone_number_id": WhatsAppPhoneID}
	raw, err := json.Marshal(map[string]any{"field": field, "value": value})
	if err != nil {
		panic(err)
	}
	c := waChange{events, raw}
	for _, id := range events {
		s.past[id] = c
	}
	s.pending = append(s.pending, c)
	s.wake()
}

// pushMessage adds a message of a person, or of nobody for a system message. It returns the
// id of its event.
func (s *WhatsApp) pushMessage(p *waPerson, m map[string]any) string {
	value := map[string]any{"messages": []any{m}}
	if p != nil {
		contact := map[string]any{"profile": map[string]any{"name": p.name}}
		if !s.opt.NoNumbers {
			contact["wa_id"], m["from"] = p.number, p.number
		}
		if !s.opt.NoUserIDs {
			contact["user_id"], m["from_user_id"] = p.userID, p.userID
		}
		value["contacts"] = []any{contact}
	}
	id, _ := m["id"].(string)
	s.pushChange("messages", value, id)
	return id
}

// pushStatus tells what has become of a message.
func (s *WhatsApp) pushStatus(r *waRequest, m *waMessage, p *waPerson, status string) {
	out := map[string]any{"id": m.id, "status": status, "timestamp": s.stamp()}
	switch {
	case p == nil:
		out["recipient_id"], out["recipient_type"] = m.chat, "group"
	case s.opt.NoNumbers:
		out["recipient_user_id"] = p.userID
	default:
		out["recipient_id"] = p.number
		if !s.opt.NoUserIDs {
			out["recipient_user_id"] = p.userID
		}
	}
	if status == "failed" {
		e := waError{Code: 131047, Details: "More than 24 hours have passed since the person last replied"}
		out["errors"] = []any{e.object()}
	}
	var events []string
	if r.Callback != "" {
		out["biz_opaque_callback_data"] = r.Callback
		events = append(events, m.id+":"+status)
	}
	s.pushChange("messages", map[string]any{"statuses": []any{out}}, events...)
}

// wake ends the waiting of the delivery.
func (s *WhatsApp) wake() {
	close(s.pushed)
	s.pushed = make(chan struct{})
}

// DeliverTo delivers changes to a handler, up to three in a request. A request is delivered
// until the handler answers 200. Another call replaces the handler.
func (s *WhatsApp) DeliverTo(h http.Handler) {
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
func (s *WhatsApp) deliver() error {
	for {
		s.mu.Lock()
		list, repeated := s.again, true
		if len(list) == 0 {
			list, repeated = s.pending, false
		}
		list = slices.Clone(list[:min(len(list), waPerBody)])
		handler, pushed := s.handler, s.pushed
		s.mu.Unlock()
		var wait <-chan time.Time
		if len(list) > 0 && s.post(handler, list, repeated) {
			continue
		} else if len(list) > 0 {
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

// post delivers changes in one request. It reports whether the client has taken them.
func (s *WhatsApp) post(h http.Handler, list []waChange, repeated bool) bool {
	if WhatsAppPost(h, waBody(list)) != http.StatusOK {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if repeated {
		s.again = slices.Delete(s.again, 0, len(list))
		return true
	}
	for _, c := range list {
		for _, id := range c.events {
			if s.acked != nil {
				s.acked(id)
			}
		}
	}
	s.pending = s.pending[len(list):]
	return true
}

// waBody is a request to the webhook: the first change has an entry of its own.
func waBody(list []waChange) []byte {
	changes := make([]json.RawMessage, len(list))
	for i := range list {
		changes[i] = list[i].raw
	}
	entries := []any{map[string]any{"id": "102290129340398", "changes": changes[:1]}}
	if len(changes) > 1 {
		entries = append(entries, map[string]any{"id": "102290129340398", "changes": changes[1:]})
	}
	body, err := json.Marshal(map[string]any{"object": "whatsapp_business_account", "entry": entries})
	if err != nil {
		panic(err)
	}
	return body
}

// WhatsAppSignature is the signature of a request to the webhook.
func WhatsAppSignature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// waWebhookURL is where the client's webhook is.
const waWebhookURL = "https://hermes.example/platforms/whatsapp"

// WhatsAppPost delivers a signed request to a webhook, and returns the status of the answer.
func WhatsAppPost(h http.Handler, body []byte) int {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, waWebhookURL, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Hub-Signature-256", WhatsAppSignature(WhatsAppSecret, body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// WhatsAppSubscribe asks a webhook whether it knows the verify token, and reports whether
// the answer is right.
func WhatsAppSubscribe(h http.Handler, token string) bool {
	const challenge = "1158201444"
	url := waWebhookURL + "?hub.mode=subscribe&hub.challenge=" + challenge + "&hub.verify_token=" + token
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, url, strings.NewReader(""))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code == http.StatusOK && w.Body.String() == challenge
}
