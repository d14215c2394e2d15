package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/session"
)

// bridgedJSON is what became of an event of a bridge.
type bridgedJSON struct {
	Object     string             `json:"object"`
	EventID    string             `json:"event_id"`
	Status     gateway.EventState `json:"status"`
	SessionID  *string            `json:"session_id"` // null before the first turn
	SessionKey session.Key        `json:"session_key"`
	RunID      *string            `json:"run_id"` // null for a command, and before the turn
	Answer     *string            `json:"answer"` // Markdown; null if there is none, or not yet
	// Approvals are left out unless tools wait for an approval.
	Approvals []gateway.WaitingCall `json:"approvals,omitempty"`
}

// gatewayWebhook answers POST /gateway/webhook: it takes a message from a bridge to a
// platform that has no adapter. With wait=1 the answer is in the response, or the calls that wait for an approval.
func (s *server) gatewayWebhook(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	var in struct {
		Platform gateway.Platform `json:"platform"`
		EventID  string           `json:"event_id"`
		ChatID   string           `json:"chat_id"`
		ChatType gateway.ChatType `json:"chat_type"`
		UserID   string           `json:"user_id"`
		UserName string           `json:"user_name"`
		Admin    bool             `json:"admin"`
		ThreadID string           `json:"thread_id"`
		Text     string           `json:"text"`
	}
	if err := decodeSome(r, &in); err != nil {
		return wrongField(err)
	}
	wait := r.URL.Query().Get("wait")
	if wait != "" && wait != "0" && wait != "1" {
		return fault.New(fault.Invalid, "invalid_wait", "wait is 1 to wait for the answer, or 0.").At("wait")
	}
	b, err := s.Gateway.Bridge(r.Context(), ownerOf(r), gateway.Event{
		ID: in.EventID, Place: gateway.Place{Platform: in.Platform, Chat: in.ChatID, Thread: in.ThreadID}, Type: in.ChatType,
		From: gateway.Sender{ID: in.UserID, Name: in.UserName, Admin: in.Admin}, Text: in.Text,
	}, wait == "1")
	if err != nil {
		return err
	}
	status := http.StatusAccepted
	if wait == "1" {
		status = http.StatusOK
	}
	return writeJSON(w, status, bridgedOf(&b))
}

// wrongField is the fault for an event with a field of another type than the documented one, and
// names the field.
func wrongField(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || wrong.Field == "" {
		return err
	}
	want := "a text"
	if wrong.Type.Kind() == reflect.Bool {
		want = "true or false"
	}
	return fault.New(fault.Invalid, "invalid_event", wrong.Field+" is "+want+", not a JSON value of another type.").At(wrong.Field)
}

func bridgedOf(b *gateway.Bridged) bridgedJSON {
	return bridgedJSON{
		Object: "hermes.gateway.event", EventID: b.EventID, Status: b.State, SessionKey: b.Key,
		SessionID: optional(b.Session), RunID: optional(b.RunID), Answer: optional(b.Answer), Approvals: b.Approvals,
	}
}

func gatewayOff() error {
	return fault.New(fault.Unavailable, "gateway_off", "This server serves no chat platforms.")
}

// platformHook answers the webhooks of platforms: /platforms/telegram and the like. The
// adapter checks the signature of a request.
func (s *server) platformHook(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	h := s.Gateway.Hook(r.URL.Path)
	if h == nil {
		return fault.New(fault.NotFound, "platform_not_found", "This server has no webhook of this platform. Set the platform's token and restart.")
	}
	h.ServeHTTP(w, r)
	return nil
}

// PlatformState is the state of a bot of a chat platform.
type PlatformState struct {
	Object    string           `json:"object"`
	Platform  gateway.Platform `json:"platform"`
	Account   string           `json:"account"`
	Owner     string           `json:"owner"`
	State     string           `json:"state"`
	Reason    *string          `json:"reason"`
	Since     *time.Time       `json:"since"`
	Users     int              `json:"users"`
	Home      *string          `json:"home"`
	Events    int              `json:"waiting_events"`
	Sends     int              `json:"waiting_messages"`
	LastEvent *time.Time       `json:"last_event_at"`
}

// listPlatforms answers GET /api/platforms: the state of each bot.
func (s *server) listPlatforms(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	data, err := s.platformList(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// platformList is the state of each bot; empty for a server that serves no chat platforms.
func (s *server) platformList(ctx context.Context) ([]PlatformState, error) {
	if s.Gateway == nil {
		return []PlatformState{}, nil
	}
	list, err := s.Gateway.Statuses(ctx)
	if err != nil {
		return nil, err
	}
	data := make([]PlatformState, len(list))
	for i := range list {
		p := &list[i]
		data[i] = PlatformState{
			Object: "hermes.platform", Platform: p.Platform, Account: p.Account, Owner: p.Owner, State: p.Health.State,
			Reason: optional(p.Health.Reason), Since: optionalTime(p.Health.Since), Users: p.Users, Home: optional(p.Home),
			Events: p.Queues.Events, Sends: p.Queues.Sends, LastEvent: optionalTime(p.Queues.LastAt),
		}
	}
	return data, nil
}

// chatEventJSON is what became of an event of a platform. The text is not in it.
type chatEventJSON struct {
	Object     string             `json:"object"`
	Platform   gateway.Platform   `json:"platform"`
	EventID    string             `json:"event_id"`
	Kind       gateway.EventKind  `json:"kind"`
	ChatID     string             `json:"chat_id"`
	ThreadID   *string            `json:"thread_id"`
	UserID     string             `json:"user_id"`
	Status     gateway.EventState `json:"status"`
	Reason     *string            `json:"reason"`
	RunID      *string            `json:"run_id"`
	ReceivedAt time.Time          `json:"received_at"`
}

// listChatEvents answers GET /api/platforms/events: the newest events, newest first.
func (s *server) listChatEvents(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 50, 200)
	if err != nil {
		return err
	}
	list, err := s.Gateway.Events(r.Context(), ownerOf(r), gateway.EventFilter{
		Platform: gateway.Platform(q.Get("platform")), State: gateway.EventState(q.Get("status")), Limit: limit,
	})
	if err != nil {
		return err
	}
	data := make([]chatEventJSON, len(list))
	for i := range list {
		e := &list[i]
		data[i] = chatEventJSON{
			Object: "hermes.platform.event", Platform: e.Place.Platform, EventID: e.GivenID(), Kind: e.Kind, ChatID: e.Place.Chat,
			ThreadID: optional(e.Place.Thread), UserID: e.From.ID, Status: e.State, Reason: optional(e.Reason), RunID: optional(e.Run),
			ReceivedAt: e.ReceivedAt,
		}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}
