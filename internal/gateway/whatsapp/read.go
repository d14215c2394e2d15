package whatsapp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// reader makes events out of a request to the webhook. A part that cannot be read does not
// stop the others.
type reader struct {
	account string
	now     func() time.Time

	events     []gateway.Event
	outcomes   []outcome
	unreadable int   // parts that were left out
	failures   []int // codes of failed messages that the gateway does not know
}

// request is a request to the webhook.
type request struct {
	Entry []struct {
		Changes []struct {
			Field string          `json:"field"`
			Value json.RawMessage `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
}

// change is what has changed for a phone number.
type change struct {
	Metadata struct {
		Number string `json:"display_phone_number"`
		ID     string `json:"phone_number_id"`
	} `json:"metadata"`
	Contacts []contact         `json:"contacts"`
	Messages []json.RawMessage `json:"messages"`
	Statuses []json.RawMessage `json:"statuses"`
}

// contact is a person of whom a change speaks.
type contact struct {
	Profile struct {
		Name     string `json:"name"`
		Username string `json:"username"`
	} `json:"profile"`
	Number string `json:"wa_id"`
	UserID string `json:"user_id"`
}

// read reads a request. It fails only if the request is no JSON of that form.
func (r *reader) read(body []byte) error {
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		return fmt.Errorf("read a request: %w", err)
	}
	for _, entry := range q.Entry {
		for _, c := range entry.Changes {
			if c.Field == "messages" {
				r.change(c.Value)
			}
		}
	}
	return nil
}

// change reads one change. Other phone numbers of the business have adapters of their own.
func (r *reader) change(raw json.RawMessage) {
	var c change
	if json.Unmarshal(raw, &c) != nil {
		r.unreadable++
		return
	}
	if c.Metadata.ID != r.account {
		return
	}
	for _, raw := range c.Messages {
		var m incoming
		if json.Unmarshal(raw, &m) != nil {
			r.unreadable++
			continue
		}
		r.incoming(&c, &m)
	}
	for _, raw := range c.Statuses {
		var s status
		if json.Unmarshal(raw, &s) != nil {
			r.unreadable++
			continue
		}
		r.status(&s)
	}
}

// place is a chat.
func (r *reader) place(chat string) gateway.Place {
	return gateway.Place{Platform: gateway.WhatsApp, Account: r.account, Chat: chat}
}

// moment is a time of the webhook; now if there is none.
func (r *reader) moment(t stamp) time.Time {
	if t <= 0 {
		return r.now().UTC()
	}
	return time.Unix(int64(t), 0).UTC()
}

// stamp is a time in seconds, written as a text or as a number. What is neither is 0.
type stamp int64

// UnmarshalJSON reads a time.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	var n int64
	if json.Unmarshal([]byte(strings.Trim(string(raw), `"`)), &n) != nil || n > maxStamp {
		n = 0
	}
	*s = stamp(n)
	return nil
}

// maxStamp is the last second of the year 9999.
const maxStamp = 253402300799

// digits are the digits of a phone number.
func digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
}
