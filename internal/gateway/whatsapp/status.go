package whatsapp

import (
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// status is what has become of a message of the number.
type status struct {
	ID       gateway.MessageID `json:"id"`
	Status   string            `json:"status"`
	Time     stamp             `json:"timestamp"`
	Number   string            `json:"recipient_id"` // of the person, or the id of the group
	UserID   string            `json:"recipient_user_id"`
	Kind     string            `json:"recipient_type"`
	Callback string            `json:"biz_opaque_callback_data"`
	Errors   []wireError       `json:"errors"`
}

// ours reports whether the gateway sent the message: its callback has the form of
// gateway.Out.ID. Other programs may send from the same number.
func (s *status) ours() bool {
	return s.ID != "" && len(s.Callback) == 32 && strings.Trim(s.Callback, "0123456789abcdef") == ""
}

// status makes an event out of a status, if the gateway sent the message.
func (r *reader) status(s *status) {
	e := gateway.Event{
		ID: string(s.ID) + ":" + s.Status, Type: gateway.DM, Message: s.ID, Sent: s.Callback, At: r.moment(s.Time),
	}
	chat := s.UserID
	if chat == "" {
		chat = s.Number
	}
	if s.Kind == "group" {
		e.Type = gateway.Group
	} else {
		e.From.ID = chat
		if s.Number != "" && s.Number != chat { // the person may be known by the number alone
			e.From.Aliases = []string{s.Number}
		}
	}
	e.Place = r.place(chat)
	known := s.ours()
	switch s.Status {
	case "sent", "delivered", "read":
		if known {
			e.Kind = gateway.Arrived
			r.tell(e, nil)
		}
	case "failed":
		failed := lateError(s.Errors)
		if !known {
			r.failures = append(r.failures, codeOf(s.Errors))
			return
		}
		e.Kind, e.Reason = gateway.Failed, failed.Text
		e.Closed, e.Passing = failed.Reason == gateway.Closed, failed.Reason == gateway.Temporary
		r.tell(e, failed)
	}
}

// tell keeps an event with the outcome that it is.
func (r *reader) tell(e gateway.Event, err *gateway.SendError) {
	r.events = append(r.events, e)
	r.outcomes = append(r.outcomes, outcome{sent: e.Sent, message: e.Message, err: err})
}

// codeOf is the code of the first error; 0 for none.
func codeOf(list []wireError) int {
	if len(list) == 0 {
		return 0
	}
	return list[0].Code
}

// system tells that a person has another number or user id now.
type system struct {
	Type     string `json:"type"`
	Number   string `json:"wa_id"`
	Older    string `json:"new_wa_id"` // the number, in older versions of the API
	UserID   string `json:"user_id"`
	Previous string `json:"previous_user_id"`
}

// moved makes an event of each id that a person had before.
func (r *reader) moved(m *incoming) {
	switch m.System.Type {
	case "user_changed_number", "customer_changed_number", "user_changed_user_id":
	default:
		return
	}
	to := firstOf(m.System.UserID, m.System.Number, m.System.Older)
	if to == "" {
		return
	}
	seen := map[string]bool{"": true, to: true}
	for _, from := range []string{m.System.Previous, m.UserID, m.From} {
		if seen[from] {
			continue
		}
		seen[from] = true
		e := gateway.Event{
			ID: m.ID, Kind: gateway.Moved, Place: r.place(from), Type: gateway.DM, From: gateway.Sender{ID: from}, MovedTo: to, At: r.moment(m.Time),
		}
		if n := len(seen) - 3; n > 0 {
			e.ID += ":" + strconv.Itoa(n)
		}
		r.events = append(r.events, e)
	}
}

// firstOf is the first text that is not empty.
func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
